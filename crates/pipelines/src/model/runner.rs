//! Runners: programs that execute jobs. This server registers them and executes nothing.

use api_conventions::ids::{NamespaceId, ProjectId, RunnerId, UserId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;

/// Prefix of the authentication tokens of runners, by which people and secret scanners recognize them.
pub const RUNNER_PREFIX: &str = "ghrt_";
/// Prefix of registration tokens.
pub const REGISTRATION_PREFIX: &str = "ghrr_";

api_conventions::named! {
    /// Kind of a runner, by the place that it belongs to.
    pub enum RunnerType {
        /// For all projects of the instance.
        Instance = 1, "instance_type";
        /// For the projects in a group and its subgroups.
        Group = 2, "group_type";
        /// For single projects.
        Project = 3, "project_type";
    }
}

api_conventions::named! {
    /// Branches and tags whose jobs a runner accepts.
    #[derive(Default)]
    pub enum RunnerAccess {
        /// All of them.
        #[default]
        NotProtected = 0, "not_protected";
        /// Only protected ones.
        RefProtected = 1, "ref_protected";
    }
}

/// Owner of a runner or a registration token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RunnerPlace {
    /// The instance.
    Instance,
    /// A group.
    Group(NamespaceId),
    /// A project.
    Project(ProjectId),
}

impl RunnerPlace {
    /// Returns the number of the kind and the id, as stored in rows. The id of the instance is 0.
    pub const fn numbers(self) -> (i16, i64) {
        match self {
            Self::Instance => (1, 0),
            Self::Group(id) => (2, id.get()),
            Self::Project(id) => (3, id.get()),
        }
    }

    /// Returns the place of the kind with this number; `None` for an unknown kind.
    pub const fn from_numbers(kind: i16, id: i64) -> Option<Self> {
        match kind {
            1 => Some(Self::Instance),
            2 => Some(Self::Group(NamespaceId::new(id))),
            3 => Some(Self::Project(ProjectId::new(id))),
            _ => None,
        }
    }

    /// Kind of the runners of the place.
    pub const fn runner_type(self) -> RunnerType {
        match self {
            Self::Instance => RunnerType::Instance,
            Self::Group(_) => RunnerType::Group,
            Self::Project(_) => RunnerType::Project,
        }
    }
}

/// Settings of a runner, which its managers change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunnerSettings {
    /// Description.
    pub description: String,
    /// Note for those who maintain the runner.
    pub maintenance_note: Option<String>,
    /// True if the runner gets no jobs.
    pub paused: bool,
    /// True if the runner cannot be assigned to further projects.
    pub locked: bool,
    /// True if the runner accepts jobs without tags.
    pub run_untagged: bool,
    /// Branches and tags whose jobs the runner accepts.
    pub access_level: RunnerAccess,
    /// Longest run time of a job, in seconds; `None` for no limit of its own.
    pub maximum_timeout: Option<i32>,
    /// Tags, without duplicates.
    pub tags: Vec<String>,
}

impl Default for RunnerSettings {
    fn default() -> Self {
        Self {
            description: String::new(),
            maintenance_note: None,
            paused: false,
            locked: false,
            run_untagged: true,
            access_level: RunnerAccess::default(),
            maximum_timeout: None,
            tags: Vec::new(),
        }
    }
}

/// Facts that the program of a runner reports about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunnerInfo {
    /// Name of the program.
    pub name: Option<String>,
    /// Version of the program.
    pub version: Option<String>,
    /// Revision of its source.
    pub revision: Option<String>,
    /// Operating system.
    pub platform: Option<String>,
    /// Architecture of the processor.
    pub architecture: Option<String>,
}

impl RunnerInfo {
    /// Longest value, in characters. Longer ones are truncated.
    pub const MAX_VALUE: usize = 255;

    /// Truncates a reported value; `None` for an empty one.
    pub fn value(text: &str) -> Option<String> {
        let text: String = text.chars().take(Self::MAX_VALUE).collect();
        (!text.is_empty()).then_some(text)
    }
}

