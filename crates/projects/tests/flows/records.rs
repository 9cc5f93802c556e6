//! Labels and milestones: stored values and rejected values.

use api_conventions::access::Visibility;
use api_conventions::error::ApiError;
use api_conventions::ids::{LabelId, ProjectId};
use projects::{
    Label, LabelContent, LabelEdit, LabelFilter, MilestoneContent, MilestoneEdit, ProjectMilestone,
};
use records::{NewRecord, RecordError};
use serde_json::json;
use storage::Store as _;
use storage_diesel::SqliteStore;

use crate::support::{TestProjects, at, now, project};

const PROJECT: ProjectId = ProjectId::new(1);
const OTHER: ProjectId = ProjectId::new(2);

/// A store with the two projects.
fn store() -> SqliteStore {
    let places = TestProjects::default();
    let shop = places.group("shop", None);
    for (path, id) in [("web", PROJECT), ("app", OTHER)] {
        let made = places.create(project(&shop, path, Visibility::Private));
        assert_eq!(made.unwrap().id, id);
    }
    places.0
}

fn make(store: &SqliteStore, title: &str, color: &str) -> Result<Label, RecordError> {
    let content = LabelContent {
        title: title.to_owned(),
        color: color.to_owned(),
        ..LabelContent::default()
    };
    let new = NewRecord::new(PROJECT, content, now());
    let made = store.write(move |tx| Label::create(tx, new.clone()));
    made.wait()
}

fn change(
    store: &SqliteStore,
    project: ProjectId,
    id: LabelId,
    edit: LabelEdit,
) -> Result<(Label, Label), RecordError> {
    let later = at("2024-03-02T00:00:00Z");
    let changed = store.write(move |tx| Label::update(tx, project, id, &edit, later));
    changed.wait()
}

#[test]
fn colors_are_stored_as_six_digits_and_edits_change_only_given_fields() {
    let store = store();
    let label = make(&store, "bug", "#fC0").unwrap();
    assert_eq!(label.content.color, "#ffCC00");
    let edit = LabelEdit {
        priority: Some(Some(2)),
        ..LabelEdit::default()
    };
    let (before, after) = change(&store, PROJECT, label.id, edit).unwrap();
    assert_eq!(before, label);
    let content = LabelContent {
        priority: Some(2),
        ..label.content.clone()
    };
    let wanted = Label {
        content,
        updated_at: at("2024-03-02T00:00:00Z"),
        ..label
    };
    assert_eq!(after, wanted);
}

#[test]
fn refused_records_are_not_stored_and_the_error_states_the_reason() {
    let store = store();
    let bug = make(&store, "bug", "#000000").unwrap();
    let own = make(&store, "own", "#000000").unwrap();
    let renamed = |title: &str| LabelEdit {
        title: Some(title.to_owned()),
        ..LabelEdit::default()
    };
    let edit = |project, id, title: &str| change(&store, project, id, renamed(title)).map(drop);
    let taken = json!({ "message": "Label already exists" });
    let unknown = json!({ "message": "404 Label Not Found" });
    for (outcome, status, body) in [
        (make(&store, "bug", "#fff").map(drop), 409, taken.clone()),
        (
            make(&store, " ", "red").map(drop),
            400,
            json!({ "message": { "title": ["can't be blank"], "color": ["must be a valid color code"] } }),
        ),
        (edit(PROJECT, own.id, "bug"), 409, taken),
        (edit(OTHER, own.id, "mine"), 404, unknown.clone()),
        (edit(PROJECT, LabelId::new(99), "mine"), 404, unknown),
    ] {
        let refused = ApiError::from(outcome.unwrap_err());
        assert_eq!((refused.status(), refused.body()), (status, &body));
    }
    let page = api_conventions::page::OffsetPage::new(1, 20);
    let listed = store.read(move |tx| Label::list(tx, PROJECT, &LabelFilter::default(), page));
    let listed = listed.wait();
    assert_eq!(listed.unwrap().items, [bug, own]);
}

#[test]
fn edits_are_validated_together_with_unchanged_fields() {
    let store = store();
    let day = |text| api_conventions::time::CalendarDate::parse(text);
    let content = MilestoneContent {
        title: "1.0".to_owned(),
        start_date: day("2024-02-01"),
        ..MilestoneContent::default()
    };
    let new = NewRecord::new(PROJECT, content, now());
    let made: Result<ProjectMilestone, RecordError> = store
        .write(move |tx| ProjectMilestone::create(tx, new.clone()))
        .wait();
    let id = made.unwrap().id;
    let due = |text| MilestoneEdit {
        due_date: Some(day(text)),
        ..MilestoneEdit::default()
    };
    let edit = |edit: MilestoneEdit| {
        let edited = store.write(move |tx| ProjectMilestone::update(tx, PROJECT, id, &edit, now()));
        edited.wait()
    };
    let refused = ApiError::from(edit(due("2024-01-31")).unwrap_err());
    let early = json!({ "message": { "due_date": ["must be greater than start date"] } });
    assert_eq!((refused.status(), refused.body()), (400, &early));
    let (_, after) = edit(due("2024-02-01")).unwrap();
    assert_eq!(after.content.due_date, day("2024-02-01"));
}
