//! The two vocabularies: the words to filter by, and the words that are shown (`EVT-04`, `EVT-05`).

use events::{Action, TargetType};

#[test]
fn the_filter_words_of_actions_are_those_of_the_api() {
    let words = [
        "created",
        "updated",
        "closed",
        "reopened",
        "pushed",
        "commented",
        "merged",
        "joined",
        "left",
        "destroyed",
        "expired",
        "approved",
    ];
    let parsed: Vec<Option<Action>> = words.iter().map(|word| Action::parse(word)).collect();
    let all: Vec<Option<Action>> = Action::ALL.into_iter().map(Some).collect();
    assert_eq!(parsed, all);
    for wrong in [
        "",
        "Created",
        "CREATED",
        " created",
        "opened",
        "pushed to",
        "commented on",
        "accepted",
    ] {
        assert_eq!(Action::parse(wrong), None, "{wrong:?}");
    }
}

#[test]
fn the_filter_words_of_targets_are_those_of_the_specification_and_ours() {
    let words = [
        "issue",
        "milestone",
        "merge_request",
        "note",
        "project",
        "snippet",
        "user",
        "alert",
        "error",
    ];
    let parsed: Vec<Option<TargetType>> =
        words.iter().map(|word| TargetType::parse(word)).collect();
    let all: Vec<Option<TargetType>> = TargetType::ALL.into_iter().map(Some).collect();
    assert_eq!(parsed, all);
    for wrong in [
        "",
        "Issue",
        "MergeRequest",
        "merge request",
        "issues",
        "epic",
    ] {
        assert_eq!(TargetType::parse(wrong), None, "{wrong:?}");
    }
}

#[test]
fn every_action_is_shown_by_its_word_for_every_target() {
    let shown = [
        (Action::Updated, "opened"),
        (Action::Closed, "closed"),
        (Action::Reopened, "opened"),
        (Action::Pushed, "pushed to"),
        (Action::Commented, "commented on"),
        (Action::Merged, "accepted"),
        (Action::Joined, "joined"),
        (Action::Left, "left"),
        (Action::Destroyed, "destroyed"),
        (Action::Expired, "removed due to membership expiration from"),
        (Action::Approved, "approved"),
    ];
    let targets = TargetType::ALL.into_iter().map(Some).chain([None]);
    for target in targets {
        let made = match target {
            None | Some(TargetType::Project) => "created",
            Some(_) => "opened",
        };
        assert_eq!(Action::Created.label(target), made, "{target:?}");
        for (action, word) in shown {
            assert_eq!(action.label(target), word, "{action:?} {target:?}");
        }
    }
}

#[test]
fn numbers_of_rows_are_those_they_always_were() {
    let actions: Vec<i16> = Action::ALL.into_iter().map(Action::number).collect();
    assert_eq!(actions, (1..=12).collect::<Vec<i16>>());
    let targets: Vec<i16> = TargetType::ALL
        .into_iter()
        .map(TargetType::number)
        .collect();
    assert_eq!(targets, (1..=9).collect::<Vec<i16>>());
    for unknown in [0, -1, 13, i16::MAX] {
        assert_eq!(Action::from_number(unknown), None);
    }
    for unknown in [0, -1, 10, i16::MIN] {
        assert_eq!(TargetType::from_number(unknown), None);
    }
}
