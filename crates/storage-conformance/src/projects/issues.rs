//! Promises about issues beyond those of every entity: numbers, visibility, labels and milestones.

use std::collections::BTreeSet;

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::{IssueIid, LabelId, MilestoneId, ProjectId, UserId};
use api_conventions::page::Total;
use projects::{
    Closing, Issue, IssueCounts, IssueFilter, IssueScope, LabelContent, MemberSource,
    MilestoneContent, Namespace, NewMember, NewNamespace, NewProject, ProjectRepository,
    ProjectWriteTx, Viewer,
};
use records::{NewRecord, RecordRepository, SaveRecord};
use storage::{StoreError, StoreExt as _};

use super::stored_issue::{issue, of_project};
use super::{give, group, insert_namespace, insert_project, project};
use crate::areas::{AreaHarness, Projects};
use crate::samples::{page, race, timestamp, unexpected_conflict};

/// Number of racing issues.
const RACERS: i64 = 16;

/// Lists the matching issues by title. The count by states must agree with the list.
pub(super) fn titles(store: &Projects, filter: &IssueFilter) -> Vec<String> {
    let filter = filter.clone();
    let today = timestamp(0).date();
    let listed = store.query(move |tx| {
        let listed = tx.list_issues(&filter, today, page(1, 100))?;
        Ok((listed, tx.count_issues(&filter, today)?))
    });
    let (listed, counts) = listed.wait().unwrap();
    let open = |issue: &&Issue| issue.body.closing.is_none();
    let total = u64::try_from(listed.items.len()).unwrap();
    let opened = u64::try_from(listed.items.iter().filter(open).count()).unwrap();
    let closed = total - opened;
    assert_eq!(listed.total, Total::Exact(total));
    assert_eq!(counts, IssueCounts { opened, closed });
    let titles = listed.items.into_iter();
    titles.map(|issue| issue.body.content.title).collect()
}

/// A label of a project.
pub(super) fn label(
    tx: &mut dyn ProjectWriteTx,
    project: ProjectId,
    title: &str,
) -> Result<LabelId, StoreError> {
    let content = LabelContent {
        title: title.to_owned(),
        color: "#aabbcc".to_owned(),
        ..LabelContent::default()
    };
    match tx.insert_record(&NewRecord::new(project, content, timestamp(0)))? {
        SaveRecord::Saved(label) => Ok(label.id),
        SaveRecord::Conflict => Err(unexpected_conflict("insert a label", title)),
    }
}

/// A milestone of a project.
pub(super) fn milestone(
    tx: &mut dyn ProjectWriteTx,
    project: ProjectId,
    title: &str,
) -> Result<MilestoneId, StoreError> {
    let content = MilestoneContent {
        title: title.to_owned(),
        ..MilestoneContent::default()
    };
    match tx.insert_record(&NewRecord::new(project, content, timestamp(0)))? {
        SaveRecord::Saved(milestone) => Ok(milestone.id),
        SaveRecord::Conflict => Err(unexpected_conflict("insert a milestone", title)),
    }
}

pub(super) fn i10_numbers_have_no_gaps_under_load(harness: &mut AreaHarness<Projects>) {
    let [one, other] = harness.places();
    let store = harness.store();
    let raced = race(usize::try_from(RACERS).unwrap(), |racer| {
        let fails = racer.is_multiple_of(4);
        let written = store.change(move |tx| {
            let created = tx.insert_issue(&issue(one, "raced"))?;
            if fails {
                return Err(unexpected_conflict(
                    "insert an issue",
                    "rolled back on purpose",
                ));
            }
            Ok(created.iid.get())
        });
        written.wait().ok()
    });
    let mut numbers: Vec<i64> = raced.into_iter().flatten().collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=RACERS * 3 / 4).collect::<Vec<i64>>());
    let written = store.change(move |tx| {
        let last = tx.insert_issue(&issue(one, "last"))?;
        let locked = tx.lock_issue(one, last.iid)?.unwrap();
        tx.delete_issue(locked)?;
        let next = tx.insert_issue(&issue(one, "next"))?.iid.get();
        let elsewhere = tx.insert_issue(&issue(other, "elsewhere"))?.iid.get();
        Ok([last.iid.get(), next, elsewhere])
    });
    assert_eq!(written.wait().unwrap(), [13, 14, 1]);
}

pub(super) fn i18_numbers_that_are_left_out_are_never_given(harness: &mut AreaHarness<Projects>) {
    let [one, other] = harness.places();
    let skip = |through, fails: bool| {
        let skipped = harness.store().change(move |tx| {
            tx.skip_issue_numbers(one, IssueIid::new(through))?;
            if fails {
                return Err(unexpected_conflict(
                    "skip numbers",
                    "rolled back on purpose",
                ));
            }
            Ok(())
        });
        skipped.wait().is_ok()
    };
    let next = |project| {
        let created = harness
            .store()
            .change(move |tx| tx.insert_issue(&issue(project, "next")));
        created.wait().unwrap().iid.get()
    };
    assert!(!skip(90, true));
    assert_eq!(next(one), 1);
    assert!(skip(6, false));
    assert_eq!([next(one), next(other), next(one)], [7, 1, 8]);
    // A bound at or below the last number changes nothing.
    for through in [-1, 0, 3, 8] {
        assert!(skip(through, false));
    }
    assert_eq!(next(one), 9);
    let great = i64::from(i32::MAX);
    assert!(skip(great, false));
    assert_eq!(next(one), great + 1);
}

