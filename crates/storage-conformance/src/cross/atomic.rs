//! Atomicity across crates.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use alert_intake::model::AlertFilter;
use api_conventions::ids::{AlertIid, ProjectId, UserId};
use api_conventions::reference::{FullPath, ProjectRef};
use events::{Action, Audience, EventFilter, FeedRights, NewEvent};
use storage::{StoreError, StoreExt as _};

use crate::areas::{AreaHarness, Everything};
use crate::complete::CompleteWriteTx;
use crate::probe_rows::refusal;
use crate::samples::{SetOnDrop, page, timestamp};
use crate::{accounts, alerts, projects};

/// Writes a user, a project, an alert in it and the feed entry about the alert.
fn write_one_of_each(tx: &mut dyn CompleteWriteTx) -> Result<ProjectId, StoreError> {
    let ann = accounts::insert(tx, &accounts::user("writer"))?;
    let group = projects::insert_namespace(tx, &projects::group("written", ann))?;
    let project = projects::insert_project(tx, &projects::project(&group, "thing", ann))?;
    alerts::insert(tx, vec![alerts::alert(project.id, 1)])?;
    tx.insert_events(&[entry(project.id, ann)])?;
    Ok(project.id)
}

fn entry(project_id: ProjectId, author_id: UserId) -> NewEvent {
    NewEvent {
        project_id,
        author_id,
        action: Action::Created,
        target: None,
        audience: Audience::Everyone,
        push: None,
        created_at: timestamp(0),
    }
}

fn project() -> ProjectRef {
    ProjectRef::Path(FullPath::parse("written/thing").unwrap())
}

pub(super) fn x01_rows_of_several_crates_commit_together(harness: &mut AreaHarness<Everything>) {
    let store = harness.store();
    let written = store.change(|tx| write_one_of_each(tx));
    let id = written.wait().unwrap();
    let seen = store.query(move |tx| {
        assert!(tx.find_user_by_username("writer")?.is_some());
        assert!(tx.find_project(&project())?.is_some());
        assert!(tx.find_alert(id, AlertIid::new(1))?.is_some());
        let filter = EventFilter::new(id, FeedRights::LEAST);
        tx.list_project_events(&filter, page(1, 20))
    });
    assert_eq!(seen.wait().unwrap().items.len(), 1);
}

pub(super) fn x02_rows_of_several_crates_are_undone_together(
    harness: &mut AreaHarness<Everything>,
) {
    let store = harness.store();
    let refused = store.change(|tx| {
        write_one_of_each(tx)?;
        Err::<(), _>(refusal())
    });
    assert!(refused.wait().is_err());
    let seen = store.query(|tx| {
        assert_eq!(tx.find_user_by_username("writer")?, None);
        tx.find_project(&project())
    });
    assert_eq!(seen.wait().unwrap(), None);
    // The same rows can be written again.
    store.change(|tx| write_one_of_each(tx)).wait().unwrap();
}

pub(super) fn x03_no_reader_sees_the_rows_of_one_crate_without_the_other(
    harness: &mut AreaHarness<Everything>,
) {
    let [place, _] = harness.places();
    let [ann, ..] = harness.people();
    let store = harness.store();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        // The flag is also raised when a write fails; otherwise the reader would never end.
        let raised = SetOnDrop(&done);
        let reader = scope.spawn(|| {
            while !done.load(Ordering::Acquire) {
                let seen = store.query(move |tx| {
                    let alerts = tx.list_alerts(&AlertFilter::new(place), page(1, 1))?.total;
                    let filter = EventFilter::new(place, FeedRights::LEAST);
                    Ok((alerts, tx.list_project_events(&filter, page(1, 1))?.total))
                });
                let (alerts, entries) = seen.wait().unwrap();
                assert_eq!(
                    alerts, entries,
                    "an alert and its entry are committed together"
                );
            }
        });
        for number in 0..40 {
            let written = store.change(move |tx| {
                alerts::insert(tx, vec![alerts::alert(place, number)])?;
                tx.insert_events(&[entry(place, ann)])
            });
            written.wait().unwrap();
        }
        drop(raised);
        reader.join().unwrap();
    });
}
