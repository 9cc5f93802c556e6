//! What a text refers to, and where that leads.

use std::collections::HashMap;

/// Something that a text refers to by a short form. Two spellings of the same thing are equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Reference {
    /// `@username`. The name is in lower case, because usernames are found in any case.
    User(String),
    /// `#12`, `group/project#12`, or the address of an issue of this server.
    Issue {
        /// The full path of its project, in lower case; `None` for the project in which the text stands.
        project: Option<String>,
        /// Its number in the project.
        iid: i64,
    },
    /// `^alert#12`: an alert of the project in which the text stands.
    Alert {
        /// Its number in the project.
        iid: i64,
    },
    /// `~label` or `~"two words"`: a label by its title, as it is written.
    Label(String),
    /// `%milestone` or `%"two words"`: a milestone by its title, as it is written.
    Milestone(String),
}

impl Reference {
    /// The second class of its link: pages tell kinds apart by it.
    pub(crate) const fn class(&self) -> &'static str {
        match self {
            Self::User(_) => "reference-user",
            Self::Issue { .. } => "reference-issue",
            Self::Alert { .. } => "reference-alert",
            Self::Label(_) => "reference-label",
            Self::Milestone(_) => "reference-milestone",
        }
    }

    /// Every class of a link that is a reference.
    pub(crate) const CLASSES: [&'static str; 6] = [
        "reference",
        "reference-user",
        "reference-issue",
        "reference-alert",
        "reference-label",
        "reference-milestone",
    ];
}

/// Where a reference leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The address: with the scheme `http` or `https`, or from the root of the site on.
    pub href: String,
    /// What a browser shows beside the link: the name of a person, the title of an issue. Empty for nothing.
    pub title: String,
}

/// The references that exist and that the viewer may know of. What is not in it stays text.
pub type Resolved = HashMap<Reference, Target>;
