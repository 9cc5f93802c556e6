//! The filters and orders of lists of issues.

use std::collections::BTreeSet;

use api_conventions::ids::{IssueIid, MilestoneId, ProjectId, UserId};
use api_conventions::page::SortOrder;
use api_conventions::time::CalendarDate;
use projects::{
    AttributeFilter, Closing, DueFilter, IssueFilter, IssueKind, IssueOrder, IssueState, NewIssue,
};
use storage::{StoreError, StoreExt as _};

use super::issues::{label, milestone, titles};
use super::stored_issue::{issue, of_project};
use crate::areas::{AreaHarness, Projects};
use crate::samples::timestamp;

fn day(text: &str) -> Option<CalendarDate> {
    CalendarDate::parse(text)
}

/// Four issues: `a` has every field set, `b` half of them, `c` is closed, and `d` has none.
fn samples(
    tx: &mut dyn projects::ProjectWriteTx,
    project: ProjectId,
) -> Result<MilestoneId, StoreError> {
    let labels = [label(tx, project, "bug")?, label(tx, project, "docs, 50%")?];
    let [one, two] = [
        milestone(tx, project, "1.0")?,
        milestone(tx, project, "2.0")?,
    ];
    let mut a = issue(project, "a \u{c4}RGER 100%");
    a.author_id = UserId::new(1);
    a.body.labels = labels.into();
    a.body.milestone_id = Some(one);
    a.body.assignees = [1, 2].map(UserId::new).into();
    a.body.content.confidential = true;
    a.body.content.kind = IssueKind::Incident;
    a.body.content.due_date = day("2024-02-29");
    let mut b = issue(project, "b");
    b.author_id = UserId::new(2);
    b.created_at = timestamp(10);
    b.body.labels = BTreeSet::from([labels[0]]);
    b.body.milestone_id = Some(two);
    b.body.assignees = BTreeSet::from([UserId::new(2)]);
    b.body.content.description = Some("a_B \u{e4}rger".to_owned());
    b.body.content.due_date = day("2024-03-01");
    let mut c = issue(project, "c");
    c.created_at = timestamp(20);
    c.body.closing = Some(Closing {
        at: timestamp(30),
        by: UserId::new(1),
    });
    let mut d = issue(project, "d");
    d.created_at = timestamp(30);
    for new in [&a, &b, &c, &d] {
        tx.insert_issue(new)?;
    }
    Ok(one)
}

/// A condition for a filter of all issues.
type IssueCondition = fn(&mut IssueFilter);

fn labels(titles: &[&str]) -> AttributeFilter<Vec<String>> {
    let titles = titles.iter().map(|title| (*title).to_owned());
    AttributeFilter::Is(titles.collect())
}

fn users(users: &[i64]) -> AttributeFilter<Vec<UserId>> {
    AttributeFilter::Is(users.iter().copied().map(UserId::new).collect())
}

/// Conditions on labels, milestones and the like, with the first letters of the titles that each lists.
const OF_PARTS: [(&str, IssueCondition); 19] = [
    ("dcba", |_| ()),
    ("dba", |all| all.state = Some(IssueState::Opened)),
    ("c", |all| all.state = Some(IssueState::Closed)),
    ("da", |all| all.iids = [4, 1, 9].map(IssueIid::new).into()),
    ("a", |all| all.author = Some(UserId::new(1))),
    ("dc", |all| all.author = Some(UserId::new(7))),
    ("dc", |all| all.assignees = Some(AttributeFilter::None)),
    ("ba", |all| all.assignees = Some(AttributeFilter::Any)),
    ("ba", |all| all.assignees = Some(users(&[2]))),
    ("a", |all| all.assignees = Some(users(&[2, 1]))),
    ("dc", |all| all.labels = Some(AttributeFilter::None)),
    ("ba", |all| all.labels = Some(AttributeFilter::Any)),
    ("ba", |all| all.labels = Some(labels(&["bug"]))),
    ("a", |all| all.labels = Some(labels(&["bug", "docs, 50%"]))),
    ("", |all| all.labels = Some(labels(&["Bug"]))),
    ("dc", |all| all.milestone = Some(AttributeFilter::None)),
    ("ba", |all| all.milestone = Some(AttributeFilter::Any)),
    ("b", |all| {
        all.milestone = Some(AttributeFilter::Is("2.0".to_owned()));
    }),
    ("", |all| {
        all.labels = Some(labels(&["bug"]));
        all.state = Some(IssueState::Closed);
    }),
];

