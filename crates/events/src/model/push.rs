//! Pushes: the refs that they change, and their commits.

/// Kinds of refs that the feed shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum RefKind {
    /// Branch.
    Branch,
    /// Tag.
    Tag,
}

impl RefKind {
    /// All kinds.
    pub const ALL: [Self; 2] = [Self::Branch, Self::Tag];

    /// Word in responses (`ref_type`).
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Branch => "branch",
            Self::Tag => "tag",
        }
    }

    /// Returns the kind with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// Splits the full name of a ref, such as `refs/heads/main`, into its kind and its short name.
    /// `None` for refs of other kinds, such as `refs/notes/commits`.
    pub fn split(full_name: &str) -> Option<(Self, &str)> {
        let name_in = |kind: Self| Some((kind, full_name.strip_prefix(kind.prefix())?));
        Self::ALL.into_iter().find_map(name_in)
    }

    const fn prefix(self) -> &'static str {
        match self {
            Self::Branch => "refs/heads/",
            Self::Tag => "refs/tags/",
        }
    }
}

/// Changes of a ref.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum RefAction {
    /// Ref created.
    Created,
    /// Ref removed.
    Removed,
    /// Commits pushed to an existing ref.
    Pushed,
}

impl RefAction {
    /// All changes.
    pub const ALL: [Self; 3] = [Self::Created, Self::Removed, Self::Pushed];

    /// Word in responses (`push_data.action`).
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Removed => "removed",
            Self::Pushed => "pushed",
        }
    }

    /// Returns the change with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str() == word)
    }

    /// Display label of the event (`action_name`).
    pub const fn label(self) -> &'static str {
        match self {
            Self::Created => "pushed new",
            Self::Removed => "deleted",
            Self::Pushed => "pushed to",
        }
    }
}

/// Commits of a ref before and after a push, as hashes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CommitRange {
    /// Ref created at a commit.
    Created {
        /// New commit.
        to: String,
    },
    /// Ref removed.
    Removed {
        /// Last commit.
        from: String,
    },
    /// Ref moved from one commit to another.
    Pushed {
        /// Old commit.
        from: String,
        /// New commit.
        to: String,
    },
}

impl CommitRange {
    /// Creates the range of a ref that had and has these commits; `None` for a ref without any.
    pub fn new(from: Option<String>, to: Option<String>) -> Option<Self> {
        match (from, to) {
            (None, None) => None,
            (None, Some(to)) => Some(Self::Created { to }),
            (Some(from), None) => Some(Self::Removed { from }),
            (Some(from), Some(to)) => Some(Self::Pushed { from, to }),
        }
    }

    /// Change of the ref.
    pub const fn action(&self) -> RefAction {
        match self {
            Self::Created { .. } => RefAction::Created,
            Self::Removed { .. } => RefAction::Removed,
            Self::Pushed { .. } => RefAction::Pushed,
        }
    }

    /// Old commit; `None` for a created ref.
    pub fn before(&self) -> Option<&str> {
        match self {
            Self::Created { .. } => None,
            Self::Removed { from } | Self::Pushed { from, .. } => Some(from),
        }
    }

    /// New commit; `None` for a removed ref.
    pub fn after(&self) -> Option<&str> {
        match self {
            Self::Removed { .. } => None,
            Self::Created { to } | Self::Pushed { to, .. } => Some(to),
        }
    }
}

/// Ref of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PushedRef {
    /// Short name, such as `main`.
    pub name: String,
    /// Commits before and after the push.
    pub commits: CommitRange,
    /// Number of pushed commits.
    pub commit_count: u32,
    /// Title of the newest commit, if known.
    pub commit_title: Option<String>,
}

/// Refs of a push event.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PushedRefs {
    /// A single ref.
    One(PushedRef),
    /// Refs of a bulk push, which are only counted.
    Many {
        /// Change of each ref.
        action: RefAction,
        /// Number of refs.
        count: u32,
    },
}

/// Push of an event (`push_data`).
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PushData {
    /// Kind of the refs.
    pub ref_kind: RefKind,
    /// Refs.
    pub refs: PushedRefs,
}

impl PushData {
    /// Change of the refs.
    pub const fn action(&self) -> RefAction {
        match &self.refs {
            PushedRefs::One(one) => one.commits.action(),
            PushedRefs::Many { action, .. } => *action,
        }
    }

    /// Number of refs.
    pub const fn ref_count(&self) -> u32 {
        match &self.refs {
            PushedRefs::One(_) => 1,
            PushedRefs::Many { count, .. } => *count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refs_are_split_into_kind_and_name() {
        for (full, split) in [
            ("refs/heads/main", Some((RefKind::Branch, "main"))),
            ("refs/heads/a/b", Some((RefKind::Branch, "a/b"))),
            ("refs/tags/v1", Some((RefKind::Tag, "v1"))),
            ("refs/heads/", Some((RefKind::Branch, ""))),
            ("refs/notes/commits", None),
            ("refs/headsmain", None),
            ("main", None),
        ] {
            assert_eq!(RefKind::split(full), split, "{full}");
        }
    }
}
