//! Renamed and moved projects and groups, and redirects of their old paths. Numbers of open issues in listed projects.

use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::reference::{FullPath, ProjectRef};
use projects::{
    Closing, Namespace, NewDeletion, OpenIssues, ProjectQueries, ProjectWriteTx, RedirectTarget,
};
use storage::{StoreError, StoreExt as _};

use super::changes::change;
use super::groups::{below, change as change_group};
use super::stored_issue::issue;
use super::{group, insert_namespace, insert_project, project};
use crate::areas::{AreaHarness, Projects};
use crate::samples::timestamp;

fn find_redirect(
    tx: &mut (impl ProjectQueries + ?Sized),
    path: &str,
) -> Result<Option<RedirectTarget>, StoreError> {
    tx.find_redirect(&FullPath::parse(path).unwrap())
}

fn rename(tx: &mut dyn ProjectWriteTx, id: ProjectId, path: &str) -> Result<(), StoreError> {
    change(tx, id, |one| path.clone_into(&mut one.content.path)).map(drop)
}

pub(super) fn p92_an_old_project_path_redirects_until_deletion_or_reuse(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ..] = harness.people();
    let done = harness.store().change(move |tx| {
        let top = insert_namespace(tx, &group("top", ann))?;
        let other = insert_namespace(tx, &group("other", ann))?;
        let target = insert_project(tx, &project(&top, "One", ann))?.id;
        assert_eq!(find_redirect(tx, "top/one")?, None, "the row exists");
        rename(tx, target, "two")?;
        rename(tx, target, "three")?;
        change(tx, target, |one| one.namespace = other.clone())?;
        let its = Some(RedirectTarget::Project(target));
        for path in ["top/ONE", "top/two", "top/three"] {
            assert_eq!(find_redirect(tx, path)?, its, "{path}");
        }
        assert_eq!(find_redirect(tx, "other/three")?, None);
        assert_eq!(find_redirect(tx, "top/four")?, None);
        // A change of case adds no redirect. A move back takes the old path again.
        rename(tx, target, "Three")?;
        assert_eq!(find_redirect(tx, "other/three")?, None);
        change(tx, target, |one| one.namespace = top.clone())?;
        assert_eq!(find_redirect(tx, "top/three")?, None);
        assert_eq!(find_redirect(tx, "other/three")?, its);
        // Other projects take old paths: when they are created, and when they are renamed. They do not return them.
        let next = insert_project(tx, &project(&top, "one", ann))?.id;
        assert_eq!(find_redirect(tx, "top/one")?, None);
        rename(tx, next, "TWO")?;
        assert_eq!(
            find_redirect(tx, "top/one")?,
            Some(RedirectTarget::Project(next))
        );
        rename(tx, next, "five")?;
        assert_eq!(
            find_redirect(tx, "top/two")?,
            Some(RedirectTarget::Project(next))
        );
        let found = tx.list_projects_by_id(&[next, ProjectId::new(i64::MAX)])?;
        assert_eq!(found.len(), 1);
        assert_eq!(
            found.first(),
            tx.find_project(&ProjectRef::Id(next))?.as_ref()
        );
        let deletion = NewDeletion {
            requested_by: ann,
            requested_at: timestamp(0),
            due_at: timestamp(1),
        };
        let locked = tx.lock_project(next, &[])?.unwrap();
        tx.schedule_project_deletion(locked, &deletion)?;
        assert_eq!(
            find_redirect(tx, "top/one")?,
            None,
            "it is pending deletion"
        );
        assert_eq!(tx.list_projects_by_id(&[next])?, []);
        while tx.delete_rows_of_project(next, 9)? > 0 {}
        assert_eq!(find_redirect(tx, "top/two")?, None, "it was deleted");
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn p93_a_renamed_group_leaves_the_paths_of_everything_below_it(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ..] = harness.people();
    let done = harness.store().change(move |tx| {
        let top = insert_namespace(tx, &group("old", ann))?;
        let inner = below(
            &top,
            "sub",
            api_conventions::access::Visibility::Public,
            ann,
        );
        let inner = insert_namespace(tx, &inner)?;
        let target = insert_project(tx, &project(&inner, "thing", ann))?.id;
        let apart = insert_namespace(tx, &group("older", ann))?;
        insert_project(tx, &project(&apart, "thing", ann))?;
        change_group(tx, top.id, None, |one| one.path = "new".to_owned())?.unwrap();
        let expect = |tx: &mut dyn ProjectWriteTx, path: &str, expected: Option<RedirectTarget>| {
            assert_eq!(find_redirect(tx, path)?, expected, "{path}");
            Ok::<_, StoreError>(())
        };
        let namespace = |id: NamespaceId| Some(RedirectTarget::Namespace(id));
        expect(tx, "OLD", namespace(top.id))?;
        expect(tx, "old/sub", namespace(inner.id))?;
        expect(tx, "old/sub/thing", Some(RedirectTarget::Project(target)))?;
        for path in ["new", "new/sub", "new/sub/thing", "older", "older/thing"] {
            expect(tx, path, None)?;
        }
        // The subgroup moves away, and another group takes the first path.
        let apart: Namespace = tx.find_namespace_by_id(apart.id)?.unwrap();
        change_group(tx, inner.id, Some(&apart), |_| {})?.unwrap();
        expect(tx, "new/sub/thing", Some(RedirectTarget::Project(target)))?;
        expect(tx, "old/sub/thing", Some(RedirectTarget::Project(target)))?;
        insert_namespace(tx, &group("Old", ann))?;
        expect(tx, "old", None)?;
        expect(tx, "old/sub", namespace(inner.id))
    });
    done.wait().unwrap();
}

pub(super) fn i17_open_issues_are_counted_with_every_change(harness: &mut AreaHarness<Projects>) {
    let [ann, ..] = harness.people();
    let done = harness.store().change(move |tx| {
        let top = insert_namespace(tx, &group("top", ann))?;
        let one = insert_project(tx, &project(&top, "one", ann))?.id;
        let other = insert_project(tx, &project(&top, "other", ann))?.id;
        let mut secret = issue(one, "secret");
        secret.body.content.confidential = true;
        let mut closed = secret.clone();
        let closing = Closing {
            at: timestamp(1),
            by: UserId::new(7),
        };
        closed.body.closing = Some(closing);
        let open = tx.insert_issue(&issue(one, "open"))?;
        let secret = tx.insert_issue(&secret)?;
        let closed = tx.insert_issue(&closed)?;
        let expect = |tx: &mut dyn ProjectWriteTx, all, confidential| {
            let unknown = ProjectId::new(i64::MAX);
            let mut counts = tx.count_open_issues(&[other, unknown, one])?;
            counts.sort_unstable_by_key(|(project, _)| *project != one);
            let its = OpenIssues { all, confidential };
            assert_eq!(counts, [(one, its), (other, OpenIssues::default())]);
            Ok::<_, StoreError>(())
        };
        expect(tx, 2, 1)?;
        let edit =
            |tx: &mut dyn ProjectWriteTx, found: &projects::Issue, is_open: bool, is_secret| {
                let locked = tx.lock_issue(one, found.iid)?.unwrap();
                let mut body = locked.body.clone();
                body.closing = (!is_open).then_some(closing);
                body.content.confidential = is_secret;
                tx.update_issue(locked, body, timestamp(2)).map(drop)
            };
        edit(tx, &open, true, true)?;
        expect(tx, 2, 2)?;
        edit(tx, &secret, false, true)?;
        expect(tx, 1, 1)?;
        edit(tx, &closed, true, false)?;
        expect(tx, 2, 1)?;
        for (found, left) in [(&closed, (1, 1)), (&secret, (1, 1)), (&open, (0, 0))] {
            let locked = tx.lock_issue(one, found.iid)?.unwrap();
            tx.delete_issue(locked)?;
            expect(tx, left.0, left.1)?;
        }
        Ok(())
    });
    done.wait().unwrap();
}
