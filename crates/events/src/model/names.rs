//! The two vocabularies of the feed: what one filters by and what is shown.

/// What was done. The words are those of the `action` filter; the numbers are those of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Something was made.
    Created,
    /// Something was changed.
    Updated,
    /// Something was closed or resolved.
    Closed,
    /// Something that was closed is open again.
    Reopened,
    /// Commits were pushed.
    Pushed,
    /// Somebody commented.
    Commented,
    /// A merge request was merged.
    Merged,
    /// A member came.
    Joined,
    /// A member went.
    Left,
    /// Something was deleted.
    Destroyed,
    /// A membership ran out.
    Expired,
    /// A merge request was approved.
    Approved,
}

impl Action {
    /// All actions, in the order of their numbers.
    pub const ALL: [Self; 12] = [
        Self::Created,
        Self::Updated,
        Self::Closed,
        Self::Reopened,
        Self::Pushed,
        Self::Commented,
        Self::Merged,
        Self::Joined,
        Self::Left,
        Self::Destroyed,
        Self::Expired,
        Self::Approved,
    ];

    /// The word to filter by. It is case-sensitive.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Closed => "closed",
            Self::Reopened => "reopened",
            Self::Pushed => "pushed",
            Self::Commented => "commented",
            Self::Merged => "merged",
            Self::Joined => "joined",
            Self::Left => "left",
            Self::Destroyed => "destroyed",
            Self::Expired => "expired",
            Self::Approved => "approved",
        }
    }

    /// The words of all actions, for documents.
    pub const NAMES: [&str; 12] = [
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

    /// The action with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str() == word)
    }

    /// The number in rows, from 1.
    pub const fn number(self) -> i16 {
        self as i16 + 1
    }

    /// The action with this number.
    pub fn from_number(number: i16) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|action| action.number() == number)
    }

    /// The word that is shown (`action_name`) for this action on `target`.
    ///
    /// A project that was made says `created`; every other thing that was made, changed or reopened says
    /// `opened`, as existing clients expect.
    pub fn label(self, target: Option<TargetType>) -> &'static str {
        match self {
            Self::Created if matches!(target, None | Some(TargetType::Project)) => "created",
            Self::Created | Self::Updated | Self::Reopened => "opened",
            Self::Closed => "closed",
            Self::Pushed => "pushed to",
            Self::Commented => "commented on",
            Self::Merged => "accepted",
            Self::Joined => "joined",
            Self::Left => "left",
            Self::Destroyed => "destroyed",
            Self::Expired => "removed due to membership expiration from",
            Self::Approved => "approved",
        }
    }
}

/// What kind of thing it was done to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TargetType {
    /// An issue.
    Issue,
    /// A milestone.
    Milestone,
    /// A merge request.
    MergeRequest,
    /// A comment.
    Note,
    /// A project.
    Project,
    /// A snippet.
    Snippet,
    /// A user.
    User,
    /// An alert. The specification does not list it, but its alerts have no other word in the feed.
    Alert,
    /// An error that programs report. The specification does not list it either.
    Error,
}

impl TargetType {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Self; 9] = [
        Self::Issue,
        Self::Milestone,
        Self::MergeRequest,
        Self::Note,
        Self::Project,
        Self::Snippet,
        Self::User,
        Self::Alert,
        Self::Error,
    ];

    /// The word to filter by. It is case-sensitive.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Issue => "issue",
            Self::Milestone => "milestone",
            Self::MergeRequest => "merge_request",
            Self::Note => "note",
            Self::Project => "project",
            Self::Snippet => "snippet",
            Self::User => "user",
            Self::Alert => "alert",
            Self::Error => "error",
        }
    }

    /// The word that is shown (`target_type`).
    pub const fn label(self) -> &'static str {
        match self {
            Self::Issue => "Issue",
            Self::Milestone => "Milestone",
            Self::MergeRequest => "MergeRequest",
            Self::Note => "Note",
            Self::Project => "Project",
            Self::Snippet => "Snippet",
            Self::User => "User",
            Self::Alert => "Alert",
            Self::Error => "Error",
        }
    }

    /// The words of all kinds, for documents.
    pub const NAMES: [&str; 9] = [
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

    /// The kind with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// The number in rows, from 1.
    pub const fn number(self) -> i16 {
        self as i16 + 1
    }

    /// The kind with this number.
    pub fn from_number(number: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.number() == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_round_trip() {
        for action in Action::ALL {
            assert_eq!(Action::parse(action.as_str()), Some(action));
            assert_eq!(Action::from_number(action.number()), Some(action));
        }
        for kind in TargetType::ALL {
            assert_eq!(TargetType::parse(kind.as_str()), Some(kind));
            assert_eq!(TargetType::from_number(kind.number()), Some(kind));
        }
        assert_eq!(
            (Action::Created.number(), Action::Approved.number()),
            (1, 12)
        );
    }

    #[test]
    fn the_shown_word_is_not_the_filter_word() {
        let cases = [
            (Action::Created, None, "created"),
            (Action::Created, Some(TargetType::Alert), "opened"),
            (Action::Reopened, Some(TargetType::Issue), "opened"),
            (Action::Merged, Some(TargetType::MergeRequest), "accepted"),
            (Action::Closed, Some(TargetType::Alert), "closed"),
        ];
        for (action, target, label) in cases {
            assert_eq!(action.label(target), label);
        }
        assert_eq!(Action::parse("opened"), None);
        assert_eq!(Action::parse("Closed"), None);
    }
}