pub(super) fn i11_concurrent_changes_of_one_issue_are_all_applied(
    harness: &mut AreaHarness<Projects>,
) {
    let [one, _] = harness.places();
    let store = harness.store();
    let created = store.change(move |tx| tx.insert_issue(&issue(one, "")));
    let iid = created.wait().unwrap().iid;
    let raced = race(usize::try_from(RACERS).unwrap(), |racer| {
        let user = UserId::new(i64::try_from(racer).unwrap());
        let changed = store.change(move |tx| {
            let locked = tx.lock_issue(one, iid)?.unwrap();
            let mut body = locked.body.clone();
            body.content.title.push('+');
            body.assignees.insert(user);
            tx.update_issue(locked, body, timestamp(1))
        });
        changed.wait().is_ok()
    });
    assert!(raced.into_iter().all(|done| done));
    let found = store.query(move |tx| tx.find_issue(one, iid));
    let found = found.wait().unwrap().unwrap();
    assert_eq!(found.body.content.title, "+".repeat(16));
    assert_eq!(found.body.assignees.len(), 16);
}

pub(super) fn i12_deleting_a_label_or_milestone_removes_it_from_its_issues(
    harness: &mut AreaHarness<Projects>,
) {
    let [one, _] = harness.places();
    let store = harness.store();
    let written = store.change(move |tx| {
        let labels = [label(tx, one, "bug")?, label(tx, one, "docs")?];
        let milestones = [milestone(tx, one, "1.0")?, milestone(tx, one, "2.0")?];
        let mut created = Vec::new();
        for milestone_id in milestones {
            let mut new = issue(one, "has all");
            new.body.labels = labels.into();
            new.body.milestone_id = Some(milestone_id);
            created.push(tx.insert_issue(&new)?);
        }
        let found = [
            tx.find_issue(one, created[0].iid)?,
            tx.find_issue(one, created[1].iid)?,
        ];
        assert_eq!(found, [Some(created[0].clone()), Some(created[1].clone())]);
        let by_title = tx.list_labels_by_title(one, &["docs".to_owned(), "Bug".to_owned()])?;
        assert_eq!(
            by_title.iter().map(|label| label.id).collect::<Vec<_>>(),
            [labels[1]]
        );
        let by_id = tx.list_labels_by_id(&[labels[0], LabelId::new(i64::MAX)])?;
        assert_eq!(
            by_id.iter().map(|label| label.id).collect::<Vec<_>>(),
            [labels[0]]
        );
        let by_id = tx.list_milestones_by_id(&[milestones[1]])?;
        assert_eq!(
            by_id.iter().map(|one| one.id).collect::<Vec<_>>(),
            [milestones[1]]
        );
        Ok((created, labels, milestones))
    });
    let (created, labels, milestones) = written.wait().unwrap();
    let deleted = store.change(move |tx| {
        let repository: &mut dyn RecordRepository<LabelContent> = tx;
        let locked = repository.lock_record(one, labels[0])?.unwrap();
        repository.delete_record(locked)?;
        let repository: &mut dyn RecordRepository<MilestoneContent> = tx;
        let locked = repository.lock_record(one, milestones[0])?.unwrap();
        repository.delete_record(locked).map(drop)
    });
    deleted.wait().unwrap();
    for (mut expected, milestone_id) in created.into_iter().zip([None, Some(milestones[1])]) {
        expected.body.labels = BTreeSet::from([labels[1]]);
        expected.body.milestone_id = milestone_id;
        let iid = expected.iid;
        let found = store.query(move |tx| tx.find_issue(one, iid));
        assert_eq!(found.wait().unwrap(), Some(expected));
    }
}

pub(super) fn i13_issues_are_counted_by_label(harness: &mut AreaHarness<Projects>) {
    let [one, _] = harness.places();
    let counted = harness.store().change(move |tx| {
        let labels = [
            label(tx, one, "bug")?,
            label(tx, one, "docs")?,
            label(tx, one, "none")?,
        ];
        for (number, has) in [&labels[..2], &labels[..1], &labels[..1]]
            .into_iter()
            .enumerate()
        {
            let mut new = issue(one, "labelled");
            new.body.labels = has.iter().copied().collect();
            new.body.content.confidential = number == 1;
            new.body.closing = (number == 2).then_some(Closing {
                at: timestamp(0),
                by: UserId::new(1),
            });
            tx.insert_issue(&new)?;
        }
        let place = IssueScope::Project {
            id: one,
            sees_confidential: false,
        };
        let some = IssueFilter::new(place, Viewer::Anonymous);
        let today = timestamp(0).date();
        let mut counts = Vec::new();
        for filter in [of_project(one), some] {
            let mut by_label = tx.count_issues_by_label(&filter, &labels, today)?;
            by_label.sort_by_key(|(label, _)| *label);
            counts.push(by_label);
        }
        Ok((labels, counts))
    });
    let (labels, counts) = counted.wait().unwrap();
    let count = |opened, closed| IssueCounts { opened, closed };
    let expected = [
        [(labels[0], count(2, 1)), (labels[1], count(1, 0))],
        [(labels[0], count(1, 1)), (labels[1], count(1, 0))],
    ];
    assert_eq!(counts, expected);
}

