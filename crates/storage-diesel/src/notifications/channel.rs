//! Rows of channels.

use ::notifications::model::{
    Channel, ChannelKind, ChannelLane, ChannelOwner, ChannelSettings, HookTriggers,
    MessageSeverity, NewChannel, QuietHours, SealedSecret,
};
use api_conventions::ids::{ChannelId, ProjectId, UserId};
use api_conventions::time::Timestamp;
use diesel::dsl::sql;
use diesel::expression::SqlLiteral;
use diesel::sql_types::Bool;
use storage::StoreError;

use crate::entity::entity;
use crate::rows::DomainRow;

entity! {
    notification_channels: ChannelRow, NewChannelRow, ChangedChannelRow;
    fixed {
        project_id: Nullable<BigInt>,
        user_id: Nullable<BigInt>,
        kind: SmallInt,
        created_at: BigInt,
        secret: Nullable<Binary>,
    }
    changing {
        name: Text,
        url: Text,
        recipient: Text,
        alert_events: Bool,
        incident_events: Bool,
        error_events: Bool,
        assignment_events: Bool,
        minimum_severity: SmallInt,
        is_active: Bool,
        delay_minutes: BigInt,
        repeat_minutes: BigInt,
        hourly_limit: BigInt,
        quiet_hours: Nullable<Text>,
        description: Text,
        issue_events: Bool,
        confidential_issue_events: Bool,
        note_events: Bool,
        confidential_note_events: Bool,
        updated_at: BigInt,
    }
    later {
        due_at: Nullable<BigInt>,
        is_waiting: Bool,
        failures: BigInt,
        dropped: BigInt,
    }
}

impl DomainRow for ChannelRow {
    type Value = Channel;

    fn read(self) -> Result<Channel, StoreError> {
        let row = self.reader();
        let count = |count: i64| row.require(u32::try_from(count).ok(), "count out of range");
        let quiet_hours = self.quiet_hours.as_deref();
        let quiet_hours = quiet_hours
            .map(|json| row.require(serde_json::from_str(json).ok(), "invalid quiet hours"));
        let minimum_severity = MessageSeverity::from_number(self.minimum_severity);
        let owner = match (self.project_id, self.user_id) {
            (Some(id), None) => Some(ChannelOwner::Project(ProjectId::new(id))),
            (None, Some(id)) => Some(ChannelOwner::User(UserId::new(id))),
            (None, None) => Some(ChannelOwner::Server),
            (Some(_), Some(_)) => None,
        };
        Ok(Channel {
            id: ChannelId::new(self.id),
            owner: row.require(owner, "two owners")?,
            kind: row.require(ChannelKind::from_number(self.kind), "unknown kind")?,
            settings: ChannelSettings {
                name: self.name,
                url: self.url,
                recipient: self.recipient,
                alert_events: self.alert_events,
                incident_events: self.incident_events,
                error_events: self.error_events,
                assignment_events: self.assignment_events,
                minimum_severity: row.require(minimum_severity, "unknown severity")?,
                is_active: self.is_active,
                delay_minutes: count(self.delay_minutes)?,
                repeat_minutes: count(self.repeat_minutes)?,
                hourly_limit: count(self.hourly_limit)?,
                quiet_hours: quiet_hours.transpose()?,
                description: self.description,
                hook_triggers: HookTriggers {
                    issues: self.issue_events,
                    confidential_issues: self.confidential_issue_events,
                    notes: self.note_events,
                    confidential_notes: self.confidential_note_events,
                },
            },
            secret: self.secret.map(SealedSecret),
            lane: ChannelLane {
                due_at: row.optional_timestamp(self.due_at)?,
                is_waiting: self.is_waiting,
                failures: count(self.failures)?,
                dropped: count(self.dropped)?,
            },
            created_at: row.timestamp(self.created_at)?,
            updated_at: row.timestamp(self.updated_at)?,
        })
    }
}

/// Condition that a channel has this owner.
pub(super) fn owned_by(owner: ChannelOwner) -> SqlLiteral<Bool> {
    const TABLE: &str = "notification_channels";
    let column = |of: &str, id: i64| sql(&format!("{TABLE}.{of} = {id}"));
    match owner {
        ChannelOwner::Project(id) => column("project_id", id.get()),
        ChannelOwner::User(id) => column("user_id", id.get()),
        ChannelOwner::Server => sql(&format!(
            "COALESCE({TABLE}.project_id, {TABLE}.user_id) IS NULL"
        )),
    }
}

impl<'v> ChangedChannelRow<'v> {
    pub(super) fn of(settings: &'v ChannelSettings, now: Timestamp) -> Self {
        let triggers = settings.hook_triggers;
        Self {
            name: settings.name.as_str().into(),
            url: settings.url.as_str().into(),
            recipient: settings.recipient.as_str().into(),
            alert_events: settings.alert_events,
            incident_events: settings.incident_events,
            error_events: settings.error_events,
            assignment_events: settings.assignment_events,
            minimum_severity: settings.minimum_severity.number(),
            is_active: settings.is_active,
            delay_minutes: settings.delay_minutes.into(),
            repeat_minutes: settings.repeat_minutes.into(),
            hourly_limit: settings.hourly_limit.into(),
            quiet_hours: settings.quiet_hours.map(|hours| json(hours).into()),
            description: settings.description.as_str().into(),
            issue_events: triggers.issues,
            confidential_issue_events: triggers.confidential_issues,
            note_events: triggers.notes,
            confidential_note_events: triggers.confidential_notes,
            updated_at: now.as_micros(),
        }
    }
}

#[expect(
    clippy::expect_used,
    reason = "times, names and numbers always serialize to JSON"
)]
fn json(hours: QuietHours) -> String {
    serde_json::to_string(&hours).expect("quiet hours serialize to JSON")
}

impl<'v> From<&'v NewChannel> for NewChannelRow<'v> {
    fn from(new: &'v NewChannel) -> Self {
        let secret = new.secret.as_ref();
        Self {
            project_id: new.owner.project().map(ProjectId::get),
            user_id: new.owner.user().map(UserId::get),
            kind: new.kind.number(),
            created_at: new.created_at.as_micros(),
            secret: secret.map(|secret| secret.0.as_slice().into()),
            changing: ChangedChannelRow::of(&new.settings, new.created_at),
        }
    }
}
