//! Round trips of the stored forms, which must not change.

use api_conventions::ids::{EventId, ProjectId, UserId};
use api_conventions::time::Timestamp;

use super::*;

fn entry(action: Action, kind: TargetType) -> AuthoredEvent {
    AuthoredEvent {
        event: FeedEvent {
            id: EventId::new(1),
            project_id: ProjectId::new(2),
            author_id: UserId::new(3),
            action,
            target: Some(EventTarget {
                kind,
                id: i64::MAX,
                iid: 4,
                title: Some("Disk \"full\"".to_owned()),
            }),
            push: None,
            created_at: Timestamp::MAX,
        },
        audience: Audience::Reporters,
    }
}

#[test]
fn entries_come_back_with_every_action_and_target() {
    let actions = Action::STANDARD.iter().copied();
    let kinds = TargetType::STANDARD.iter().copied().cycle();
    let custom = entry(
        Action::Custom(CustomAction::new(1000)),
        TargetType::Custom(CustomTarget::new(i16::MAX)),
    );
    let entries = actions.zip(kinds).map(|(action, kind)| entry(action, kind));
    for entry in entries.chain([custom]) {
        let text = serde_json::to_string(&entry).unwrap();
        let found: AuthoredEvent = serde_json::from_str(&text).unwrap();
        assert_eq!(found, entry, "{text}");
    }
}

#[test]
fn pushes_come_back_and_entries_without_one_are_still_read() {
    let commits = CommitRange::new(Some("a".repeat(40)), None).unwrap();
    let one = PushedRefs::One(PushedRef {
        name: "main".to_owned(),
        commits,
        commit_count: u32::MAX,
        commit_title: Some("Disk \"full\"".to_owned()),
    });
    let many = PushedRefs::Many {
        action: RefAction::Created,
        count: 4,
    };
    for (ref_kind, refs) in [(RefKind::Branch, one), (RefKind::Tag, many)] {
        let mut pushed = entry(Action::Pushed, TargetType::Project);
        pushed.event.target = None;
        pushed.event.push = Some(PushData { ref_kind, refs });
        let text = serde_json::to_string(&pushed).unwrap();
        let found: AuthoredEvent = serde_json::from_str(&text).unwrap();
        assert_eq!(found, pushed, "{text}");
    }
    let old = entry(Action::Created, TargetType::Issue);
    let text = serde_json::to_string(&old).unwrap();
    let text = text.replace(",\"push\":null", "");
    assert!(!text.contains("push"), "{text}");
    let found: AuthoredEvent = serde_json::from_str(&text).unwrap();
    assert_eq!(found, old);
}

/// Rows exist in these forms, so a new form needs code that still reads them.
#[test]
fn stored_forms_are_stable_and_unknown_numbers_are_rejected() {
    let stored = |action: Action| serde_json::to_string(&action).unwrap();
    assert_eq!(stored(Action::Created), "1");
    assert_eq!(stored(Action::Custom(CustomAction::new(1000))), "1000");
    assert_eq!(serde_json::to_string(&Audience::Developers).unwrap(), "30");
    for number in ["0", "999", "-1", "40000"] {
        assert!(serde_json::from_str::<Action>(number).is_err(), "{number}");
    }
    assert!(serde_json::from_str::<Audience>("1").is_err());
}
