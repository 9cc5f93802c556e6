//! Lists of the audit log.

use accounts::{
    AccountWriteTx, AuditDetails, AuditEntity, AuditEntityKind, AuditEventName, AuditFilter,
    AuditScope, NewAuditEntry,
};
use api_conventions::ids::{AuditEntryId, NamespaceId, ProjectId, UserId};
use api_conventions::page::{KeysetPage, SortOrder, Total};
use storage::{StoreError, StoreExt as _};

use crate::areas::{Accounts, AreaHarness};
use crate::samples::{page, timestamp};

const PROJECT: AuditEntity = AuditEntity::Project(ProjectId::new(7));
const OTHER_PROJECT: AuditEntity = AuditEntity::Project(ProjectId::new(8));
const GROUP: AuditEntity = AuditEntity::Group(NamespaceId::new(7));
const USER: AuditEntity = AuditEntity::User(UserId::new(7));

/// An entry of this author, who identifies it, at this second.
fn entry(entity: AuditEntity, author: i64, seconds: i64) -> NewAuditEntry {
    NewAuditEntry {
        author_id: Some(UserId::new(author)),
        entity,
        event_name: AuditEventName::MemberAdded,
        target: None,
        details: AuditDetails::default(),
        created_at: timestamp(seconds),
        impersonator_id: None,
    }
}

/// Inserts entries of four entities. The clock is set back after the fourth entry.
fn insert_various(tx: &mut dyn AccountWriteTx) -> Result<(), StoreError> {
    tx.insert_audit_entries(&[
        entry(PROJECT, 1, 10),
        entry(GROUP, 2, 20),
        entry(OTHER_PROJECT, 3, 30),
        entry(PROJECT, 4, 90),
        entry(USER, 5, 40),
        entry(PROJECT, 6, 50),
    ])
}

fn of(scope: AuditScope) -> AuditFilter {
    AuditFilter {
        scope,
        ..AuditFilter::default()
    }
}

fn between(scope: AuditScope, after: Option<i64>, before: Option<i64>) -> AuditFilter {
    AuditFilter {
        created_after: after.map(timestamp),
        created_before: before.map(timestamp),
        ..of(scope)
    }
}

/// Asserts that a filter lists the entries of these authors, newest first, with both kinds of pages and in both
/// directions.
#[track_caller]
fn check_list(store: &Accounts, filter: AuditFilter, expected: &[i64]) {
    let listed = store.query(move |tx| {
        let by_page = tx.list_audit_entries_by_page(&filter, page(1, 100))?;
        let slice = |sort| KeysetPage::new(100, sort);
        let newest = tx.list_audit_entries(&filter, None, slice(SortOrder::Descending))?;
        let oldest = tx.list_audit_entries(&filter, None, slice(SortOrder::Ascending))?;
        let oldest = oldest.items.into_iter().rev().collect();
        Ok((by_page.total, [by_page.items, newest.items, oldest]))
    });
    let (total, lists) = listed.wait().unwrap();
    for listed in lists {
        let authors = listed.iter().filter_map(|entry| entry.author_id);
        let authors: Vec<i64> = authors.map(UserId::get).collect();
        assert_eq!(authors, expected, "{filter:?}");
    }
    let count = u64::try_from(expected.len()).unwrap();
    assert_eq!(total, Total::Exact(count), "{filter:?}");
}

pub(super) fn a44_audit_entries_are_listed_by_entity_kind_and_author(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    store.change(|tx| insert_various(tx)).wait().unwrap();
    let kind = |kind| of(AuditScope::Kind(kind));
    check_list(store, AuditFilter::default(), &[6, 5, 4, 3, 2, 1]);
    check_list(store, AuditFilter::of(PROJECT), &[6, 4, 1]);
    check_list(store, AuditFilter::of(OTHER_PROJECT), &[3]);
    check_list(store, AuditFilter::of(GROUP), &[2]);
    check_list(
        store,
        AuditFilter::of(AuditEntity::User(UserId::new(8))),
        &[],
    );
    check_list(store, kind(AuditEntityKind::Project), &[6, 4, 3, 1]);
    check_list(store, kind(AuditEntityKind::Group), &[2]);
    check_list(store, kind(AuditEntityKind::User), &[5]);
    let by = |author, filter| AuditFilter {
        author_id: Some(UserId::new(author)),
        ..filter
    };
    check_list(store, by(4, AuditFilter::of(PROJECT)), &[4]);
    check_list(store, by(3, AuditFilter::of(PROJECT)), &[]);
    check_list(store, by(5, AuditFilter::default()), &[5]);
}

