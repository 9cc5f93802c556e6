//! Groups with members.

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use gatehouse_core::database::WriteTransaction;
use projects::InsertNamespace;
use projects::model::{MemberSource, Namespace, NamespaceKind, NewMember, NewNamespace};
use storage::{StoreError, StoreErrorKind};

/// Group to insert.
pub(crate) struct SeedGroup {
    pub(crate) name: String,
    pub(crate) path: String,
    pub(crate) visibility: Visibility,
    pub(crate) owner: UserId,
    /// Developers of the group.
    pub(crate) members: Vec<UserId>,
}

impl SeedGroup {
    /// Inserts the group with its members.
    ///
    /// # Errors
    /// Failures of the store, and a conflict if the path is taken.
    pub(crate) fn insert(
        self,
        tx: &mut dyn WriteTransaction,
        now: Timestamp,
    ) -> Result<Namespace, StoreError> {
        let new = NewNamespace {
            kind: NamespaceKind::Group,
            name: self.name,
            path: self.path,
            parent: None,
            visibility: self.visibility,
            owner: self.owner,
            created_at: now,
        };
        let InsertNamespace::Inserted(group) = tx.insert_namespace(&new)? else {
            return Err(unexpected());
        };
        let place = tx
            .lock_members(MemberSource::Namespace(group.id))?
            .ok_or_else(unexpected)?;
        for user_id in self.members {
            let member = NewMember {
                user_id,
                level: AccessLevel::Developer,
                expires_on: None,
                created_by: Some(self.owner),
                created_at: now,
            };
            tx.put_member(&place, &member)?;
        }
        Ok(group)
    }
}

/// Error for a conflict, which does not occur because the sample data has no such rows.
pub(crate) fn unexpected() -> StoreError {
    StoreError::new(StoreErrorKind::Conflict, "write the rows of the benchmark")
}
