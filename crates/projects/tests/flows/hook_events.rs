//! Events of issues and notes as hooks report them.

use api_conventions::access::Visibility;
use api_conventions::ids::{IssueId, IssueIid, LabelId, NoteId, UserId};
use projects::wire::{EventParts, issue_event, note_event};
use projects::{
    Closing, Issue, IssueBody, IssueKind, Label, LabelContent, Noteable, NoteableKind, Project,
    ResourceNote,
};
use serde_json::{Value, json};

use crate::support::{MAKER, OTHER, TestProjects, at, now, project};

fn sample_project() -> Project {
    let projects = TestProjects::default();
    let top = projects.group("top", None);
    projects
        .create(project(&top, "thing", Visibility::Private))
        .unwrap()
}

fn issue(project: &Project) -> Issue {
    let mut body = IssueBody::default();
    body.content.title = "Broken".to_owned();
    body.labels.insert(LabelId::new(3));
    body.assignees.insert(OTHER);
    Issue {
        id: IssueId::new(70),
        iid: IssueIid::new(7),
        project_id: project.id,
        author_id: MAKER,
        body,
        user_notes_count: 0,
        created_at: now(),
        updated_at: now(),
    }
}

fn parts(project: &Project) -> EventParts<'_> {
    let user = |id: UserId| json!({ "id": id, "email": "[REDACTED]" });
    let label = Label {
        id: LabelId::new(3),
        iid: (),
        owner: project.id,
        fixed: (),
        content: LabelContent {
            title: "bug".to_owned(),
            color: "#ff0000".to_owned(),
            ..LabelContent::default()
        },
        created_at: now(),
        updated_at: now(),
    };
    EventParts {
        project,
        user: user(MAKER),
        users: [(OTHER, user(OTHER))].into(),
        labels: [(label.id, label)].into(),
    }
}

#[test]
fn a_new_issue_has_the_fields_that_v4_clients_read() {
    let project = sample_project();
    let event = issue_event(&parts(&project), None, &issue(&project), false);
    let kinds = ["object_kind", "event_type"].map(|name| event[name].clone());
    assert_eq!(kinds, ["issue", "issue"].map(Value::from));
    assert_eq!(event["user"]["id"], 1);
    assert_eq!(event["project"]["path_with_namespace"], "top/thing");
    assert_eq!(event["project"]["web_url"], "/top/thing");
    assert_eq!(event["project"]["visibility_level"], 0);
    assert_eq!(event["repository"]["homepage"], "/top/thing");
    let attributes = &event["object_attributes"];
    let expected = json!({ "id": 70, "iid": 7, "title": "Broken", "state": "opened", "state_id": 1, "action": "open",
        "url": "/top/thing/-/issues/7", "severity": "unknown", "assignee_ids": [2], "assignee_id": 2, "type": "Issue",
        "confidential": false, "author_id": 1 });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(attributes[name], *value, "{name}");
    }
    assert_eq!(attributes["labels"][0]["title"], "bug");
    assert_eq!(attributes.get("assignees"), None);
    assert_eq!(event["labels"], attributes["labels"]);
    assert_eq!(event["assignees"][0]["email"], "[REDACTED]");
    let changes = event["changes"].as_object().unwrap();
    assert_eq!(
        changes["title"],
        json!({ "previous": null, "current": "Broken" })
    );
    assert!(!changes.contains_key("confidential") && !changes.contains_key("due_date"));
}

#[test]
fn an_action_and_the_changes_follow_from_both_states() {
    let project = sample_project();
    let parts = parts(&project);
    let before = issue(&project);
    let mut after = before.clone();
    after.updated_at = at("2024-03-01T13:00:00Z");
    after.body.labels.clear();
    after.body.content.description = Some("More".to_owned());
    let event = issue_event(&parts, Some(&before), &after, false);
    assert_eq!(event["object_attributes"]["action"], "update");
    let changes = event["changes"].as_object().unwrap();
    let names: Vec<&str> = changes.keys().map(String::as_str).collect();
    assert_eq!(names, ["description", "labels", "updated_at"]);
    assert_eq!(changes["labels"]["previous"][0]["id"], 3);
    assert_eq!(changes["labels"]["current"], json!([]));

    after.body.closing = Some(Closing {
        at: after.updated_at,
        by: MAKER,
    });
    let closed = issue_event(&parts, Some(&before), &after, false);
    assert_eq!(closed["object_attributes"]["action"], "close");
    assert_eq!(
        closed["changes"]["state_id"],
        json!({ "previous": 1, "current": 2 })
    );
    let reopened = issue_event(&parts, Some(&after), &before, false);
    assert_eq!(reopened["object_attributes"]["action"], "reopen");
}

#[test]
fn incidents_are_work_items_and_confidential_issues_have_their_own_type() {
    let project = sample_project();
    let mut incident = issue(&project);
    incident.body.content.kind = IssueKind::Incident;
    let event = issue_event(&parts(&project), None, &incident, true);
    assert_eq!(event["object_kind"], "work_item");
    assert_eq!(event["event_type"], "confidential_issue");
    assert_eq!(event["object_attributes"]["type"], "Incident");
}

#[test]
fn a_note_comes_with_its_issue() {
    let project = sample_project();
    let issue = issue(&project);
    let note = ResourceNote {
        id: NoteId::new(9),
        on: Noteable {
            project_id: project.id,
            kind: NoteableKind::Issue,
            id: 70,
            iid: 7,
        },
        author_id: MAKER,
        body: "Looks bad".to_owned(),
        system: false,
        internal: true,
        created_at: now(),
        updated_at: now(),
    };
    let event = note_event(&parts(&project), &issue, &note, true, true);
    let kinds = ["object_kind", "event_type"].map(|name| event[name].clone());
    assert_eq!(kinds, ["note", "confidential_note"].map(Value::from));
    let expected = json!({ "id": 9, "note": "Looks bad", "noteable_type": "Issue", "noteable_id": 70, "action": "create",
        "system": false, "internal": true, "url": "/top/thing/-/issues/7#note_9" });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(event["object_attributes"][name], *value, "{name}");
    }
    assert_eq!(event["issue"]["iid"], 7);
    assert_eq!(event["project_id"], json!(project.id));
    let changed = note_event(&parts(&project), &issue, &note, false, false);
    assert_eq!(changed["object_attributes"]["action"], "update");
    assert_eq!(changed["event_type"], "note");
}
