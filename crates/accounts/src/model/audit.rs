//! Entries of the audit log: changes of permissions, and their authors.

use api_conventions::ids::{AuditEntryId, NamespaceId, ProjectId, UserId};
use api_conventions::time::Timestamp;

api_conventions::named! {
    /// Event of an audit entry. The names appear in bodies; the numbers are stored in rows.
    pub enum AuditEventName {
        /// Member added.
        MemberAdded = 1, "member_added";
        /// Member's role or day of expiry changed.
        MemberUpdated = 2, "member_updated";
        /// Member removed, or left.
        MemberRemoved = 3, "member_removed";
        /// Member's role expired.
        MemberExpired = 4, "member_expired";
        /// Project shared with a group.
        ProjectShared = 5, "project_shared";
        /// Share of a project removed.
        ProjectUnshared = 6, "project_unshared";
        /// Share of a project expired.
        ShareExpired = 7, "share_expired";
        /// Visibility of a project or group changed.
        VisibilityChanged = 8, "visibility_changed";
        /// Project archived.
        ProjectArchived = 9, "project_archived";
        /// Project unarchived.
        ProjectUnarchived = 10, "project_unarchived";
        /// Deletion of a project scheduled.
        ProjectDeletionScheduled = 11, "project_deletion_scheduled";
        /// Scheduled deletion of a project cancelled.
        ProjectDeletionCancelled = 12, "project_deletion_cancelled";
        /// Project deleted.
        ProjectDeleted = 13, "project_deleted";
        /// Project transferred to another namespace.
        ProjectTransferred = 14, "project_transferred";
        /// Path of a project changed.
        ProjectPathChanged = 15, "project_path_changed";
        /// Group created.
        GroupCreated = 16, "group_created";
        /// Deletion of a group scheduled.
        GroupDeletionScheduled = 17, "group_deletion_scheduled";
        /// Scheduled deletion of a group cancelled.
        GroupDeletionCancelled = 18, "group_deletion_cancelled";
        /// Group deleted.
        GroupDeleted = 19, "group_deleted";
        /// Group transferred below another group, or to the top level.
        GroupTransferred = 20, "group_transferred";
        /// Path of a group changed.
        GroupPathChanged = 21, "group_path_changed";
        /// Setting of a project, group or user changed, such as who sees the jobs of a project.
        SettingChanged = 22, "setting_changed";
        /// Project created.
        ProjectCreated = 23, "project_created";
        /// Project imported from an archive.
        ProjectImported = 24, "project_imported";
        /// Project exported to an archive.
        ProjectExported = 25, "project_exported";
        /// Access token created.
        TokenCreated = 26, "token_created";
        /// Access token replaced by a successor.
        TokenRotated = 27, "token_rotated";
        /// Access token revoked.
        TokenRevoked = 28, "token_revoked";
        /// Rotated access token used again, so its successor was revoked.
        RotatedTokenUsed = 29, "rotated_token_used";
        /// Deploy token created.
        DeployTokenCreated = 30, "deploy_token_created";
        /// Deploy token deleted.
        DeployTokenDeleted = 31, "deploy_token_deleted";
        /// User created.
        UserCreated = 60, "user_created";
        /// Name, email address, role or password of a user changed by an administrator.
        UserUpdated = 61, "user_updated";
        /// User blocked.
        UserBlocked = 62, "user_blocked";
        /// User unblocked.
        UserUnblocked = 63, "user_unblocked";
        /// User banned.
        UserBanned = 64, "user_banned";
        /// Ban of a user lifted.
        UserUnbanned = 65, "user_unbanned";
        /// User deactivated.
        UserDeactivated = 66, "user_deactivated";
        /// User activated.
        UserActivated = 67, "user_activated";
        /// Deletion of a user began.
        UserDeletionStarted = 68, "user_deletion_started";
        /// User deleted, with everything that referred to them.
        UserDeleted = 69, "user_deleted";
        /// Runner created, or registered with a registration token.
        RunnerCreated = 70, "runner_created";
        /// Settings of a runner changed.
        RunnerUpdated = 71, "runner_updated";
        /// Runner deleted.
        RunnerDeleted = 72, "runner_deleted";
        /// Authentication token of a runner reset.
        RunnerTokenReset = 73, "runner_token_reset";
        /// Registration token of runners reset.
        RegistrationTokenReset = 74, "registration_token_reset";
        /// Runner assigned to a project.
        RunnerAssigned = 75, "runner_assigned";
        /// Assignment of a runner to a project ended.
        RunnerUnassigned = 76, "runner_unassigned";
        /// Invitation to register created.
        InvitationCreated = 80, "invitation_created";
        /// Invitation used: its target is the user who registered.
        InvitationUsed = 81, "invitation_used";
        /// Invitation revoked before it was used.
        InvitationRevoked = 82, "invitation_revoked";
        /// Audit log exported.
        AuditExported = 83, "audit_exported";
        /// An account reached the limit of failed attempts to sign in.
        SignInLimitReached = 84, "sign_in_limit_reached";
        /// An address reached the limit of failed attempts.
        AddressLimitReached = 85, "address_limit_reached";
        /// Application registered.
        ApplicationCreated = 86, "application_created";
        /// Application changed.
        ApplicationUpdated = 87, "application_updated";
        /// Application deleted, with its tokens.
        ApplicationDeleted = 88, "application_deleted";
        /// Secret of an application renewed.
        ApplicationSecretRenewed = 89, "application_secret_renewed";
        /// Password changed by its user.
        PasswordChanged = 90, "password_changed";
        /// Two-factor authentication enabled by its user.
        SecondFactorEnabled = 91, "second_factor_enabled";
        /// Two-factor authentication disabled by its user.
        SecondFactorDisabled = 92, "second_factor_disabled";
        /// Recovery codes replaced by their user.
        RecoveryCodesRenewed = 93, "recovery_codes_renewed";
        /// Other sessions ended by their user.
        SessionsEnded = 94, "sessions_ended";
        /// Application authorized by a user.
        ApplicationAuthorized = 95, "application_authorized";
        /// Authorization of an application revoked by the user.
        AuthorizationRevoked = 96, "authorization_revoked";
        /// Silence of alerts created.
        SilenceCreated = 97, "silence_created";
        /// End or texts of a silence changed.
        SilenceUpdated = 98, "silence_updated";
        /// Silence ended before its time.
        SilenceEnded = 99, "silence_ended";
    }
}

