//! The audit log.

use accounts::{
    AccountReadTx, AuditDetails, AuditEntity, AuditEntry, AuditEventName, AuditFilter, AuditTarget,
    NewAuditEntry,
};
use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::page::{KeysetPage, KeysetSlice, SortOrder};
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::{read, write};
use crate::areas::{Accounts, AreaHarness};
use crate::entity::declare::entity;
use crate::entity::{Entity as _, KeysetEntity};
use crate::samples::{HOSTILE, timestamp};

/// An entry of each name, with targets of every kind.
fn of_each_name(entity: AuditEntity) -> Vec<NewAuditEntry> {
    let target = |index: usize| {
        let entity = match index % 4 {
            0 => AuditEntity::Group(NamespaceId::new(i64::MAX)),
            1 => AuditEntity::Project(ProjectId::new(0)),
            2 => AuditEntity::User(UserId::new(i64::MIN)),
            _ => return None,
        };
        Some(AuditTarget {
            entity,
            name: [HOSTILE, ""][index % 2].to_owned(),
        })
    };
    let names = AuditEventName::ALL.iter().enumerate();
    let edges = names.map(|(index, name)| NewAuditEntry {
        author_id: (index > 0).then(|| UserId::new(i64::MAX - i64::try_from(index).unwrap())),
        event_name: *name,
        target: target(index),
        details: AuditDetails::new(&[("note", HOSTILE), ("level", "30")][..index % 3]),
        created_at: [Timestamp::MIN, Timestamp::MAX][index % 2],
        impersonator_id: (index % 2 == 0).then(|| UserId::new(i64::MAX)),
        ..StoredAuditEntry::sample(entity, 1)
    });
    edges.collect()
}

entity! {
    /// An entry of the audit log. Entries are only listed, so the author identifies one here.
    StoredAuditEntry in Accounts, of AuditEntity: NewAuditEntry => AuditEntry;
    // Entities of two kinds may have the same number.
    owners: |_harness| [
        AuditEntity::Project(ProjectId::new(7)),
        AuditEntity::Group(NamespaceId::new(7)),
    ];
    key: |entry| -> Option<UserId> { entry.author_id }, unknown: Some(UserId::new(-1));
    sample: |entity, number| NewAuditEntry {
        author_id: Some(UserId::new(number.into())),
        entity,
        event_name: AuditEventName::MemberAdded,
        target: None,
        details: AuditDetails::default(),
        created_at: timestamp(0),
        impersonator_id: None,
    };
    edges: |entity| of_each_name(entity);
    insert: |tx, new| {
        tx.insert_audit_entries(std::slice::from_ref(new))?;
        Ok(new.author_id)
    };
    find: |tx, entity, author| {
        let all = KeysetPage::new(100, SortOrder::Descending);
        let listed = tx.list_audit_entries(&AuditFilter::of(entity), None, all)?.items;
        Ok(listed.into_iter().find(|entry| entry.author_id == *author))
    }, by owner: true;
    expected: |new, found| AuditEntry {
        id: found.id,
        author_id: new.author_id,
        entity: new.entity,
        event_name: new.event_name,
        target: new.target.clone(),
        details: new.details.clone(),
        created_at: new.created_at,
        impersonator_id: new.impersonator_id,
    };
}

impl KeysetEntity for StoredAuditEntry {
    fn walk(
        tx: &mut (dyn AccountReadTx + '_),
        entity: AuditEntity,
        last: Option<&AuditEntry>,
        request: KeysetPage,
    ) -> Result<KeysetSlice<AuditEntry>, StoreError> {
        tx.list_audit_entries(
            &AuditFilter::of(entity),
            last.map(|entry| entry.id),
            request,
        )
    }
}

/// The authors of the log of an entity, the latest entry first.
fn authors(store: &Accounts, entity: AuditEntity) -> Vec<i64> {
    let all = KeysetPage::new(100, SortOrder::Descending);
    let log = AuditFilter::of(entity);
    let listed = read(store, move |tx| tx.list_audit_entries(&log, None, all));
    let authors = listed.items.iter().filter_map(|entry| entry.author_id);
    authors.map(UserId::get).collect()
}

pub(super) fn c63_entries_keep_the_order_in_which_they_were_written(
    harness: &mut AreaHarness<Accounts>,
) {
    let [entity, other] = StoredAuditEntry::owners(harness);
    let store = harness.store();
    // The clock may be set back between two entries: the order is still that of writing.
    for (first, seconds) in [(1, 90), (4, 10), (7, 50)] {
        write(store, move |tx| {
            let entries = (first..first + 3).map(|author| NewAuditEntry {
                created_at: timestamp(seconds),
                ..StoredAuditEntry::sample(entity, author)
            });
            tx.insert_audit_entries(&entries.collect::<Vec<_>>())
        });
    }
    assert_eq!(authors(store, entity), [9, 8, 7, 6, 5, 4, 3, 2, 1]);
    assert_eq!(authors(store, other), [0; 0]);
}

pub(super) fn c64_the_audit_log_outlives_the_store(harness: &mut AreaHarness<Accounts>) {
    let [entity, _] = StoredAuditEntry::owners(harness);
    write(harness.store(), move |tx| {
        tx.insert_audit_entries(&[StoredAuditEntry::sample(entity, 5)])
    });
    harness.reopen();
    assert_eq!(authors(harness.store(), entity), [5]);
}
