//! Actions and target types: the standard ones by name, those of a host by number.

/// Declares the standard members of a vocabulary, with their numbers in rows and their filter words, and the type for
/// members that a host adds.
macro_rules! extensible {
    (
        $(#[$doc:meta])*
        $name:ident;
        $(#[$custom_doc:meta])*
        $custom:ident;
        $( $(#[$member_doc:meta])* $member:ident = $number:literal, $word:literal; )+
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $( $(#[$member_doc])* $member, )+
            /// A member that the host declares.
            Custom($custom),
        }

        impl $name {
            /// The standard members, in the order of their numbers.
            pub const STANDARD: &[Self] = &[$( Self::$member ),+];

            /// The filter words of the standard members, in the same order.
            pub const NAMES: &[&str] = &[$( $word ),+];

            /// The number in rows: from 1 for the standard members, from 1000 for those of a host.
            pub const fn number(self) -> i16 {
                match self {
                    $( Self::$member => $number, )+
                    Self::Custom(custom) => custom.0,
                }
            }

            /// The member with this number.
            /// Every number from 1000 up is valid, so an adapter does not need the words of a host.
            pub const fn from_number(number: i16) -> Option<Self> {
                match number {
                    $( $number => Some(Self::$member), )+
                    $custom::FIRST_NUMBER.. => Some(Self::Custom($custom(number))),
                    _ => None,
                }
            }

            /// The standard member with this filter word.
            pub(super) fn standard(word: &str) -> Option<Self> {
                let mut members = Self::STANDARD.iter().zip(Self::NAMES);
                members.find(|(_, name)| **name == word).map(|(member, _)| *member)
            }
        }

        $(#[$custom_doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $custom(i16);

        impl $custom {
            /// The smallest number.
            /// Numbers below it are for standard members.
            pub const FIRST_NUMBER: i16 = 1000;

            /// The member with this number in rows. The meaning of a number must not change as long as rows hold it.
            /// In a constant, a number below [`Self::FIRST_NUMBER`] fails the compilation.
            ///
            /// # Panics
            /// For a number below [`Self::FIRST_NUMBER`].
            pub const fn new(number: i16) -> Self {
                assert!(number >= Self::FIRST_NUMBER, "custom numbers start at 1000");
                Self(number)
            }

            /// Words of the member in a [`Vocabulary`](super::Vocabulary): the filter word and the display label.
            pub const fn named(self, word: &'static str, label: &'static str) -> HostWords<Self> {
                HostWords { member: self, number: self.0, word, label }
            }
        }
    };
}

/// Words of an action or a target type that a host declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostWords<M> {
    pub(super) member: M,
    pub(super) number: i16,
    pub(super) word: &'static str,
    pub(super) label: &'static str,
}

extensible! {
    /// Actions of the feed.
    Action;
    /// An action that a host declares.
    CustomAction;
    /// Resource created.
    Created = 1, "created";
    /// Resource updated.
    Updated = 2, "updated";
    /// Resource closed or resolved.
    Closed = 3, "closed";
    /// Closed resource reopened.
    Reopened = 4, "reopened";
    /// Commits pushed.
    Pushed = 5, "pushed";
    /// Comment added.
    Commented = 6, "commented";
    /// Merge request merged.
    Merged = 7, "merged";
    /// Member joined.
    Joined = 8, "joined";
    /// Member left.
    Left = 9, "left";
    /// Resource deleted.
    Destroyed = 10, "destroyed";
    /// Membership expired.
    Expired = 11, "expired";
    /// Merge request approved.
    Approved = 12, "approved";
}

extensible! {
    /// Target types of events.
    TargetType;
    /// A target type that a host declares.
    CustomTarget;
    /// An issue.
    Issue = 1, "issue";
    /// A milestone.
    Milestone = 2, "milestone";
    /// A merge request.
    MergeRequest = 3, "merge_request";
    /// A comment.
    Note = 4, "note";
    /// A project.
    Project = 5, "project";
    /// A snippet.
    Snippet = 6, "snippet";
    /// A user.
    User = 7, "user";
    /// An alert.
    /// The specification does not list it, but has no other word for alerts in the feed.
    Alert = 8, "alert";
    /// An error from error tracking.
    /// The specification does not list it either.
    Error = 9, "error";
}

#[cfg(feature = "serde")]
api_conventions::stored_as_number!(Action, TargetType);
