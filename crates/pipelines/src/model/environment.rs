//! Environments: where something is deployed to.

use api_conventions::ids::{EnvironmentId, ProjectId};
use api_conventions::time::Timestamp;
use api_conventions::validation::{failure, not_blank};
use url::Url;
use validator::{Validate, ValidationError};

use super::MAX_NAME;

api_conventions::named! {
    /// Whether an environment is in use.
    #[derive(Default)]
    pub enum EnvironmentState {
        /// It is in use.
        #[default]
        Available = 0, "available";
        /// It was stopped.
        Stopped = 1, "stopped";
    }
}

api_conventions::named! {
    /// What an environment is for.
    #[derive(Default)]
    pub enum EnvironmentTier {
        /// People use it.
        Production = 0, "production";
        /// It is tried there before it is in production.
        Staging = 1, "staging";
        /// It is tested there.
        Testing = 2, "testing";
        /// It is developed there.
        Development = 3, "development";
        /// Anything else.
        #[default]
        Other = 4, "other";
    }
}

/// An environment of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    /// Its id.
    pub id: EnvironmentId,
    /// The project.
    pub project_id: ProjectId,
    /// Its name, unique in the project.
    pub name: String,
    /// A name for hosts and files, unique in the project: at most 24 letters, digits and dashes. It never changes.
    pub slug: String,
    /// Where what is deployed there can be reached.
    pub external_url: Option<String>,
    /// Whether it is in use.
    pub state: EnvironmentState,
    /// What it is for.
    pub tier: EnvironmentTier,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// An environment to be inserted. It is available.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEnvironment {
    /// The project.
    pub project_id: ProjectId,
    /// Its name.
    pub name: String,
    /// Its slug.
    pub slug: String,
    /// Where what is deployed there can be reached.
    pub external_url: Option<String>,
    /// What it is for.
    pub tier: EnvironmentTier,
    /// When it was made.
    pub created_at: Timestamp,
}

impl NewEnvironment {
    /// The environment that this becomes under an id.
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

/// All that can be changed of an environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentChange {
    /// Its name.
    pub name: String,
    /// Where what is deployed there can be reached.
    pub external_url: Option<String>,
    /// Whether it is in use.
    pub state: EnvironmentState,
    /// What it is for.
    pub tier: EnvironmentTier,
    /// Now.
    pub updated_at: Timestamp,
}

impl EnvironmentChange {
    /// The change that leaves everything as it is, but for the time.
    pub fn of(environment: &Environment, now: Timestamp) -> Self {
        Self {
            name: environment.name.clone(),
            external_url: environment.external_url.clone(),
            state: environment.state,
            tier: environment.tier,
            updated_at: now,
        }
    }

    /// Makes the change.
    pub fn apply(&self, environment: &mut Environment) {
        environment.name.clone_from(&self.name);
        environment.external_url.clone_from(&self.external_url);
        environment.state = self.state;
        environment.tier = self.tier;
        environment.updated_at = self.updated_at;
    }
}

/// Which environments are listed by their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EnvironmentName {
    /// The one with exactly this name.
    Is(String),
    /// Those with this text in their name, in any case.
    Holds(String),
}

/// Which environments of a project to list, in the order of their ids. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentFilter {
    /// The project.
    pub project_id: ProjectId,
    /// Only those with such a name.
    pub name: Option<EnvironmentName>,
    /// Only those of this state.
    pub state: Option<EnvironmentState>,
}

impl EnvironmentFilter {
    /// All environments of a project.
    pub fn new(project_id: ProjectId) -> Self {
        Self {
            project_id,
            name: None,
            state: None,
        }
    }
}

/// What people write of an environment, to be validated.
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
