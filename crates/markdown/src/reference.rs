//! References in a text, and their targets.

use std::collections::HashMap;

/// Short reference in a text to a user, an issue, an alert, a label or a milestone.
/// Two spellings of the same reference are equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Reference {
    /// `@username`, in lower case, because usernames are case-insensitive.
    User(String),
    /// `#12`, `group/project#12`, or the URL of an issue on this server.
    Issue {
        /// Full path of the project, in lower case; `None` for the project that contains the text.
        project: Option<String>,
        /// Number in the project.
        iid: i64,
    },
    /// `^alert#12`: an alert of the project that contains the text.
    Alert {
        /// Number in the project.
        iid: i64,
    },
    /// `~label` or `~"two words"`: a label by its title, as it is written.
    Label(String),
    /// `%milestone` or `%"two words"`: a milestone by its title, as it is written.
    Milestone(String),
}

impl Reference {
    /// Second CSS class of the link, by which pages distinguish the kinds.
    pub(crate) const fn class(&self) -> &'static str {
        match self {
            Self::User(_) => "reference-user",
            Self::Issue { .. } => "reference-issue",
            Self::Alert { .. } => "reference-alert",
            Self::Label(_) => "reference-label",
            Self::Milestone(_) => "reference-milestone",
        }
    }

    /// All CSS classes of reference links.
    pub(crate) const CLASSES: [&'static str; 6] = [
        "reference",
        "reference-user",
        "reference-issue",
        "reference-alert",
        "reference-label",
        "reference-milestone",
    ];
}

/// Target of a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// URL with the scheme `http` or `https`, or an absolute path on this site.
    pub href: String,
    /// Tooltip of the link, such as a user's name or an issue's title.
    /// Empty for none.
    pub title: String,
}

/// References that exist and that the viewer may see.
/// References not in the map stay text.
pub type ResolvedReferences = HashMap<Reference, Target>;
