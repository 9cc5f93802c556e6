//! Actions and kinds of targets: the standard ones by name, those of a host by number.

/// Declares the standard members of a vocabulary, with their numbers in rows and their words in filters, and the
/// type by which a host has members of its own.
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

            /// The member with this number. Every number from 1000 on is one, so an adapter knows no words of hosts.
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
            /// The smallest number. Those below it are for standard members.
            pub const FIRST_NUMBER: i16 = 1000;

            /// The member with this number in rows, which means the same for as long as rows have it. In a constant, a number
            /// below [`Self::FIRST_NUMBER`] fails the compilation.
            ///
            /// # Panics
            /// For a number below [`Self::FIRST_NUMBER`].
            pub const fn new(number: i16) -> Self {
                assert!(number >= Self::FIRST_NUMBER, "a number of a host, from 1000 on");
                Self(number)
            }

            /// Its words in a [`Vocabulary`](super::Vocabulary): what one filters by, and what is shown.
            pub const fn named(self, word: &'static str, label: &'static str) -> HostWords<Self> {
                HostWords { member: self, number: self.0, word, label }
            }
        }
    };
}

/// The words of an action or a kind of target that a host declares.
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
    /// An action of a host.
    CustomAction;
    /// Something was made.
    Created = 1, "created";
    /// Something was changed.
    Updated = 2, "updated";
    /// Something was closed or resolved.
    Closed = 3, "closed";
    /// Something that was closed is open again.
    Reopened = 4, "reopened";
    /// Commits were pushed.
    Pushed = 5, "pushed";
    /// Somebody commented.
    Commented = 6, "commented";
    /// A merge request was merged.
    Merged = 7, "merged";
    /// A member came.
    Joined = 8, "joined";
    /// A member went.
    Left = 9, "left";
    /// Something was deleted.
    Destroyed = 10, "destroyed";
    /// A membership ran out.
    Expired = 11, "expired";
    /// A merge request was approved.
    Approved = 12, "approved";
}

extensible! {
    /// Kinds of things that entries are about.
    TargetType;
    /// A kind of target of a host.
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
    /// An alert. The specification does not list it, but its alerts have no other word in the feed.
    Alert = 8, "alert";
    /// An error that programs report. The specification does not list it either.
    Error = 9, "error";
}

#[cfg(feature = "serde")]
api_conventions::stored_as_number!(Action, TargetType);
