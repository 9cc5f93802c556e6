//! Deletions of images in a container registry, and the image repositories of a group.

use api_conventions::page::OffsetPage;
use projects::{
    ImageCleanup, ImageSelection, NewDeletion, NewImageRepository, NewNamespace, TagRule,
};
use storage::StoreExt as _;

use super::{group, insert_namespace, insert_project, project};
use crate::areas::{AreaHarness, Projects};
use crate::samples::{HOSTILE, race, timestamp};

/// Threads that race for one deletion.
const THREADS: usize = 8;

fn cleanup(name: &str, due_at: i64) -> ImageCleanup {
    ImageCleanup {
        name: name.to_owned(),
        selection: ImageSelection::All,
        requested_at: timestamp(0),
        due_at: Some(timestamp(due_at)),
    }
}

pub(super) fn g09_a_deletion_of_images_comes_back_in_place_of_the_previous_one(
    harness: &mut AreaHarness<Projects>,
) {
    let done = harness.store().change(|tx| {
        let rule = TagRule {
            delete_pattern: HOSTILE.to_owned(),
            keep_pattern: Some(".*".to_owned()),
            keep_newest: Some(u32::MAX),
            older_than_seconds: Some(i64::MAX),
        };
        let all = cleanup(HOSTILE, 5);
        let by_rule = ImageCleanup {
            selection: ImageSelection::Rule(rule),
            requested_at: timestamp(9),
            due_at: None,
            ..all.clone()
        };
        let plain = ImageCleanup {
            selection: ImageSelection::Rule(TagRule {
                delete_pattern: String::new(),
                keep_pattern: None,
                keep_newest: None,
                older_than_seconds: None,
            }),
            ..all.clone()
        };
        let other = cleanup("other", 7);
        tx.put_image_cleanup(&other)?;
        for next in [all.clone(), by_rule, plain, all] {
            tx.put_image_cleanup(&next)?;
            assert_eq!(tx.find_image_cleanup(HOSTILE)?, Some(next));
        }
        assert_eq!(tx.find_image_cleanup("other")?, Some(other));
        assert_eq!(tx.find_image_cleanup("unknown")?, None);
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn g10_the_deletion_of_images_that_is_due_first_is_found(
    harness: &mut AreaHarness<Projects>,
) {
    let done = harness.store().change(|tx| {
        for (name, due_at) in [("late", 9), ("first", 3), ("second", 3)] {
            tx.put_image_cleanup(&cleanup(name, due_at))?;
        }
        let complete = ImageCleanup {
            due_at: None,
            ..cleanup("complete", 0)
        };
        tx.put_image_cleanup(&complete)?;
        assert_eq!(tx.find_due_image_cleanup(timestamp(2))?, None);
        for expected in ["first", "second", "late"] {
            let due = tx.find_due_image_cleanup(timestamp(9))?.unwrap();
            assert_eq!(due.name, expected);
            assert!(tx.reschedule_image_cleanup(&due, None)?);
        }
        assert_eq!(tx.find_due_image_cleanup(timestamp(99))?, None);
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn g11_one_of_many_racing_transactions_reschedules_a_deletion_of_images(
    harness: &mut AreaHarness<Projects>,
) {
    let store = harness.store();
    let put = store.change(|tx| tx.put_image_cleanup(&cleanup("a/b", 5)));
    put.wait().unwrap();
    let won = race(THREADS, |_| {
        let changed =
            store.change(|tx| tx.reschedule_image_cleanup(&cleanup("a/b", 5), Some(timestamp(8))));
        changed.wait().unwrap()
    });
    assert_eq!(won.into_iter().filter(|won| *won).count(), 1);
    let done = store.change(|tx| {
        assert_eq!(tx.find_image_cleanup("a/b")?, Some(cleanup("a/b", 8)));
        let other = cleanup("other", 8);
        assert!(!tx.reschedule_image_cleanup(&other, None)?);
        assert!(tx.reschedule_image_cleanup(&cleanup("a/b", 8), None)?);
        let complete = ImageCleanup {
            due_at: None,
            ..cleanup("a/b", 0)
        };
        assert!(tx.reschedule_image_cleanup(&complete, Some(timestamp(4)))?);
        assert_eq!(tx.find_image_cleanup("a/b")?, Some(cleanup("a/b", 4)));
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn g12_a_deletion_of_images_is_deleted_once(harness: &mut AreaHarness<Projects>) {
    let done = harness.store().change(|tx| {
        for name in ["a", "b"] {
            tx.put_image_cleanup(&cleanup(name, 1))?;
        }
        assert!(tx.delete_image_cleanup("a")?);
        assert!(!tx.delete_image_cleanup("a")?);
        assert_eq!(tx.find_image_cleanup("a")?, None);
        assert!(tx.find_image_cleanup("b")?.is_some());
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn g13_the_list_of_a_group_holds_the_image_repositories_of_its_projects_at_any_depth(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ..] = harness.people();
    let done = harness.store().change(move |tx| {
        let top = insert_namespace(tx, &group("top", ann))?;
        let sub = NewNamespace {
            parent: Some(top.clone()),
            ..group("sub", ann)
        };
        let sub = insert_namespace(tx, &sub)?;
        let other = insert_namespace(tx, &group("other", ann))?;
        let inner = insert_project(tx, &project(&sub, "inner", ann))?;
        let outer = insert_project(tx, &project(&top, "outer", ann))?;
        let deleted = insert_project(tx, &project(&top, "deleted", ann))?;
        let foreign = insert_project(tx, &project(&other, "foreign", ann))?;
        let mut names = Vec::new();
        for (round, of) in [&outer, &inner, &deleted, &foreign, &outer, &inner]
            .into_iter()
            .enumerate()
        {
            let name = format!("{}/{round}", of.path.as_str());
            tx.put_image_repository(&NewImageRepository {
                project_id: of.id,
                name: name.clone(),
                created_at: timestamp(0),
            })?;
            names.push(name);
        }
        let locked = tx.lock_project(deleted.id, &[])?.unwrap();
        let deletion = NewDeletion {
            requested_by: ann,
            requested_at: timestamp(1),
            due_at: timestamp(9),
        };
        tx.schedule_project_deletion(locked, &deletion)?;
        // By project, then by id.
        let expected = ["inner/1", "inner/5", "outer/0", "outer/4"];
        let mut listed = Vec::new();
        for number in 1..=2 {
            let page = OffsetPage::new(number, 2);
            let page = tx.list_image_repositories_of_group(top.id, page)?;
            listed.extend(page.items.into_iter().map(|one| one.name));
        }
        assert_eq!(listed, expected);
        let below = tx.list_image_repositories_of_group(sub.id, OffsetPage::new(1, 9))?;
        let below: Vec<String> = below.items.into_iter().map(|one| one.name).collect();
        assert_eq!(below, expected[..2]);
        Ok(())
    });
    done.wait().unwrap();
}
