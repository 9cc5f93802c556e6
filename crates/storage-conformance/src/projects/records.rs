//! The records of projects: labels and milestones.

use api_conventions::ids::{LabelId, MilestoneId, MilestoneIid};
use api_conventions::time::{CalendarDate, Timestamp};
use projects::{LabelContent, LabelFilter, MilestoneContent, MilestoneFilter, MilestoneState};

use crate::areas::Projects;
use crate::entity::declare_record::record;
use crate::samples::HOSTILE;

fn label(title: &str, description: Option<&str>) -> LabelContent {
    LabelContent {
        title: title.to_owned(),
        description: description.map(str::to_owned),
        color: "#aaBBcc".to_owned(),
        priority: Some(3),
    }
}

record! {
    /// A label of a project.
    StoredLabel in Projects: LabelContent, by LabelId, listed Ascending;
    owners: |harness| harness.places();
    fixed: ();
    content: |number| label(&format!("label {number:05}"), None);
    edges: vec![
        LabelContent { priority: None, ..label(HOSTILE, Some("")) },
        LabelContent { priority: Some(i64::MAX), ..label("Label 00001", Some(&HOSTILE.repeat(20))) },
    ];
    changed: |number| LabelContent {
        title: HOSTILE.repeat(number as usize),
        description: number.is_multiple_of(2).then(|| HOSTILE.to_owned()),
        color: "#000000".to_owned(),
        priority: (!number.is_multiple_of(2)).then_some(0),
    };
    clashing: |number| LabelContent {
        title: Self::content(number).title,
        description: Some("another".to_owned()),
        color: "#123456".to_owned(),
        priority: None,
    };
    add: |content| content.description.get_or_insert_default().push('+');
    filters: {
        let title = |text: &str| LabelFilter { title: Some(text.to_owned()), ..LabelFilter::default() };
        let search = |text: &str| LabelFilter { search: Some(text.to_owned()), ..LabelFilter::default() };
        let labels = vec![
            label("\u{e4}rger", Some("100% BUG")),
            label("bug", None),
            label("Zoo", Some("Bugs")),
            label("1_0", None),
            label("Bug", None),
        ];
        let cases: Vec<(LabelFilter, &[usize])> = vec![
            (LabelFilter::default(), &[3, 4, 2, 1, 0]),
            (title("bug"), &[1]),
            (title("BUG"), &[]),
            (search("BUG"), &[4, 2, 1, 0]),
            (search("\u{c4}R"), &[0]),
            (search("0%"), &[0]),
            (search("_"), &[3]),
            (LabelFilter { search: Some("zoo".to_owned()), ..title("bug") }, &[]),
        ];
        (labels, cases)
    };
}

fn milestone(title: &str, description: Option<&str>, state: MilestoneState) -> MilestoneContent {
    MilestoneContent {
        title: title.to_owned(),
        description: description.map(str::to_owned),
        state,
        ..MilestoneContent::default()
    }
}

record! {
    /// A milestone of a project.
    StoredMilestone in Projects: MilestoneContent, by MilestoneId, listed Descending,
        number: |milestone| milestone.iid.get();
    owners: |harness| harness.places();
    fixed: ();
    content: |number| MilestoneContent {
        start_date: CalendarDate::parse("2024-01-01"),
        ..milestone(&format!("milestone {number}"), None, MilestoneState::Active)
    };
    edges: [(HOSTILE, Timestamp::MIN), ("", Timestamp::MAX)]
        .map(|(title, day)| MilestoneContent {
            start_date: Some(day.date()),
            due_date: Some(day.date()),
            ..milestone(title, Some(&title.repeat(20)), MilestoneState::Closed)
        })
        .to_vec();
    changed: |number| MilestoneContent {
        title: HOSTILE.repeat(number as usize),
        description: (number % 2 == 1).then(|| HOSTILE.to_owned()),
        state: MilestoneState::Closed,
        start_date: None,
        due_date: CalendarDate::parse("2024-02-29"),
    };
    clashing: |number| MilestoneContent {
        title: Self::content(number).title,
        ..Self::changed_content(1)
    };
    add: |content| content.description.get_or_insert_default().push('+');
    filters: {
        let all = MilestoneFilter::default;
        let search = |text: &str| MilestoneFilter { search: Some(text.to_owned()), ..all() };
        let state = |state| MilestoneFilter { state: Some(state), ..all() };
        let iids = |iids: &[i64]| MilestoneFilter {
            iids: iids.iter().copied().map(MilestoneIid::new).collect(),
            ..all()
        };
        let search_title = |text: &str| MilestoneFilter {
            search_title: Some(text.to_owned()),
            ..all()
        };
        let updated = |updated_after, updated_before| MilestoneFilter {
            updated_after,
            updated_before,
            ..all()
        };
        let title = MilestoneFilter { title: Some("beta".to_owned()), ..all() };
        let milestones = vec![
            milestone("Beta", None, MilestoneState::Active),
            milestone("beta", Some("100% \u{c4}RGER"), MilestoneState::Closed),
            milestone("1.0_x", Some("after beta"), MilestoneState::Active),
        ];
        let cases: Vec<(MilestoneFilter, &[usize])> = vec![
            (all(), &[2, 1, 0]),
            (iids(&[3, 1, 7]), &[2, 0]),
            (iids(&[7]), &[]),
            (state(MilestoneState::Active), &[2, 0]),
            (state(MilestoneState::Closed), &[1]),
            (title.clone(), &[1]),
            (search("BETA"), &[2, 1, 0]),
            (search("\u{e4}rger"), &[1]),
            (search("0_"), &[2]),
            (search("0%"), &[1]),
            (search_title("BETA"), &[1, 0]),
            (search_title("\u{e4}rger"), &[]),
            (search_title("0_"), &[2]),
            (updated(Some(Timestamp::MIN), Some(Timestamp::MAX)), &[2, 1, 0]),
            (updated(Some(Timestamp::MAX), None), &[]),
            (updated(None, Some(Timestamp::MIN)), &[]),
            (MilestoneFilter { state: Some(MilestoneState::Active), ..title }, &[]),
        ];
        (milestones, cases)
    };
}
