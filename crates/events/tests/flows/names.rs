//! Vocabularies: filter words and display labels (`EVT-04`, `EVT-05`).

use events::{Action, CustomAction, CustomTarget, TargetType, Vocabulary};

use crate::support::{DEPLOYED, RELEASE, VOCABULARY};

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
    let parse = |word: &&str| Vocabulary::STANDARD.parse_action(word);
    let parsed: Vec<Option<Action>> = words.iter().map(parse).collect();
    let all: Vec<Option<Action>> = Action::STANDARD.iter().copied().map(Some).collect();
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
        assert_eq!(Vocabulary::STANDARD.parse_action(wrong), None, "{wrong:?}");
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
    let parse = |word: &&str| Vocabulary::STANDARD.parse_target(word);
    let parsed: Vec<Option<TargetType>> = words.iter().map(parse).collect();
    let all: Vec<Option<TargetType>> = TargetType::STANDARD.iter().copied().map(Some).collect();
    assert_eq!(parsed, all);
    for wrong in [
        "",
        "Issue",
        "MergeRequest",
        "merge request",
        "issues",
        "epic",
    ] {
        assert_eq!(Vocabulary::STANDARD.parse_target(wrong), None, "{wrong:?}");
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
    let targets = TargetType::STANDARD.iter().copied().map(Some);
    let targets = targets.chain([Some(TargetType::Custom(RELEASE)), None]);
    for target in targets {
        let made = match target {
            None | Some(TargetType::Project) => "created",
            Some(_) => "opened",
        };
        assert_eq!(
            Vocabulary::STANDARD.action_label(Action::Created, target),
            made,
            "{target:?}"
        );
        for (action, word) in shown {
            for vocabulary in [Vocabulary::STANDARD, VOCABULARY] {
                assert_eq!(
                    vocabulary.action_label(action, target),
                    word,
                    "{action:?} {target:?}"
                );
            }
        }
    }
}

#[test]
fn numbers_of_rows_are_those_they_always_were() {
    let actions: Vec<i16> = Action::STANDARD.iter().map(|one| one.number()).collect();
    assert_eq!(actions, (1..=12).collect::<Vec<i16>>());
    let targets: Vec<i16> = TargetType::STANDARD
        .iter()
        .map(|one| one.number())
        .collect();
    assert_eq!(targets, (1..=9).collect::<Vec<i16>>());
    for number in actions {
        assert_eq!(
            Action::from_number(number).map(Action::number),
            Some(number)
        );
    }
    for number in targets {
        assert_eq!(
            TargetType::from_number(number).map(TargetType::number),
            Some(number)
        );
    }
    for unknown in [0, -1, 13, 999, i16::MIN] {
        assert_eq!(Action::from_number(unknown), None);
    }
    for unknown in [0, -1, 10, 999, i16::MIN] {
        assert_eq!(TargetType::from_number(unknown), None);
    }
}

#[test]
fn a_host_has_words_of_its_own_beside_the_standard_ones() {
    let (deployed, release) = (Action::Custom(DEPLOYED), TargetType::Custom(RELEASE));
    assert_eq!(VOCABULARY.parse_action("deployed"), Some(deployed));
    assert_eq!(VOCABULARY.parse_target("release"), Some(release));
    assert_eq!(VOCABULARY.parse_action("closed"), Some(Action::Closed));
    assert_eq!(VOCABULARY.parse_target("issue"), Some(TargetType::Issue));
    for wrong in ["", "Deployed", "deployed to", "release"] {
        assert_eq!(VOCABULARY.parse_action(wrong), None, "{wrong:?}");
    }
    assert_eq!(
        VOCABULARY.action_label(deployed, Some(release)),
        "deployed to"
    );
    assert_eq!(
        VOCABULARY.action_label(Action::Created, Some(release)),
        "opened"
    );
    assert_eq!(VOCABULARY.target_label(release), "Release");
}

#[test]
fn words_of_a_host_are_unknown_to_others() {
    assert_eq!(Vocabulary::STANDARD.parse_action("deployed"), None);
    assert_eq!(Vocabulary::STANDARD.parse_target("release"), None);
    let label = Vocabulary::STANDARD.action_label(Action::Custom(DEPLOYED), None);
    assert_eq!(label, "unknown");
    let label = VOCABULARY.target_label(TargetType::Custom(CustomTarget::new(1001)));
    assert_eq!(label, "unknown");
}

#[test]
fn numbers_of_a_host_begin_at_a_thousand() {
    for number in [1000, 1001, i16::MAX] {
        let action = Action::Custom(CustomAction::new(number));
        assert_eq!(
            (action.number(), Action::from_number(number)),
            (number, Some(action))
        );
        let kind = TargetType::Custom(CustomTarget::new(number));
        assert_eq!(
            (kind.number(), TargetType::from_number(number)),
            (number, Some(kind))
        );
    }
}

/// An error in a constant fails the compilation; this test runs the same check.
#[test]
fn a_vocabulary_with_a_fault_is_refused() {
    type Build = fn() -> Vocabulary;
    let faults: [(Build, &str); 4] = [
        (
            || Vocabulary::new(&[], const { &[RELEASE.named("issue", "Issue")] }),
            "the word is a standard word",
        ),
        (
            || Vocabulary::new(const { &[DEPLOYED.named("deployed", "")] }, &[]),
            "words and labels must not be empty",
        ),
        (
            || {
                let again = const {
                    &[
                        DEPLOYED.named("a", "b"),
                        CustomAction::new(1001).named("a", "c"),
                    ]
                };
                Vocabulary::new(again, &[])
            },
            "duplicate word",
        ),
        (
            || {
                let again = const { &[DEPLOYED.named("a", "a"), DEPLOYED.named("ab", "b")] };
                Vocabulary::new(again, &[])
            },
            "duplicate number",
        ),
    ];
    for (build, fault) in faults {
        let panic = std::panic::catch_unwind(build).unwrap_err();
        assert_eq!(panic.downcast_ref::<&str>(), Some(&fault));
    }
}