/// A private, an internal and a public project: the first in a group, the others in a subgroup of it.
fn places(
    tx: &mut dyn ProjectRepository,
    owner: UserId,
) -> Result<([Namespace; 2], [ProjectId; 3]), StoreError> {
    let top = insert_namespace(tx, &group("issues-top", owner))?;
    let sub = NewNamespace {
        parent: Some(top.clone()),
        ..group("issues-sub", owner)
    };
    let sub = insert_namespace(tx, &sub)?;
    let mut projects = Vec::new();
    for (namespace, visibility) in [
        (&top, Visibility::Private),
        (&sub, Visibility::Internal),
        (&sub, Visibility::Public),
    ] {
        let new = NewProject {
            visibility,
            ..project(namespace, visibility.as_str(), owner)
        };
        projects.push(insert_project(tx, &new)?.id);
    }
    Ok(([top, sub], [projects[0], projects[1], projects[2]]))
}

/// An ordinary and a confidential issue of each project.
fn insert_pairs(
    tx: &mut dyn ProjectWriteTx,
    projects: [ProjectId; 3],
    concerned: UserId,
) -> Result<(), StoreError> {
    let places = ["private", "internal", "public"].into_iter().zip(projects);
    for (name, project) in places {
        tx.insert_issue(&issue(project, name))?;
        let mut secret = issue(project, &format!("{name} secret"));
        secret.body.content.confidential = true;
        tx.insert_issue(&secret)?;
    }
    let mut own = issue(projects[2], "own secret");
    own.author_id = concerned;
    own.body.content.confidential = true;
    tx.insert_issue(&own)?;
    let mut assigned = issue(projects[2], "assigned secret");
    assigned.body.assignees = BTreeSet::from([UserId::new(77), concerned]);
    assigned.body.content.confidential = true;
    tx.insert_issue(&assigned).map(drop)
}

pub(super) fn i14_a_viewer_lists_exactly_the_visible_issues(harness: &mut AreaHarness<Projects>) {
    let [ann, ben, cora] = harness.people();
    let store = harness.store();
    let created = store.change(move |tx| {
        let (groups, projects) = places(tx, ann)?;
        insert_pairs(tx, projects, cora)?;
        let member = |level| NewMember {
            user_id: ben,
            level,
            expires_on: None,
            created_by: None,
            created_at: timestamp(0),
        };
        let [_, sub] = &groups;
        let guest = member(AccessLevel::Guest);
        give(tx, MemberSource::Project(projects[0]), &guest)?;
        let reporter = member(AccessLevel::Reporter);
        give(tx, MemberSource::Namespace(sub.id), &reporter)?;
        Ok((groups, projects))
    });
    let (groups, projects) = created.wait().unwrap();
    let [top, sub] = groups.map(|group| IssueScope::Group(group.id));
    let in_public = |sees_confidential| IssueScope::Project {
        id: projects[2],
        sees_confidential,
    };
    let of_sub = [
        "internal",
        "internal secret",
        "public",
        "public secret",
        "own secret",
        "assigned secret",
    ];
    let all = [&["private", "private secret"][..], &of_sub].concat();
    let ben_sees = [&["private"][..], &of_sub].concat();
    let cora_sees = vec!["internal", "public", "own secret", "assigned secret"];
    let everywhere = IssueScope::Everywhere;
    for (viewer, place, expected) in [
        (Viewer::Anonymous, everywhere, vec!["public"]),
        (Viewer::Anonymous, top, vec!["public"]),
        (Viewer::Anonymous, in_public(false), vec!["public"]),
        (Viewer::User(cora), everywhere, cora_sees.clone()),
        (Viewer::User(cora), top, cora_sees),
        (
            Viewer::User(cora),
            in_public(false),
            vec!["public", "own secret", "assigned secret"],
        ),
        (Viewer::User(ben), in_public(true), of_sub[2..].to_vec()),
        (Viewer::User(ben), everywhere, ben_sees.clone()),
        (Viewer::User(ben), top, ben_sees),
        (Viewer::User(ben), sub, of_sub.to_vec()),
        (Viewer::User(ann), everywhere, all.clone()),
        (Viewer::Administrator(cora), everywhere, all),
        (Viewer::Administrator(cora), sub, of_sub.to_vec()),
    ] {
        let mut found = titles(store, &IssueFilter::new(place, viewer));
        found.reverse();
        assert_eq!(found, expected, "{viewer:?} {place:?}");
    }
}