pub(super) fn a45_times_of_audit_entries_are_inclusive_and_keep_the_order_of_ids(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    store.change(|tx| insert_various(tx)).wait().unwrap();
    let all = |after, before| between(AuditScope::All, after, before);
    check_list(store, all(Some(30), None), &[6, 5, 4, 3]);
    check_list(store, all(Some(31), None), &[6, 5, 4]);
    check_list(store, all(None, Some(50)), &[6, 5, 3, 2, 1]);
    check_list(store, all(None, Some(49)), &[5, 3, 2, 1]);
    check_list(store, all(Some(20), Some(20)), &[2]);
    check_list(store, all(Some(21), Some(20)), &[]);
    let project = AuditScope::Entity(PROJECT);
    check_list(store, between(project, Some(50), None), &[6, 4]);
    check_list(store, between(project, Some(11), Some(89)), &[6]);
    let projects = AuditScope::Kind(AuditEntityKind::Project);
    check_list(store, between(projects, None, Some(30)), &[3, 1]);
    let by = AuditFilter {
        author_id: Some(UserId::new(3)),
        ..between(projects, None, Some(30))
    };
    check_list(store, by, &[3]);
}

pub(super) fn a46_pages_of_audit_entries_have_each_entry_once(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    store.change(|tx| insert_various(tx)).wait().unwrap();
    let filters = [
        of(AuditScope::Kind(AuditEntityKind::Project)),
        between(AuditScope::All, Some(20), Some(50)),
    ];
    for (filter, expected) in filters.into_iter().zip([[6, 4, 3, 1], [6, 5, 3, 2]]) {
        let listed = store.query(move |tx| {
            let (mut authors, mut last) = (Vec::new(), None);
            loop {
                let size = KeysetPage::new(1, SortOrder::Descending);
                let slice = tx.list_audit_entries(&filter, last, size)?;
                authors.extend(slice.items.iter().filter_map(|entry| entry.author_id));
                last = slice.items.last().map(|entry| entry.id);
                if !slice.has_next {
                    break;
                }
            }
            let mut by_page = Vec::new();
            for number in 1..=2 {
                let page = tx.list_audit_entries_by_page(&filter, page(number, 3))?;
                by_page.extend(page.items.iter().filter_map(|entry| entry.author_id));
            }
            Ok([authors, by_page])
        });
        for authors in listed.wait().unwrap() {
            let authors: Vec<i64> = authors.into_iter().map(UserId::get).collect();
            assert_eq!(authors, expected, "{filter:?}");
        }
    }
}

pub(super) fn a47_an_audit_entry_is_found_by_its_id(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    store.change(|tx| insert_various(tx)).wait().unwrap();
    let found = store.query(|tx| {
        let all = KeysetPage::new(100, SortOrder::Descending);
        let listed = tx.list_audit_entries(&AuditFilter::default(), None, all)?;
        let ids = listed.items.iter().map(|entry| entry.id);
        let found = ids.map(|id| tx.find_audit_entry(id));
        let found = found.collect::<Result<Vec<_>, StoreError>>()?;
        let unknown = tx.find_audit_entry(AuditEntryId::new(i64::MAX))?;
        Ok((listed.items, found, unknown))
    });
    let (listed, found, unknown) = found.wait().unwrap();
    let found: Vec<_> = found.into_iter().flatten().collect();
    assert_eq!(found, listed);
    assert_eq!(unknown, None);
}
