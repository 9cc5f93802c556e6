//! A channel as an entity.

use ::notifications::model::{
    Channel, ChannelKind, ChannelSettings, HookTriggers, LocalTime, MessageSeverity, NewChannel,
    QuietHours, SealedSecret,
};
use ::notifications::store::SaveChannel;
use api_conventions::ids::{ChannelId, ProjectId};
use api_conventions::time::Timestamp;

use super::{channel, insert_channel};
use crate::areas::Notifications;
use crate::entity::Entity as _;
use crate::entity::declare::entity;
use crate::samples::{HOSTILE, timestamp};

/// Channels at the limits of the columns, one of each kind.
fn edges(project: ProjectId) -> Vec<NewChannel> {
    let kinds = [
        ChannelKind::Email,
        ChannelKind::Webhook,
        ChannelKind::Slack,
        ChannelKind::Matrix,
        ChannelKind::Ntfy,
        ChannelKind::ProjectHook,
    ];
    let severities = [
        MessageSeverity::Critical,
        MessageSeverity::High,
        MessageSeverity::Medium,
        MessageSeverity::Low,
        MessageSeverity::Info,
        MessageSeverity::Unknown,
    ];
    let edges = kinds.into_iter().zip(severities).enumerate();
    let edge = |(number, (kind, minimum_severity))| {
        let is_even = number % 2 == 0;
        NewChannel {
            kind,
            settings: ChannelSettings {
                name: format!("{HOSTILE}{number}"),
                url: HOSTILE.repeat(9),
                recipient: HOSTILE.repeat(9),
                alert_events: is_even,
                incident_events: !is_even,
                error_events: is_even,
                assignment_events: !is_even,
                minimum_severity,
                is_active: is_even,
                delay_minutes: [0, u32::MAX][number % 2],
                repeat_minutes: [u32::MAX, 0][number % 2],
                hourly_limit: [1, u32::MAX][number % 2],
                quiet_hours: [None, Some(quiet_hours())][number % 2],
                description: HOSTILE.repeat(number),
                hook_triggers: hook_triggers(number),
            },
            secret: Some(SealedSecret(match number {
                0 => Vec::new(),
                _ => (0..=255).collect(),
            })),
            created_at: [Timestamp::MIN, Timestamp::MAX][number % 2],
            ..channel(project, "edge")
        }
    };
    edges.map(edge).collect()
}

/// Triggers of which the one with this number alone is set.
fn hook_triggers(number: usize) -> HookTriggers {
    HookTriggers {
        issues: number.is_multiple_of(4),
        confidential_issues: number % 4 == 1,
        notes: number % 4 == 2,
        confidential_notes: number % 4 == 3,
    }
}

fn quiet_hours() -> QuietHours {
    QuietHours {
        from: LocalTime::parse("23:59").unwrap(),
        until: LocalTime::parse("00:00").unwrap(),
        time_zone: QuietHours::parse_time_zone("America/Argentina/ComodRivadavia").unwrap(),
        severity: MessageSeverity::Info,
    }
}

/// Settings by a number.
fn changed_settings(number: u32) -> ChannelSettings {
    let is_even = number.is_multiple_of(2);
    ChannelSettings {
        name: format!("changed {number}"),
        url: format!("https://{number}.example.com"),
        recipient: format!("recipient {number}"),
        alert_events: is_even,
        incident_events: !is_even,
        error_events: !is_even,
        assignment_events: is_even,
        minimum_severity: if is_even {
            MessageSeverity::Critical
        } else {
            MessageSeverity::Info
        },
        is_active: is_even,
        delay_minutes: number.wrapping_add(1),
        repeat_minutes: number.wrapping_add(2),
        hourly_limit: number,
        quiet_hours: is_even.then(quiet_hours),
        description: format!("description {number}"),
        hook_triggers: hook_triggers(number as usize),
    }
}

entity! {
    /// A channel.
    StoredChannel in Notifications, of ProjectId: NewChannel => Channel;
    owners: |harness| harness.places();
    key: |channel| -> ChannelId { channel.id }, unknown: ChannelId::new(i64::MAX);
    sample: |project, number| channel(project, &format!("channel {number}"));
    edges: |project| edges(project);
    insert: |tx, new| Ok(insert_channel(tx, new)?.id);
    find: |tx, project, id| tx.find_channel(project.into(), *id), by owner: true;
    expected: |new, found| new.stored(found.id);
    change: |tx, project, id, number| {
        let secret = SealedSecret(number.to_be_bytes().to_vec());
        let now = timestamp(number.into());
        let saved = tx.update_channel(project.into(), *id, &changed_settings(number), Some(Some(&secret)), now)?;
        let found = tx.find_channel(project.into(), *id)?;
        Ok(found.is_some_and(|found| saved == SaveChannel::Saved(Box::new(found))))
    };
    changed: |channel, number| Channel {
        settings: changed_settings(number),
        secret: Some(SealedSecret(number.to_be_bytes().to_vec())),
        updated_at: timestamp(number.into()),
        ..channel.clone()
    };
    delete: |tx, project, id| tx.delete_channel(project.into(), *id);
    try_insert: |tx, new| Ok(match tx.insert_channel(new)? {
        SaveChannel::Saved(channel) => Some(channel.id),
        SaveChannel::NameTaken | SaveChannel::NotFound => None,
    }), per owner: true;
    clashing: |project, number| NewChannel {
        kind: ChannelKind::Ntfy,
        ..Self::sample(project, number)
    };
}
