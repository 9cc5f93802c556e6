//! Vocabulary of the feed: filter words and display labels.

use super::names::{Action, CustomAction, CustomTarget, HostWords, TargetType};

/// Words of the standard actions and target types, and of those that a host declares.
///
/// A vocabulary is a constant, so that an error in it fails the compilation: a duplicate word or number, a standard
/// word, or an empty text.
///
/// ```compile_fail
/// use events::{CustomAction, Vocabulary};
///
/// // `created` is a standard word.
/// const FEED: Vocabulary = Vocabulary::new(&[CustomAction::new(1000).named("created", "created")], &[]);
/// ```
///
/// ```compile_fail
/// use events::CustomAction;
///
/// // Numbers below 1000 are for standard members.
/// const DEPLOYED: CustomAction = CustomAction::new(13);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Vocabulary {
    actions: &'static [HostWords<CustomAction>],
    targets: &'static [HostWords<CustomTarget>],
}

impl Vocabulary {
    /// Label of a member that the vocabulary lacks.
    /// Its events stay in the feed, for example after a release of the host dropped an action.
    pub const UNDECLARED: &str = "unknown";

    /// The standard words alone.
    pub const STANDARD: Self = Self::new(&[], &[]);

    /// The standard words with those of the host.
    ///
    /// # Panics
    /// If a word or a number is a duplicate, a word is a standard one, or a text is empty.
    pub const fn new(
        actions: &'static [HostWords<CustomAction>],
        targets: &'static [HostWords<CustomTarget>],
    ) -> Self {
        assert_distinct(actions, Action::NAMES);
        assert_distinct(targets, TargetType::NAMES);
        Self { actions, targets }
    }

    /// The action with this filter word. Words are case-sensitive.
    pub fn parse_action(&self, word: &str) -> Option<Action> {
        let of_host = || Some(Action::Custom(find(self.actions, word)?));
        Action::standard(word).or_else(of_host)
    }

    /// The target type with this filter word.
    /// Words are case-sensitive.
    pub fn parse_target(&self, word: &str) -> Option<TargetType> {
        let of_host = || Some(TargetType::Custom(find(self.targets, word)?));
        TargetType::standard(word).or_else(of_host)
    }

    /// Display label (`action_name`) of an action on `target`.
    ///
    /// The creation of a project is shown as `created`. Every other creation, and every update and reopening, is shown
    /// as `opened`, as existing clients expect.
    pub fn action_label(&self, action: Action, target: Option<TargetType>) -> &'static str {
        match action {
            Action::Created if matches!(target, None | Some(TargetType::Project)) => "created",
            Action::Created | Action::Updated | Action::Reopened => "opened",
            Action::Closed => "closed",
            Action::Pushed => "pushed to",
            Action::Commented => "commented on",
            Action::Merged => "accepted",
            Action::Joined => "joined",
            Action::Left => "left",
            Action::Destroyed => "destroyed",
            Action::Expired => "removed due to membership expiration from",
            Action::Approved => "approved",
            Action::Custom(action) => label(self.actions, action),
        }
    }

    /// Display label (`target_type`) of a target type.
    pub fn target_label(&self, kind: TargetType) -> &'static str {
        match kind {
            TargetType::Issue => "Issue",
            TargetType::Milestone => "Milestone",
            TargetType::MergeRequest => "MergeRequest",
            TargetType::Note => "Note",
            TargetType::Project => "Project",
            TargetType::Snippet => "Snippet",
            TargetType::User => "User",
            TargetType::Alert => "Alert",
            TargetType::Error => "Error",
            TargetType::Custom(kind) => label(self.targets, kind),
        }
    }
}

fn find<M: Copy>(words: &[HostWords<M>], word: &str) -> Option<M> {
    let found = words.iter().find(|one| one.word == word);
    found.map(|one| one.member)
}

fn label<M: Copy + PartialEq>(words: &[HostWords<M>], member: M) -> &'static str {
    let found = words.iter().find(|one| one.member == member);
    found.map_or(Vocabulary::UNDECLARED, |one| one.label)
}

const fn assert_distinct<M>(words: &[HostWords<M>], standard: &[&str]) {
    let mut rest = words;
    while let [first, others @ ..] = rest {
        assert!(
            !first.word.is_empty() && !first.label.is_empty(),
            "words and labels must not be empty"
        );
        let mut names = standard;
        while let [name, further @ ..] = names {
            assert!(!is_same(first.word, name), "the word is a standard word");
            names = further;
        }
        let mut later = others;
        while let [one, further @ ..] = later {
            assert!(!is_same(first.word, one.word), "duplicate word");
            assert!(first.number != one.number, "duplicate number");
            later = further;
        }
        rest = others;
    }
}

/// True if the texts are equal. `==` is not available in constants.
const fn is_same(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (one.as_bytes(), other.as_bytes());
    while let ([first, rest @ ..], [same, others @ ..]) = (one, other) {
        if *first != *same {
            return false;
        }
        (one, other) = (rest, others);
    }
    one.is_empty() && other.is_empty()
}
