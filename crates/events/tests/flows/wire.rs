//! JSON of an event (`EVT-05`).

use api_conventions::page::OffsetPage;
use events::wire::ProjectEventJson;
use events::{
    Action, CommitRange, EventFilter, FeedRights, NewEvent, PushData, PushedRef, PushedRefs,
    RefAction, RefKind, TargetType, Vocabulary,
};
use serde_json::{Value, json};

use crate::support::{DEPLOYED, FeedStore, HERE, RELEASE, VOCABULARY, entry};

/// JSON of an event whose author is known or deleted.
fn response(action: Action, kind: Option<TargetType>, author: Option<(Value, String)>) -> Value {
    response_in(&Vocabulary::STANDARD, action, kind, author)
}

fn response_in(
    vocabulary: &Vocabulary,
    action: Action,
    kind: Option<TargetType>,
    author: Option<(Value, String)>,
) -> Value {
    let feed = FeedStore::default();
    feed.insert(vec![entry(action, kind, "2024-03-01T12:00:00.123456Z")]);
    let filter = EventFilter::new(HERE, FeedRights::ALL);
    let event = feed.page(filter, OffsetPage::default()).items.remove(0);
    let json = ProjectEventJson::new(event, vocabulary, author, None::<Value>);
    serde_json::to_value(json).unwrap()
}

fn ann() -> (Value, String) {
    (json!({"id": 9, "username": "ann"}), "ann".to_owned())
}

/// EVT-05.
#[test]
fn an_entry_includes_its_target_and_author() {
    let expected = json!({
        "id": 1, "title": null, "project_id": 1, "action_name": "closed", "target_id": 40, "target_iid": 4,
        "target_type": "Alert", "author_id": 9, "target_title": "a title",
        "created_at": "2024-03-01T12:00:00.123Z", "author": {"id": 9, "username": "ann"},
        "author_username": "ann", "data": null,
    });
    assert_eq!(
        response(Action::Closed, Some(TargetType::Alert), Some(ann())),
        expected
    );
}

/// EVT-05.
#[test]
fn an_entry_about_the_project_itself_has_nulls_for_its_target() {
    let expected = json!({
        "id": 1, "title": null, "project_id": 1, "action_name": "created", "target_id": null,
        "target_iid": null, "target_type": null, "author_id": 9, "target_title": null,
        "created_at": "2024-03-01T12:00:00.123Z", "author": {"id": 9, "username": "ann"},
        "author_username": "ann", "data": null,
    });
    assert_eq!(response(Action::Created, None, Some(ann())), expected);
}

#[test]
fn an_entry_of_a_deleted_author_keeps_the_author_id() {
    let response = response(Action::Created, None, None);
    assert_eq!(
        (response.get("author"), &response["author_username"]),
        (None, &Value::Null)
    );
    assert_eq!(response["author_id"], json!(9));
}

#[test]
fn kinds_of_targets_are_shown_capitalised() {
    let shown = [
        "Issue",
        "Milestone",
        "MergeRequest",
        "Note",
        "Project",
        "Snippet",
        "User",
        "Alert",
        "Error",
    ];
    for (kind, word) in TargetType::STANDARD.iter().copied().zip(shown) {
        assert_eq!(
            response(Action::Closed, Some(kind), Some(ann()))["target_type"],
            json!(word)
        );
    }
}

/// EVT-05.
#[test]
fn an_entry_about_a_comment_carries_it() {
    let feed = FeedStore::default();
    feed.insert(vec![entry(
        Action::Commented,
        Some(TargetType::Note),
        "2024-03-01T12:00:00Z",
    )]);
    let filter = EventFilter::new(HERE, FeedRights::ALL);
    let event = feed.page(filter, OffsetPage::default()).items.remove(0);
    let note = json!({ "id": 40, "body": "Look here" });
    let author = None::<(Value, String)>;
    let json = ProjectEventJson::new(event, &Vocabulary::STANDARD, author, Some(note.clone()));
    let shown = serde_json::to_value(json);
    assert_eq!(shown.unwrap()["note"], note);
}

#[test]
fn an_entry_of_a_host_is_shown_in_its_words() {
    let (action, kind) = (Action::Custom(DEPLOYED), Some(TargetType::Custom(RELEASE)));
    for (vocabulary, action_name, target_type) in [
        (VOCABULARY, "deployed to", "Release"),
        (Vocabulary::STANDARD, "unknown", "unknown"),
    ] {
        let shown = response_in(&vocabulary, action, kind, None);
        assert_eq!(shown["action_name"], json!(action_name));
        assert_eq!(shown["target_type"], json!(target_type));
    }
}

/// Text of the push block of an event about these refs, with the label of the event.
fn push_text(ref_kind: RefKind, refs: PushedRefs) -> (String, Value) {
    let feed = FeedStore::default();
    let push = Some(PushData { ref_kind, refs });
    let pushed = entry(Action::Pushed, None, "2024-03-01T12:00:00Z");
    feed.insert(vec![NewEvent { push, ..pushed }]);
    let filter = EventFilter::new(HERE, FeedRights::ALL);
    let event = feed.page(filter, OffsetPage::default()).items.remove(0);
    let author = None::<(Value, String)>;
    let json = ProjectEventJson::new(event, &Vocabulary::STANDARD, author, None::<Value>);
    let text = serde_json::to_string(&json).unwrap();
    let (_, block) = text.split_once("\"push_data\":").unwrap();
    let (block, _) = block.split_once('}').unwrap();
    let shown: Value = serde_json::from_str(&text).unwrap();
    let label = shown.get("action_name").cloned().unwrap_or_default();
    (format!("{block}}}"), label)
}

/// EVT-05. The members are in the order of the original API.
#[test]
fn a_push_has_its_commits_and_the_label_of_its_change() {
    let one = |commits, commit_count, title: Option<&str>| {
        PushedRefs::One(PushedRef {
            name: "main".to_owned(),
            commits,
            commit_count,
            commit_title: title.map(str::to_owned),
        })
    };
    let [from, to] = ["a", "b"].map(str::to_owned);
    let pushed = CommitRange::new(Some(from.clone()), Some(to.clone())).unwrap();
    let created = CommitRange::new(None, Some(to)).unwrap();
    let removed = CommitRange::new(Some(from), None).unwrap();
    let many = PushedRefs::Many {
        action: RefAction::Created,
        count: 5,
    };
    for (kind, refs, block, label) in [
        (
            RefKind::Branch,
            one(pushed, 3, Some("Fix")),
            r#"{"commit_count":3,"action":"pushed","ref_type":"branch","commit_from":"a","commit_to":"b","ref":"main","commit_title":"Fix","ref_count":null}"#,
            "pushed to",
        ),
        (
            RefKind::Tag,
            one(created, 1, None),
            r#"{"commit_count":1,"action":"created","ref_type":"tag","commit_from":null,"commit_to":"b","ref":"main","commit_title":null,"ref_count":null}"#,
            "pushed new",
        ),
        (
            RefKind::Branch,
            one(removed, 0, None),
            r#"{"commit_count":0,"action":"removed","ref_type":"branch","commit_from":"a","commit_to":null,"ref":"main","commit_title":null,"ref_count":null}"#,
            "deleted",
        ),
        (
            RefKind::Tag,
            many,
            r#"{"commit_count":0,"action":"created","ref_type":"tag","commit_from":null,"commit_to":null,"ref":null,"commit_title":null,"ref_count":5}"#,
            "pushed new",
        ),
    ] {
        let shown = push_text(kind, refs);
        assert_eq!(shown, (block.to_owned(), json!(label)));
    }
}
