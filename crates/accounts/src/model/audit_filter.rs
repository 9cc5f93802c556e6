//! Filters of the audit log, and the impersonation that an entry records.

use api_conventions::ids::{NamespaceId, ProjectId, TokenId, UserId};
use api_conventions::time::Timestamp;

use super::audit::{AuditEntity, NewAuditEntry};

/// Kind of entity that has an audit log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AuditEntityKind {
    /// Groups.
    Group,
    /// Projects.
    Project,
    /// Users.
    User,
}

impl AuditEntityKind {
    /// Returns the number of the kind, as stored in rows.
    pub const fn number(self) -> i16 {
        match self {
            Self::Group => 1,
            Self::Project => 2,
            Self::User => 3,
        }
    }
}

impl AuditEntity {
    /// Returns the kind of the entity.
    pub const fn kind(self) -> AuditEntityKind {
        match self {
            Self::Group(_) => AuditEntityKind::Group,
            Self::Project(_) => AuditEntityKind::Project,
            Self::User(_) => AuditEntityKind::User,
        }
    }

    /// Returns the entity of a kind with this id.
    pub const fn of_kind(kind: AuditEntityKind, id: i64) -> Self {
        match kind {
            AuditEntityKind::Group => Self::Group(NamespaceId::new(id)),
            AuditEntityKind::Project => Self::Project(ProjectId::new(id)),
            AuditEntityKind::User => Self::User(UserId::new(id)),
        }
    }
}

/// Entities whose entries a list contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AuditScope {
    /// All entities.
    #[default]
    All,
    /// All entities of one kind.
    Kind(AuditEntityKind),
    /// A single entity.
    Entity(AuditEntity),
}

/// Filter of audit entries. All conditions must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AuditFilter {
    /// Entities whose entries are listed.
    pub scope: AuditScope,
    /// Author of the entries.
    pub author_id: Option<UserId>,
    /// Earliest time of an entry, inclusive.
    pub created_after: Option<Timestamp>,
    /// Latest time of an entry, inclusive.
    pub created_before: Option<Timestamp>,
}

impl AuditFilter {
    /// Creates the filter of an entity's log.
    pub const fn of(entity: AuditEntity) -> Self {
        Self {
            scope: AuditScope::Entity(entity),
            author_id: None,
            created_after: None,
            created_before: None,
        }
    }
}

/// Credential with which a request acts as another user. Audit entries of the request record it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditImpersonation {
    /// Token of this administrator, who acts as the user.
    Administrator(UserId),
    /// Impersonation token of the user. Its creator is the author of the entry about its creation.
    Token(TokenId),
}

impl AuditImpersonation {
    /// Returns the entry with the impersonation that the request used.
    #[must_use]
    pub fn recorded_in(self, entry: &NewAuditEntry) -> NewAuditEntry {
        let mut entry = entry.clone();
        match self {
            Self::Administrator(id) => entry.impersonator_id = Some(id),
            Self::Token(id) => {
                let id = id.to_string();
                entry.details = entry.details.with("impersonation_token_id", &id);
            }
        }
        entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{AuditDetails, AuditEventName};

    fn entry() -> NewAuditEntry {
        NewAuditEntry {
            author_id: Some(UserId::new(1)),
            entity: AuditEntity::Project(ProjectId::new(2)),
            event_name: AuditEventName::ProjectArchived,
            target: None,
            details: AuditDetails::new(&[("path", "a/b")]),
            created_at: Timestamp::MIN,
            impersonator_id: None,
        }
    }

    #[test]
    fn an_entry_names_the_administrator_or_the_token() {
        let by_admin = AuditImpersonation::Administrator(UserId::new(7)).recorded_in(&entry());
        assert_eq!(by_admin.impersonator_id, Some(UserId::new(7)));
        assert_eq!(by_admin.details, entry().details);
        let by_token = AuditImpersonation::Token(TokenId::new(8)).recorded_in(&entry());
        assert_eq!(by_token.impersonator_id, None);
        assert_eq!(
            by_token.details.fields(),
            [
                ("impersonation_token_id".to_owned(), "8".to_owned()),
                ("path".to_owned(), "a/b".to_owned()),
            ]
        );
    }

    #[test]
    fn an_entity_is_of_its_kind() {
        let kinds = [
            AuditEntityKind::Group,
            AuditEntityKind::Project,
            AuditEntityKind::User,
        ];
        for kind in kinds {
            let entity = AuditEntity::of_kind(kind, 5);
            assert_eq!(entity.kind(), kind);
            assert_eq!(entity.numbers(), (kind.number(), 5));
        }
    }
}
