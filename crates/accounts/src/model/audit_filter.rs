//! Filters of the audit log, and the impersonation that an entry records.

use core::net::IpAddr;

use api_conventions::ids::{TokenId, UserId};
use api_conventions::time::Timestamp;

use super::audit::{AuditDetails, AuditEntity, NewAuditEntry};

/// Kind of entity that has an audit log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AuditEntityKind {
    /// Groups.
    Group,
    /// Projects.
    Project,
    /// Users.
    User,
    /// The instance.
    Instance,
}

impl AuditEntityKind {
    /// Returns the number of the kind, as stored in rows.
    pub const fn number(self) -> i16 {
        match self {
            Self::Group => 1,
            Self::Project => 2,
            Self::User => 3,
            Self::Instance => 4,
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
            Self::Instance => AuditEntityKind::Instance,
        }
    }

    /// Returns the entity of a kind with this id; `None` for another id of the instance than its own.
    pub const fn of_kind(kind: AuditEntityKind, id: i64) -> Option<Self> {
        Self::from_numbers(kind.number(), id)
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
    /// Impersonation token of the user.
    Token {
        /// The token.
        id: TokenId,
        /// Administrator who created it; `None` for the command line, and for tokens of programs before their creators
        /// were recorded.
        creator_id: Option<UserId>,
    },
}

/// Facts about the request that a write belongs to. Its audit entries record them, so that no flow has to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AuditOrigin {
    /// Impersonation that the request used, if it used one.
    pub impersonation: Option<AuditImpersonation>,
    /// Address of the client; `None` for commands and for jobs of the server.
    pub client_address: Option<IpAddr>,
}

impl AuditOrigin {
    /// Returns the entry with the facts of the request.
    #[must_use]
    pub fn recorded_in(self, entry: &NewAuditEntry) -> NewAuditEntry {
        let mut entry = entry.clone();
        match self.impersonation {
            None => {}
            Some(AuditImpersonation::Administrator(id)) => entry.impersonator_id = Some(id),
            Some(AuditImpersonation::Token { id, creator_id }) => {
                entry.impersonator_id = creator_id;
                let id = id.to_string();
                entry.details = entry.details.with("impersonation_token_id", &id);
            }
        }
        if let Some(address) = self.client_address {
            let address = address.to_string();
            entry.details = entry.details.with(AuditDetails::ADDRESS, &address);
        }
        entry
    }
}

#[cfg(test)]
mod tests {
    use api_conventions::ids::ProjectId;

    use super::*;
    use crate::model::AuditEventName;

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
    fn an_entry_names_the_administrator_the_token_and_the_address() {
        let recorded = |impersonation| {
            let origin = AuditOrigin {
                impersonation,
                client_address: None,
            };
            origin.recorded_in(&entry())
        };
        assert_eq!(recorded(None), entry());
        let admin = UserId::new(7);
        let by_admin = recorded(Some(AuditImpersonation::Administrator(admin)));
        assert_eq!(by_admin.impersonator_id, Some(admin));
        assert_eq!(by_admin.details, entry().details);
        for creator_id in [None, Some(admin)] {
            let id = TokenId::new(8);
            let by_token = recorded(Some(AuditImpersonation::Token { id, creator_id }));
            assert_eq!(by_token.impersonator_id, creator_id);
            assert_eq!(
                by_token.details.fields(),
                [
                    ("impersonation_token_id".to_owned(), "8".to_owned()),
                    ("path".to_owned(), "a/b".to_owned()),
                ]
            );
        }
        let from = AuditOrigin {
            impersonation: None,
            client_address: Some([192, 0, 2, 1].into()),
        };
        let from = from.recorded_in(&entry());
        assert_eq!(
            from.details.field(AuditDetails::ADDRESS).as_deref(),
            Some("192.0.2.1")
        );
    }

    #[test]
    fn an_entity_is_of_its_kind() {
        for (kind, id) in [
            (AuditEntityKind::Group, 5),
            (AuditEntityKind::Project, 5),
            (AuditEntityKind::User, 5),
            (AuditEntityKind::Instance, 1),
        ] {
            let entity = AuditEntity::of_kind(kind, id).unwrap();
            assert_eq!(entity.kind(), kind);
            assert_eq!(entity.numbers(), (kind.number(), id));
        }
        assert_eq!(AuditEntity::of_kind(AuditEntityKind::Instance, 2), None);
    }
}
