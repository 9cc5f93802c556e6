//! Entries of the audit log: who changed what power over what.

use api_conventions::ids::{AuditEntryId, NamespaceId, ProjectId, UserId};
use api_conventions::time::Timestamp;

api_conventions::named! {
    /// What was done. The names are those of bodies; the numbers are those of rows.
    pub enum AuditEventName {
        /// A user got a role.
        MemberAdded = 1, "member_added";
        /// A role, or its day of expiry, was changed.
        MemberUpdated = 2, "member_updated";
        /// A role was taken away, or its user left.
        MemberRemoved = 3, "member_removed";
        /// The day of expiry of a role came.
        MemberExpired = 4, "member_expired";
        /// A project was shared with a group.
        ProjectShared = 5, "project_shared";
        /// A share of a project was taken away.
        ProjectUnshared = 6, "project_unshared";
        /// The day of expiry of a share came.
        ShareExpired = 7, "share_expired";
        /// The visibility of a project or a group was changed.
        VisibilityChanged = 8, "visibility_changed";
        /// A project was archived.
        ProjectArchived = 9, "project_archived";
        /// An archived project is written again.
        ProjectUnarchived = 10, "project_unarchived";
        /// A project is to be deleted.
        ProjectDeletionScheduled = 11, "project_deletion_scheduled";
        /// A project that was to be deleted stays.
        ProjectDeletionCancelled = 12, "project_deletion_cancelled";
        /// A project was deleted.
        ProjectDeleted = 13, "project_deleted";
        /// A project went to another namespace.
        ProjectTransferred = 14, "project_transferred";
        /// A project has another path.
        ProjectPathChanged = 15, "project_path_changed";
        /// A group was made.
        GroupCreated = 16, "group_created";
        /// A group is to be deleted.
        GroupDeletionScheduled = 17, "group_deletion_scheduled";
        /// A group that was to be deleted stays.
        GroupDeletionCancelled = 18, "group_deletion_cancelled";
        /// A group was deleted.
        GroupDeleted = 19, "group_deleted";
        /// A group went below another group, or to the top.
        GroupTransferred = 20, "group_transferred";
        /// A group has another path.
        GroupPathChanged = 21, "group_path_changed";
        /// A setting that says who may get power was changed, such as whether projects may be shared.
        SettingChanged = 22, "setting_changed";
        /// A project was made.
        ProjectCreated = 23, "project_created";
        /// A project was made of an archive.
        ProjectImported = 24, "project_imported";
        /// Somebody took all of a project away in an archive.
        ProjectExported = 25, "project_exported";
    }
}

/// Whose log it is. It is remembered beyond the life of what it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AuditEntity {
    /// A group's.
    Group(NamespaceId),
    /// A project's.
    Project(ProjectId),
    /// A user's.
    User(UserId),
}

impl AuditEntity {
    /// The number of its kind, and its id, as in rows.
    pub const fn numbers(self) -> (i16, i64) {
        match self {
            Self::Group(id) => (1, id.get()),
            Self::Project(id) => (2, id.get()),
            Self::User(id) => (3, id.get()),
        }
    }

    /// The entity of the kind with this number.
    pub const fn from_numbers(kind: i16, id: i64) -> Option<Self> {
        match kind {
            1 => Some(Self::Group(NamespaceId::new(id))),
            2 => Some(Self::Project(ProjectId::new(id))),
            3 => Some(Self::User(UserId::new(id))),
            _ => None,
        }
    }
}

/// What something was done to: the user who got a role, the group with which a project was shared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditTarget {
    /// What it is.
    pub entity: AuditEntity,
    /// Its username or full path at that time.
    pub name: String,
}

/// What else is to be known of an entry: the text of a JSON object of texts, such as `{"access_level":"30"}`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditDetails(String);

impl AuditDetails {
    /// How many characters of a value are kept.
    pub const MAX_VALUE: usize = 255;
    /// How many fields are kept. So no entry is larger than some kilobytes, whatever is changed.
    pub const MAX_FIELDS: usize = 16;

    /// Details of these fields, in this order. What goes beyond the bounds is cut off.
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

    /// Details as they stand in a row.
    pub const fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The text; empty where there is nothing to add.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An entry to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAuditEntry {
    /// Who did it; `None` for the server itself, which ends what expires.
    pub author_id: Option<UserId>,
    /// Whose log it belongs to.
    pub entity: AuditEntity,
    /// What was done.
    pub event_name: AuditEventName,
    /// To what, where that is something else than the entity.
    pub target: Option<AuditTarget>,
    /// What else is to be known.
    pub details: AuditDetails,
    /// Now.
    pub created_at: Timestamp,
}

/// An entry of the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// Its id; later entries have greater ones.
    pub id: AuditEntryId,
    /// Who did it; `None` for the server itself.
    pub author_id: Option<UserId>,
    /// Whose log it belongs to.
    pub entity: AuditEntity,
    /// What was done.
    pub event_name: AuditEventName,
    /// To what, where that is something else than the entity.
    pub target: Option<AuditTarget>,
    /// What else is to be known.
    pub details: AuditDetails,
    /// When.
    pub created_at: Timestamp,
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
        ] {
            let (kind, id) = entity.numbers();
            assert_eq!(AuditEntity::from_numbers(kind, id), Some(entity));
        }
        assert_eq!(AuditEntity::from_numbers(4, 1), None);
    }
}