/// Conditions on the text and the times of issues.
const OF_CONTENTS: [(&str, IssueCondition); 17] = [
    ("ba", |all| all.search = Some("\u{c4}rGer".to_owned())),
    ("a", |all| {
        all.search = Some("\u{e4}RGER".to_owned());
        all.search_in.description = false;
    }),
    ("b", |all| {
        all.search = Some("\u{c4}rger".to_owned());
        all.search_in.title = false;
    }),
    ("a", |all| all.search = Some("0%".to_owned())),
    ("b", |all| all.search = Some("_".to_owned())),
    ("b", |all| {
        all.search = Some("\u{e4}rger".to_owned());
        all.author = Some(UserId::new(2));
    }),
    ("a", |all| all.confidential = Some(true)),
    ("dcb", |all| all.confidential = Some(false)),
    ("a", |all| all.kind = Some(IssueKind::Incident)),
    ("dcb", |all| all.created_after = Some(timestamp(10))),
    ("ba", |all| all.created_before = Some(timestamp(10))),
    ("dc", |all| all.updated_after = Some(timestamp(20))),
    ("a", |all| all.updated_before = Some(timestamp(9))),
    ("dc", |all| all.due = Some(DueFilter::None)),
    ("ba", |all| all.due = Some(DueFilter::Any)),
    ("a", |all| {
        all.due = Some(DueFilter::Between(None, day("2024-02-29")));
    }),
    ("b", |all| {
        all.due = Some(DueFilter::Between(day("2024-03-01"), day("2024-03-01")));
    }),
];

/// Negated conditions.
const NOT: [(&str, IssueCondition); 4] = [
    ("dcb", |all| all.not.labels = vec!["docs, 50%".to_owned()]),
    ("dcb", |all| all.not.milestone = Some("1.0".to_owned())),
    ("ba", |all| all.not.author = Some(UserId::new(7))),
    ("dcb", |all| all.not.assignee = Some(UserId::new(1))),
];

pub(super) fn i15_each_filter_of_issues_holds(harness: &mut AreaHarness<Projects>) {
    let [project, other] = harness.places();
    let store = harness.store();
    let created = store.change(move |tx| {
        samples(tx, other)?;
        samples(tx, project)
    });
    let one = created.wait().unwrap();
    let letters = |filter: &IssueFilter| {
        let found: Vec<String> = titles(store, filter);
        let letters = found.iter().filter_map(|title| title.chars().next());
        letters.collect::<String>()
    };
    for (expected, condition) in OF_PARTS.into_iter().chain(OF_CONTENTS).chain(NOT) {
        let mut filter = of_project(project);
        condition(&mut filter);
        assert_eq!(letters(&filter), expected, "{filter:?}");
    }
    let of_milestone = IssueFilter {
        milestone_id: Some(one),
        ..of_project(project)
    };
    assert_eq!(letters(&of_milestone), "a");
}

pub(super) fn i16_every_order_of_issues_breaks_ties_by_id(harness: &mut AreaHarness<Projects>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let created = store.change(move |tx| {
        for (title, created, due, updated) in [
            ("B", 5, None, 9),
            ("a", 5, day("2024-02-01"), 7),
            ("\u{e4}", 1, day("2024-02-01"), 9),
            ("b", 9, None, 9),
            ("c", 5, day("2024-01-01"), 8),
        ] {
            let mut new: NewIssue = issue(project, title);
            new.created_at = timestamp(created);
            new.body.content.due_date = due;
            let inserted = tx.insert_issue(&new)?;
            let Some(locked) = tx.lock_issue(project, inserted.iid)? else {
                continue;
            };
            tx.update_issue(locked, inserted.body, timestamp(updated))?;
        }
        Ok(())
    });
    created.wait().unwrap();
    let [up, down] = [SortOrder::Ascending, SortOrder::Descending];
    for (order_by, sort, expected) in [
        (IssueOrder::CreatedAt, up, ["\u{e4}", "B", "a", "c", "b"]),
        (IssueOrder::CreatedAt, down, ["b", "c", "a", "B", "\u{e4}"]),
        (IssueOrder::UpdatedAt, up, ["a", "c", "B", "\u{e4}", "b"]),
        (IssueOrder::UpdatedAt, down, ["b", "\u{e4}", "B", "c", "a"]),
        (IssueOrder::DueDate, up, ["c", "a", "\u{e4}", "B", "b"]),
        (IssueOrder::DueDate, down, ["\u{e4}", "a", "c", "b", "B"]),
        (IssueOrder::Title, up, ["a", "B", "b", "c", "\u{e4}"]),
        (IssueOrder::Title, down, ["\u{e4}", "c", "b", "B", "a"]),
    ] {
        let filter = IssueFilter {
            order_by,
            sort,
            ..of_project(project)
        };
        assert_eq!(titles(store, &filter), expected, "{filter:?}");
        // Pages from either end contain the same rows in the same order.
        let today = timestamp(0).date();
        let mut pages = Vec::new();
        for number in 1..=3 {
            let filter = filter.clone();
            let read = store
                .query(move |tx| tx.list_issues(&filter, today, crate::samples::page(number, 2)));
            let items = read.wait().unwrap().items.into_iter();
            pages.extend(items.map(|issue| issue.body.content.title));
        }
        assert_eq!(pages, expected, "{filter:?} on pages");
    }
}
