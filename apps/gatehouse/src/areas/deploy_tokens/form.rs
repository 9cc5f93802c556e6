//! Rows of the list of deploy tokens, and the form to create one.

use accounts::DeployToken;
use accounts::flow::deploy_tokens::{CreateDeployToken, DeployTokenError};
use accounts::model::DEPLOY_SCOPES;
use api_conventions::ids::{DeployTokenId, UserId};
use api_conventions::scope::Scope;
use api_conventions::secret::{PlainSecret, SecretDigest};
use api_conventions::time::{CalendarDate, Timestamp};

use crate::frame::form::PageForm;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::format::DisplayTime;

/// Sentences about the scopes, in the order of [`DEPLOY_SCOPES`].
const SENTENCES: [&str; 3] = [
    "Fetch repositories over Git.",
    "Pull images from container registries.",
    "Push images to container registries.",
];

/// Token in the list.
#[derive(Debug)]
pub(super) struct DeployTokenRow {
    pub(super) id: DeployTokenId,
    pub(super) name: DisplayName,
    pub(super) username: String,
    pub(super) scopes: String,
    pub(super) since: DisplayTime,
    /// Time of expiry; `None` if the token never expires.
    pub(super) expiry: Option<DisplayTime>,
    pub(super) is_expired: bool,
}

impl DeployTokenRow {
    /// Creates the row of a token.
    pub(super) fn of(token: &DeployToken, now: Timestamp) -> Self {
        let scopes: Vec<&str> = token.scopes.iter().map(Scope::as_str).collect();
        Self {
            id: token.id,
            name: DisplayName::of(&token.name),
            username: token.username(),
            scopes: scopes.join(", "),
            since: DisplayTime::at(token.created_at, now),
            expiry: token.expires_at.map(|at| DisplayTime::at(at, now)),
            is_expired: token.is_expired(now),
        }
    }
}

/// Token that was just created, with its secret.
#[derive(Debug)]
pub(super) struct NewDeploySecret {
    pub(super) name: DisplayName,
    pub(super) username: String,
    pub(super) secret: PlainSecret,
}

impl NewDeploySecret {
    /// Joins the created token with its secret.
    pub(super) fn of(token: Option<DeployToken>, secret: Option<PlainSecret>) -> Option<Self> {
        let token = token?;
        Some(Self {
            name: DisplayName::of(&token.name),
            username: token.username(),
            secret: secret?,
        })
    }
}

/// Scope to select.
#[derive(Debug)]
pub(super) struct ScopeBox {
    pub(super) word: &'static str,
    pub(super) sentence: &'static str,
    pub(super) is_chosen: bool,
}

/// Fields of the form.
#[derive(Debug, Clone, Default)]
pub(super) struct DeployTokenForm {
    pub(super) name: String,
    pub(super) username: String,
    pub(super) expires_on: String,
    pub(super) chosen: Vec<String>,
    /// Error of the form, as a sentence.
    pub(super) problem: Option<String>,
}

impl DeployTokenForm {
    /// Reads the fields of a submitted form.
    pub(super) fn read(form: &PageForm) -> Self {
        let text = |name| form.text(name).trim().to_owned();
        let chosen = form.words("deploy_token[scopes]");
        Self {
            name: text("deploy_token[name]"),
            username: text("deploy_token[username]"),
            expires_on: text("deploy_token[expires_at]"),
            chosen: chosen.iter().map(ToString::to_string).collect(),
            problem: None,
        }
    }

    /// Returns the scopes to select.
    pub(super) fn scopes(&self) -> Vec<ScopeBox> {
        let each = DEPLOY_SCOPES.iter().zip(SENTENCES);
        let choice = |(word, sentence): (&&'static str, &'static str)| ScopeBox {
            word,
            sentence,
            is_chosen: self.chosen.iter().any(|chosen| chosen == word),
        };
        each.map(choice).collect()
    }

    /// Returns the request to create the token.
    ///
    /// # Errors
    /// If a field has an invalid value.
    pub(super) fn request(
        &self,
        digest: SecretDigest,
        creator_id: UserId,
        now: Timestamp,
    ) -> Result<CreateDeployToken, DeployTokenError> {
        let scopes: Result<Vec<Scope>, _> = self.chosen.iter().map(|w| Scope::parse(w)).collect();
        let scopes = scopes.map_err(|_| DeployTokenError::Scopes)?;
        let mut expires_at = None;
        if !self.expires_on.is_empty() {
            let day = CalendarDate::parse(&self.expires_on).ok_or(DeployTokenError::Expiry)?;
            expires_at = Some(day.start());
        }
        Ok(CreateDeployToken {
            name: self.name.clone(),
            username: Some(self.username.clone()).filter(|name| !name.is_empty()),
            scopes: scopes.into_iter().collect(),
            digest,
            expires_at,
            creator_id,
            now,
        })
    }

    /// Returns the form with the error of a refused token.
    #[must_use]
    pub(super) fn refused(mut self, problem: &DeployTokenError) -> Self {
        self.problem = Some(match problem {
            DeployTokenError::Name => "Enter a name of at most 255 characters.".to_owned(),
            DeployTokenError::Username => {
                "Enter a username of letters, digits, and the characters _ - + and .".to_owned()
            }
            DeployTokenError::Scopes => "Choose at least one scope.".to_owned(),
            DeployTokenError::Expiry => "Enter a day of expiry that is after today.".to_owned(),
            refused => format!("Token not created: {refused}."),
        });
        self
    }
}