/// A stored runner. Only the digest of its authentication token is kept, and only in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runner {
    /// Id.
    pub id: RunnerId,
    /// Kind.
    pub runner_type: RunnerType,
    /// Settings.
    pub settings: RunnerSettings,
    /// Reported facts.
    pub info: RunnerInfo,
    /// Stored time of the last contact, which may be up to an hour behind; `None` if there was none.
    pub contacted_at: Option<Timestamp>,
    /// User who created the runner, or the registration token with which it was registered.
    pub creator_id: UserId,
    /// Time of creation.
    pub created_at: Timestamp,
}

/// Runner to insert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRunner {
    /// First place of the runner, which determines its kind.
    pub place: RunnerPlace,
    /// Settings.
    pub settings: RunnerSettings,
    /// Reported facts.
    pub info: RunnerInfo,
    /// Digest of the authentication token.
    pub digest: SecretDigest,
    /// User who creates the runner, or who created its registration token.
    pub creator_id: UserId,
    /// Time of creation: now.
    pub created_at: Timestamp,
}

impl NewRunner {
    /// Returns the runner as stored under an id.
    pub fn stored(&self, id: RunnerId) -> Runner {
        Runner {
            id,
            runner_type: self.place.runner_type(),
            settings: self.settings.clone(),
            info: self.info.clone(),
            contacted_at: None,
            creator_id: self.creator_id,
            created_at: self.created_at,
        }
    }
}

/// Registration token of a place, without the token itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegistrationToken {
    /// Place whose runners register with it.
    pub place: RunnerPlace,
    /// User who created it.
    pub creator_id: UserId,
    /// Time of creation.
    pub created_at: Timestamp,
}

/// A contact of a runner, to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunnerContact {
    /// Id of the runner.
    pub id: RunnerId,
    /// Time of the contact.
    pub at: Timestamp,
    /// Facts that it reported; those that are `None` keep their stored value.
    pub info: RunnerInfo,
}

/// Condition on the contact of a runner. The last contact of the runners in `live` is later than the stored one, and
/// after `online_since`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactFilter {
    /// State of the contact.
    pub state: ContactState,
    /// Runners are online after a contact later than this time.
    pub online_since: Timestamp,
    /// Runners are stale that were created and contacted at this time at the latest.
    pub stale_until: Timestamp,
    /// Runners that are online although their stored contact is too early for that.
    pub live: Vec<RunnerId>,
}

/// State of the contact in a filter. A stale runner is also offline or not connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactState {
    /// Contacted recently.
    Online,
    /// Contacted, but not recently.
    Offline,
    /// Never contacted.
    NotConnected,
    /// Created and contacted long ago.
    Stale,
}

/// Runners that a list is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunnersOf {
    /// All runners.
    Everything,
    /// The runners of these places; those of the instance if it is one of them.
    Places(Vec<RunnerPlace>),
}

/// Filter of a list of runners, which is sorted by id. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunnerFilter {
    /// Runners that the list is about.
    pub of: RunnersOf,
    /// Only runners of this kind.
    pub runner_type: Option<RunnerType>,
    /// True for paused runners only, false for others only.
    pub paused: Option<bool>,
    /// Only runners whose contact is in this state.
    pub contact: Option<ContactFilter>,
    /// Only runners with each of these tags.
    pub tags: Vec<String>,
}

impl RunnerFilter {
    /// Creates a filter without further conditions.
    pub const fn new(of: RunnersOf) -> Self {
        Self {
            of,
            runner_type: None,
            paused: None,
            contact: None,
            tags: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_as_it_was_written() {
        for place in [
            RunnerPlace::Instance,
            RunnerPlace::Group(NamespaceId::new(3)),
            RunnerPlace::Project(ProjectId::new(3)),
        ] {
            let (kind, id) = place.numbers();
            assert_eq!(RunnerPlace::from_numbers(kind, id), Some(place));
            assert_eq!(place.runner_type().number(), kind);
        }
        assert_eq!(RunnerPlace::from_numbers(0, 3), None);
    }

    #[test]
    fn reported_values_are_truncated() {
        let long = "é".repeat(300);
        let value = RunnerInfo::value(&long).unwrap();
        assert_eq!(value.chars().count(), RunnerInfo::MAX_VALUE);
        assert_eq!(RunnerInfo::value(""), None);
    }
}