/// Owner of an audit log. The log outlives the entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AuditEntity {
    /// Log of a group.
    Group(NamespaceId),
    /// Log of a project.
    Project(ProjectId),
    /// Log of a user.
    User(UserId),
    /// Log of the instance: events that belong to no user, group or project.
    Instance,
}

impl AuditEntity {
    /// Id of the instance, of which there is one.
    pub const INSTANCE_ID: i64 = 1;

    /// Returns the number of the kind and the id, as stored in rows.
    pub const fn numbers(self) -> (i16, i64) {
        match self {
            Self::Group(id) => (1, id.get()),
            Self::Project(id) => (2, id.get()),
            Self::User(id) => (3, id.get()),
            Self::Instance => (4, Self::INSTANCE_ID),
        }
    }

    /// Returns the entity of the kind with this number; `None` for an unknown kind.
    pub const fn from_numbers(kind: i16, id: i64) -> Option<Self> {
        match kind {
            1 => Some(Self::Group(NamespaceId::new(id))),
            2 => Some(Self::Project(ProjectId::new(id))),
            3 => Some(Self::User(UserId::new(id))),
            4 if id == Self::INSTANCE_ID => Some(Self::Instance),
            _ => None,
        }
    }
}

/// Target of an event, such as the user who got a role or the group that a project was shared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditTarget {
    /// User, group or project.
    pub entity: AuditEntity,
    /// Username or full path at that time.
    pub name: String,
}

/// Details of an entry: the text of a JSON object with string values, such as `{"access_level":"30"}`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditDetails(String);

impl AuditDetails {
    /// Longest value, in characters.
    pub const MAX_VALUE: usize = 255;
    /// Name of the field with the address of the client.
    pub const ADDRESS: &str = "ip_address";
    /// Most fields of an entry. Keeps every entry below some kilobytes.
    pub const MAX_FIELDS: usize = 16;

