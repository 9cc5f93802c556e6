//! The error as an entity.

use api_conventions::ids::{ErrorId, IssueId, ProjectId, UserId};
use api_conventions::page::{KeysetPage, KeysetSlice};
use api_conventions::time::Timestamp;
use error_tracking::model::{ErrorFacts, ErrorFilter, ErrorState, Level, TrackedError};
use error_tracking::rules::status::{IgnoreLimits, Resolution, Status};
use error_tracking::store::{ErrorReadTx, ErrorWriteTx, NewError, NewErrorKey};
use storage::{Locked, StoreError};

use super::{explanation, facts, insert, key, new_error};
use crate::areas::Errors;
use crate::entity::KeysetEntity;
use crate::entity::declare::entity;
use crate::samples::{HOSTILE, timestamp};

/// An error with edge-case text in every field, first seen at this time.
fn edge(project: ProjectId, number: u32, text: &str, first_seen: Timestamp) -> NewError {
    NewError {
        facts: ErrorFacts {
            title: text.to_owned(),
            culprit: text.to_owned(),
            location: Some(text.to_owned()),
            level: Level::Fatal,
            platform: text.to_owned(),
        },
        release: Some(text.to_owned()),
        first_seen,
        key: NewErrorKey {
            key: key(number),
            explanation: explanation(text),
        },
        ..new_error(project, number)
    }
}

/// An error with only the required fields.
fn bare(project: ProjectId) -> NewError {
    NewError {
        facts: ErrorFacts {
            location: None,
            level: Level::Debug,
            ..facts("bare")
        },
        ..new_error(project, 1002)
    }
}

/// A state with another value in every field for each number.
fn state(number: u32) -> ErrorState {
    let status = match number % 3 {
        0 => Status::Unresolved,
        1 => Status::Resolved(Resolution::InRelease(HOSTILE.to_owned())),
        _ => Status::Ignored(IgnoreLimits {
            time: Some(timestamp(number.into())),
            events: Some(number.into()),
            users: None,
        }),
    };
    ErrorState {
        status,
        assignee_id: Some(UserId::new(number.into())),
        issue_id: Some(IssueId::new(number.into())),
    }
}

/// Locks the error with this id, or returns `None` if another project has it.
fn locked(
    tx: &mut (dyn ErrorWriteTx + '_),
    project: ProjectId,
    id: ErrorId,
) -> Result<Option<Locked<TrackedError>>, StoreError> {
    let Some(found) = tx.find_error_by_id(id)? else {
        return Ok(None);
    };
    // Another project may have a different error with this number.
    let locked = tx.lock_error(project, found.iid)?;
    Ok(locked.filter(|error| error.id == id))
}

entity! {
    /// An error. It is looked up by its id and by its number, which must give the same row.
    StoredError in Errors, of ProjectId: NewError => TrackedError;
    owners: |harness| harness.places();
    key: |error| -> ErrorId { error.id }, unknown: ErrorId::new(i64::MAX);
    sample: |project, number| new_error(project, number);
    edges: |project| vec![
        edge(project, 1000, HOSTILE, Timestamp::MAX),
        edge(project, 1001, "", Timestamp::MIN),
        bare(project),
    ];
    insert: |tx, new| Ok(insert(tx, vec![new.clone()])?[0].error_id);
    find: |tx, project, id| {
        let Some(by_id) = tx.find_error_by_id(*id)? else { return Ok(None) };
        let by_number = tx.find_error(project, by_id.iid)?;
        let by_number = by_number.filter(|error| error.id == *id);
        Ok(by_number.inspect(|error| assert_eq!(*error, by_id)))
    }, by owner: true;
    expected: |new, found| TrackedError {
        id: found.id,
        iid: found.iid,
        project_id: new.project_id,
        state: ErrorState::default(),
        facts: new.facts.clone(),
        first_seen: new.first_seen,
        last_seen: new.first_seen,
        events: 0,
        users: 0,
        first_release: new.release.clone(),
        last_release: new.release.clone(),
        regressed_at: None,
    };
    list Descending: |tx, project, page| tx.list_errors(&ErrorFilter::new(project), page);
    ranked: |project, number, rank| NewError {
        first_seen: timestamp(rank.into()),
        ..new_error(project, number)
    };
    insert_many: |tx, new| insert(tx, new.to_vec()).map(drop);
    change: |tx, project, id, number| {
        let Some(locked) = locked(tx, project, *id)? else { return Ok(false) };
        let changed = Self::changed(&locked, number);
        let given = tx.update_error(locked, &state(number))?;
        assert_eq!(given, changed);
        Ok(true)
    };
    changed: |error, number| TrackedError { state: state(number), ..error.clone() };
    delete: |tx, project, id| {
        let Some(locked) = locked(tx, project, *id)? else { return Ok(false) };
        tx.delete_error(locked)?;
        Ok(true)
    };
    try_insert: |tx, new| Ok(Some(insert(tx, vec![new.clone()])?[0].error_id)), per owner: true;
    clashing: |project, number| NewError {
        facts: facts("another"),
        first_seen: timestamp(9),
        ..new_error(project, number)
    };
}

impl KeysetEntity for StoredError {
    fn walk(
        tx: &mut (dyn ErrorReadTx + '_),
        project: ProjectId,
        last: Option<&TrackedError>,
        page: KeysetPage,
    ) -> Result<KeysetSlice<TrackedError>, StoreError> {
        let beyond = last.map(|error| error.id);
        tx.list_errors_after(&ErrorFilter::new(project), beyond, page)
    }
}
