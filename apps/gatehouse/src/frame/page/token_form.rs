//! Query and form of the page of access tokens.

use accounts::TokenValidity;
use accounts::flow::issue_token::{IssueToken, IssueTokenError, MAX_NAME};
use actix_web::HttpRequest;
use api_conventions::ids::{TokenId, UserId};
use api_conventions::page::OffsetPage;
use api_conventions::secret::SecretDigest;
use api_conventions::time::{CalendarDate, Timestamp};
use oauth_provider::ScopeRegistry;

use super::scope_choice::ScopeChoice;
use super::scope_wording::ScopeWording;
use crate::frame::form::PageForm;
use crate::frame::return_to::query_value;

/// Tokens per page of the list.
const PER_PAGE: u64 = 50;

/// Query of the page.
#[derive(Debug, Clone, Copy)]
pub struct TokenListQuery {
    /// True to list revoked and expired tokens instead of active ones.
    pub(super) shows_invalid: bool,
    /// Page of the list.
    pub paging: OffsetPage,
    /// Id of the token that was just created, which the redirect after the form names.
    pub created: Option<TokenId>,
}

impl TokenListQuery {
    /// Parses the query of a request. Invalid values count as missing.
    pub fn of(request: &HttpRequest) -> Self {
        let number = |name| query_value(request, name).and_then(|text| text.parse::<i64>().ok());
        let page = number("page").and_then(|page| u64::try_from(page).ok());
        Self {
            shows_invalid: query_value(request, "state").as_deref() == Some("inactive"),
            paging: OffsetPage::new(page.unwrap_or(1).clamp(1, 1000), PER_PAGE),
            created: number("created").map(TokenId::new),
        }
    }

    /// Validity of the listed tokens.
    pub const fn validity(self, today: CalendarDate) -> TokenValidity {
        if self.shows_invalid {
            TokenValidity::Invalid(today)
        } else {
            TokenValidity::Valid(today)
        }
    }
}

/// Fields of the form.
#[derive(Debug, Clone, Default)]
pub struct TokenForm {
    pub(super) name: String,
    pub(super) expires_on: String,
    scopes: Vec<String>,
    /// Role of the bot, by its number; empty for a token of a user.
    pub level: String,
    /// Error of the form, as a sentence.
    pub problem: Option<String>,
}

impl TokenForm {
    /// Reads the fields of a submitted form.
    pub fn read(form: &PageForm) -> Self {
        let scopes = form.words("token[scopes]");
        Self {
            name: form.text("token[name]").trim().to_owned(),
            expires_on: form.text("token[expires_at]").trim().to_owned(),
            scopes: scopes.iter().map(ToString::to_string).collect(),
            level: form.text("token[access_level]").to_owned(),
            problem: None,
        }
    }

    /// Returns the scopes that are offered, of which those of the form are selected.
    /// `is_admin` says that the token acts for an administrator.
    pub fn choices(
        &self,
        registry: &ScopeRegistry,
        is_admin: bool,
        wording: ScopeWording,
    ) -> Vec<ScopeChoice> {
        let chosen: Vec<&str> = self.scopes.iter().map(String::as_str).collect();
        ScopeChoice::all(registry, &chosen, is_admin, wording)
    }

    /// Returns the request to create the token for a user, who is also its author.
    ///
    /// # Errors
    /// If a field has an invalid value.
    pub fn issue(
        &self,
        registry: &ScopeRegistry,
        user_id: UserId,
        digest: SecretDigest,
        now: Timestamp,
    ) -> Result<IssueToken, IssueTokenError> {
        let scopes = registry.parse_offered(&self.scopes.join(" "));
        let scopes = scopes.map_err(|_| IssueTokenError::NoScope)?;
        let mut issue = IssueToken::new(user_id, Some(user_id), &*self.name, scopes, digest, now);
        if !self.expires_on.is_empty() {
            let day = CalendarDate::parse(&self.expires_on);
            issue.expires_on = Some(day.ok_or(IssueTokenError::Expiry)?);
        }
        Ok(issue)
    }

    /// Returns the form with the error of a refused token.
    #[must_use]
    pub fn refused(mut self, problem: &IssueTokenError) -> Self {
        self.problem = Some(match problem {
            IssueTokenError::NoName | IssueTokenError::LongName => {
                format!("Enter a name of at most {MAX_NAME} characters.")
            }
            IssueTokenError::NoScope => "Choose at least one scope.".to_owned(),
            IssueTokenError::Expiry => {
                "Enter a day of expiry that is after today and within a year.".to_owned()
            }
            refused => format!("Token not created: {refused}."),
        });
        self
    }
}
