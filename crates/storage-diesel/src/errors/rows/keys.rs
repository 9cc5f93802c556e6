//! Rows of client keys, and of the keys that group events.

use api_conventions::ids::{ClientKeyId, ErrorId, ErrorKeyId, ProjectId};
use diesel::prelude::*;
use error_tracking::grouping::GroupKey;
use error_tracking::model::{ClientKey, ErrorKey, NewClientKey, PublicKey};
use storage::StoreError;

use crate::entity::entity;
use crate::errors::tables::error_keys;
use crate::rows::{DomainRow, RowReader};

entity! {
    error_client_keys: ClientKeyRow, NewClientKeyRow;
    fixed {
        project_id: BigInt,
        public_key: Text,
        active: Bool,
        created_at: BigInt,
    }
    later { events_per_minute: Nullable<BigInt> }
}

impl DomainRow for ClientKeyRow {
    type Value = ClientKey;

    fn read(self) -> Result<ClientKey, StoreError> {
        let row = self.reader();
        let limit = self.events_per_minute.map(u32::try_from).transpose();
        Ok(ClientKey {
            id: ClientKeyId::new(self.id),
            project_id: ProjectId::new(self.project_id),
            public_key: row.require(PublicKey::parse(&self.public_key), "invalid public key")?,
            active: self.active,
            events_per_minute: limit.map_err(|_| row.inconsistent("invalid limit"))?,
            created_at: row.timestamp(self.created_at)?,
        })
    }
}

impl<'v> From<&'v NewClientKey> for NewClientKeyRow<'v> {
    fn from(new: &'v NewClientKey) -> Self {
        Self {
            project_id: new.project_id.get(),
            public_key: new.public_key.as_str().into(),
            active: true,
            created_at: new.created_at.as_micros(),
        }
    }
}

/// Key that groups events.
#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = error_keys)]
pub(crate) struct ErrorKeyRow {
    id: i64,
    group_key: Vec<u8>,
    error_id: i64,
    explanation: String,
    first_seen: i64,
}

impl DomainRow for ErrorKeyRow {
    type Value = ErrorKey;

    fn read(self) -> Result<ErrorKey, StoreError> {
        let row = RowReader::new("error_keys", self.id);
        let explanation = serde_json::from_str(&self.explanation);
        Ok(ErrorKey {
            id: ErrorKeyId::new(self.id),
            error_id: ErrorId::new(self.error_id),
            key: row.require(group_key_of(&self.group_key), "invalid key")?,
            explanation: explanation.map_err(|_| row.inconsistent("unreadable explanation"))?,
            first_seen: row.timestamp(self.first_seen)?,
        })
    }
}

/// Returns the key with these bytes.
pub(crate) fn group_key_of(bytes: &[u8]) -> Option<GroupKey> {
    Some(GroupKey::from_bytes(bytes.try_into().ok()?))
}