    /// Creates details from these fields, in this order. Truncates whatever exceeds the bounds.
    pub fn new(fields: &[(&'static str, &str)]) -> Self {
        let mut object = serde_json::Map::new();
        for (name, value) in fields.iter().take(Self::MAX_FIELDS) {
            let value: String = value.chars().take(Self::MAX_VALUE).collect();
            object.insert((*name).to_owned(), value.into());
        }
        if object.is_empty() {
            return Self::default();
        }
        Self(serde_json::Value::Object(object).to_string())
    }

    /// Wraps details as stored in a row.
    pub const fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// Text of the JSON object; empty if there are no details.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the details with one more field. Replaces a field of that name.
    #[must_use]
    pub fn with(&self, name: &str, value: &str) -> Self {
        let mut object = self.object();
        let value: String = value.chars().take(Self::MAX_VALUE).collect();
        object.insert(name.to_owned(), value.into());
        Self(serde_json::Value::Object(object).to_string())
    }

    /// Returns the value of a field; `None` if there is no such field.
    pub fn field(&self, name: &str) -> Option<String> {
        match self.object().remove(name)? {
            serde_json::Value::String(text) => Some(text),
            other => Some(other.to_string()),
        }
    }

    /// Returns the names and values of the fields, ordered by name.
    pub fn fields(&self) -> Vec<(String, String)> {
        let mut fields: Vec<(String, String)> = self
            .object()
            .into_iter()
            .map(|(name, value)| match value {
                serde_json::Value::String(text) => (name, text),
                other => (name, other.to_string()),
            })
            .collect();
        fields.sort();
        fields
    }

    /// Parses the fields. Text that is no JSON object has none.
    fn object(&self) -> serde_json::Map<String, serde_json::Value> {
        serde_json::from_str(&self.0).unwrap_or_default()
    }
}

/// Audit entry to insert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAuditEntry {
    /// Author of the event; `None` for the server itself, which ends expired access, for commands, and for programs with a
    /// token or key of their own.
    pub author_id: Option<UserId>,
    /// Entity whose log this entry belongs to.
    pub entity: AuditEntity,
    /// Event.
    pub event_name: AuditEventName,
    /// Target of the event, if it is not the entity itself.
    pub target: Option<AuditTarget>,
    /// Details of the event.
    pub details: AuditDetails,
    /// Time of the event: now.
    pub created_at: Timestamp,
    /// Administrator who acted as the author. Flows leave it empty; the transaction of a request sets it, and adds the
    /// address of the client to the details.
    pub impersonator_id: Option<UserId>,
}

/// An entry of the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// Id; later entries have greater ids.
    pub id: AuditEntryId,
    /// Author of the event; `None` for the server itself, for commands, and for programs with a token or key of their own.
    pub author_id: Option<UserId>,
    /// Entity whose log this entry belongs to.
    pub entity: AuditEntity,
    /// Event.
    pub event_name: AuditEventName,
    /// Target of the event, if it is not the entity itself.
    pub target: Option<AuditTarget>,
    /// Details of the event.
    pub details: AuditDetails,
    /// Time of the event.
    pub created_at: Timestamp,
    /// Administrator who acted as the author, if one did.
    pub impersonator_id: Option<UserId>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_are_an_object_of_bounded_size() {
        assert_eq!(AuditDetails::new(&[]).as_str(), "");
        let one = AuditDetails::new(&[("access_level", "30"), ("name", "a \"b\"")]);
        assert_eq!(one.as_str(), r#"{"access_level":"30","name":"a \"b\""}"#);
        let long = "ä".repeat(1000);
        let cut = AuditDetails::new(&[("name", &long)]);
        assert_eq!(cut.as_str().chars().count(), 255 + r#"{"name":""}"#.len());
        let many = AuditDetails::new(&[("same", ""); 100]);
        assert_eq!(many.as_str(), r#"{"same":""}"#);
    }

    #[test]
    fn an_entity_is_read_as_it_was_written() {
        for entity in [
            AuditEntity::Group(NamespaceId::new(1)),
            AuditEntity::Project(ProjectId::new(2)),
            AuditEntity::User(UserId::new(3)),
            AuditEntity::Instance,
        ] {
            let (kind, id) = entity.numbers();
            assert_eq!(AuditEntity::from_numbers(kind, id), Some(entity));
        }
        for unknown in [(4, 2), (5, 1)] {
            assert_eq!(AuditEntity::from_numbers(unknown.0, unknown.1), None);
        }
    }
}
