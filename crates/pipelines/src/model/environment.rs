//! Environments, the targets of deployments.

use api_conventions::ids::{EnvironmentId, ProjectId};
use api_conventions::time::Timestamp;
use api_conventions::validation::{failure, not_blank};
use url::Url;
use validator::{Validate, ValidationError};

use super::MAX_NAME;

api_conventions::named! {
    /// State of an environment.
    #[derive(Default)]
    pub enum EnvironmentState {
        /// Available.
        #[default]
        Available = 0, "available";
        /// Stopped.
        Stopped = 1, "stopped";
    }
}

api_conventions::named! {
    /// Deployment tier of an environment.
    #[derive(Default)]
    pub enum EnvironmentTier {
        /// For end users.
        Production = 0, "production";
        /// For checks before production.
        Staging = 1, "staging";
        /// For tests.
        Testing = 2, "testing";
        /// For development.
        Development = 3, "development";
        /// Anything else.
        #[default]
        Other = 4, "other";
    }
}

/// An environment of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    /// Id.
    pub id: EnvironmentId,
    /// The project.
    pub project_id: ProjectId,
    /// Name, unique in the project.
    pub name: String,
    /// Short name for hosts and files, unique in the project: at most 24 letters, digits and dashes. Never changes.
    pub slug: String,
    /// URL at which the deployment can be reached.
    pub external_url: Option<String>,
    /// Available or stopped.
    pub state: EnvironmentState,
    /// Deployment tier.
    pub tier: EnvironmentTier,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// Environment to insert. Its state is available.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEnvironment {
    /// The project.
    pub project_id: ProjectId,
    /// Name.
    pub name: String,
    /// Slug.
    pub slug: String,
    /// URL at which the deployment can be reached.
    pub external_url: Option<String>,
    /// Deployment tier.
    pub tier: EnvironmentTier,
    /// Time of creation.
    pub created_at: Timestamp,
}

impl NewEnvironment {
    /// Returns the environment as stored under an id.
    pub fn stored(&self, id: EnvironmentId) -> Environment {
        Environment {
            id,
            project_id: self.project_id,
            name: self.name.clone(),
            slug: self.slug.clone(),
            external_url: self.external_url.clone(),
            state: EnvironmentState::Available,
            tier: self.tier,
            created_at: self.created_at,
            updated_at: self.created_at,
        }
    }
}

/// Update of an environment: all fields that can change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentChange {
    /// Name.
    pub name: String,
    /// URL at which the deployment can be reached.
    pub external_url: Option<String>,
    /// Available or stopped.
    pub state: EnvironmentState,
    /// Deployment tier.
    pub tier: EnvironmentTier,
    /// Current time.
    pub updated_at: Timestamp,
}

impl EnvironmentChange {
    /// Creates an update that changes nothing except the time.
    pub fn of(environment: &Environment, now: Timestamp) -> Self {
        Self {
            name: environment.name.clone(),
            external_url: environment.external_url.clone(),
            state: environment.state,
            tier: environment.tier,
            updated_at: now,
        }
    }

    /// Applies the update.
    pub fn apply(&self, environment: &mut Environment) {
        environment.name.clone_from(&self.name);
        environment.external_url.clone_from(&self.external_url);
        environment.state = self.state;
        environment.tier = self.tier;
        environment.updated_at = self.updated_at;
    }
}

/// Name condition of a list of environments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EnvironmentName {
    /// Exactly this name.
    Is(String),
    /// Names that contain this text, ignoring case.
    Holds(String),
}

/// Filter of a project's list of environments, which is sorted by id. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentFilter {
    /// The project.
    pub project_id: ProjectId,
    /// Only environments whose name matches.
    pub name: Option<EnvironmentName>,
    /// Only environments in this state.
    pub state: Option<EnvironmentState>,
}

impl EnvironmentFilter {
    /// Creates a filter for all environments of a project.
    pub fn new(project_id: ProjectId) -> Self {
        Self {
            project_id,
            name: None,
            state: None,
        }
    }
}

/// Text fields of an environment, for validation.
#[derive(Debug, Validate)]
pub(crate) struct EnvironmentText<'t> {
    #[validate(
        custom(function = "not_blank"),
        custom(function = "is_name"),
        length(max = "MAX_NAME")
    )]
    pub(crate) name: &'t str,
    #[validate(custom(function = "is_address"), length(max = "MAX_NAME"))]
    pub(crate) external_url: Option<&'t str>,
}

fn is_name(text: &str) -> Result<(), ValidationError> {
    const RULE: &str = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or \
                        end with '/'";
    let fits =
        |character: char| character.is_ascii_alphanumeric() || "-_/${}. ".contains(character);
    let is_open = text.starts_with('/') || text.ends_with('/');
    if text.chars().all(fits) && !is_open {
        return Ok(());
    }
    Err(failure(RULE))
}

fn is_address(text: &str) -> Result<(), ValidationError> {
    let address = Url::parse(text).ok();
    let is_web =
        |address: &Url| ["http", "https"].contains(&address.scheme()) && address.has_host();
    if address.as_ref().is_some_and(is_web) {
        return Ok(());
    }
    Err(failure("is blocked: Only allowed schemes are http, https"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use api_conventions::validation::check;

    fn text<'t>(name: &'t str, external_url: Option<&'t str>) -> EnvironmentText<'t> {
        EnvironmentText { name, external_url }
    }

    #[test]
    fn names_and_addresses_are_held_to_their_rules() {
        let long = "x".repeat(256);
        for (sound, name, address) in [
            (true, "review/feature-1", Some("https://shop.example/a")),
            (true, "${CI} x.y_z", None),
            (false, "/review", None),
            (false, "review/", None),
            (false, "naïve", None),
            (false, " ", None),
            (false, &long, None),
            (false, "a", Some("ftp://shop.example")),
            (false, "a", Some("javascript:alert(1)")),
            (false, "a", Some("shop.example")),
        ] {
            let failures = check(&text(name, address));
            assert_eq!(
                failures.is_empty(),
                sound,
                "{name:?} {address:?}: {failures}"
            );
        }
    }
}
