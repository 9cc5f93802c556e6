//! Rows of the audit log.

use accounts::{AuditDetails, AuditEntity, AuditEntry, AuditEventName, AuditTarget, NewAuditEntry};
use api_conventions::ids::{AuditEntryId, UserId};
use storage::StoreError;

use crate::entity::entity;
use crate::rows::DomainRow;

entity! {
    audit_entries: AuditRow, NewAuditRow;
    fixed {
        entity_type: SmallInt,
        entity_id: BigInt,
        author_id: Nullable<BigInt>,
        event_name: SmallInt,
        target_type: Nullable<SmallInt>,
        target_id: Nullable<BigInt>,
        target_name: Nullable<Text>,
        details: Text,
        created_at: BigInt,
        impersonator_id: Nullable<BigInt>,
    }
}

impl DomainRow for AuditRow {
    type Value = AuditEntry;

    fn read(self) -> Result<AuditEntry, StoreError> {
        let row = self.reader();
        let entity = |kind, id| {
            let entity = AuditEntity::from_numbers(kind, id);
            row.require(entity, "unknown kind of entity")
        };
        let target = match (self.target_type, self.target_id, self.target_name) {
            (None, None, None) => None,
            (Some(kind), Some(id), Some(name)) => Some(AuditTarget {
                entity: entity(kind, id)?,
                name,
            }),
            _ => return Err(row.inconsistent("incomplete target")),
        };
        let event_name = AuditEventName::from_number(self.event_name);
        Ok(AuditEntry {
            id: AuditEntryId::new(self.id),
            author_id: self.author_id.map(UserId::new),
            entity: entity(self.entity_type, self.entity_id)?,
            event_name: row.require(event_name, "unknown event name")?,
            target,
            details: AuditDetails::from_stored(self.details),
            created_at: row.timestamp(self.created_at)?,
            impersonator_id: self.impersonator_id.map(UserId::new),
        })
    }
}

impl<'v> From<&'v NewAuditEntry> for NewAuditRow<'v> {
    fn from(new: &'v NewAuditEntry) -> Self {
        let (entity_type, entity_id) = new.entity.numbers();
        let target = new.target.as_ref();
        let numbers = target.map(|target| target.entity.numbers());
        Self {
            entity_type,
            entity_id,
            author_id: new.author_id.map(UserId::get),
            event_name: new.event_name.number(),
            target_type: numbers.map(|(kind, _)| kind),
            target_id: numbers.map(|(_, id)| id),
            target_name: target.map(|target| target.name.as_str().into()),
            details: new.details.as_str().into(),
            created_at: new.created_at.as_micros(),
            impersonator_id: new.impersonator_id.map(UserId::get),
        }
    }
}
