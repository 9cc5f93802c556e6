//! Page of access tokens: those of a user, of a project or of a group.

use accounts::flow::issue_token::{IssueToken, IssueTokenError, MAX_NAME};
use accounts::{AccessToken, TokenState, TokenValidity};
use actix_web::HttpRequest;
use api_conventions::ids::{TokenId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::secret::{PlainSecret, SecretDigest};
use api_conventions::time::{CalendarDate, Timestamp};
use askama::Template;
use oauth_provider::ScopeRegistry;

use super::display_name::DisplayName;
use super::format::{DisplayTime, ScopeText};
use super::list::Choice;
use super::scope_choice::ScopeChoice;
use super::shell::Shell;
use crate::frame::form::PageForm;
use crate::frame::return_to::query_value;
use crate::frame::token_expiry;

/// Tokens per page of the list.
const PER_PAGE: u64 = 50;

/// Query of the page.
#[derive(Debug, Clone, Copy)]
pub struct TokenListQuery {
    /// True to list revoked and expired tokens instead of active ones.
    shows_invalid: bool,
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

/// Token in the list.
#[derive(Debug)]
pub struct TokenRow {
    id: TokenId,
    name: DisplayName,
    /// Role of the bot; `None` for a token of a user, and empty once the role has ended.
    role: Option<&'static str>,
    scopes: Vec<ScopeText>,
    since: DisplayTime,
    last_used: Option<DisplayTime>,
    /// First day on which the token is no longer valid; `None` if it never expires.
    expires_on: Option<CalendarDate>,
    /// True if the token expires soon.
    is_near_expiry: bool,
    is_revoked: bool,
}

impl TokenRow {
    /// Creates the row of a token.
    pub fn of(
        token: &AccessToken,
        role: Option<&'static str>,
        registry: &ScopeRegistry,
        now: Timestamp,
    ) -> Self {
        Self {
            id: token.id,
            name: DisplayName::of(&token.name),
            role,
            scopes: ScopeText::all(registry, &token.scopes),
            since: DisplayTime::at(token.created_at, now),
            last_used: token.last_used_at.map(|at| DisplayTime::at(at, now)),
            expires_on: token.expiry(),
            is_near_expiry: token_expiry::is_near(token.expires_on.start(), now),
            is_revoked: token.state != TokenState::Active,
        }
    }
}

/// Token that was just created, with its secret.
#[derive(Debug)]
pub struct NewSecret {
    name: DisplayName,
    secret: PlainSecret,
}

impl NewSecret {
    /// Joins the created token, which must be valid, with its secret.
    pub fn of(
        token: Option<AccessToken>,
        secret: Option<PlainSecret>,
        now: Timestamp,
    ) -> Option<Self> {
        let token = token.filter(|token| token.is_usable(now))?;
        Some(Self {
            name: DisplayName::of(&token.name),
            secret: secret?,
        })
    }
}

/// Fields of the form.
#[derive(Debug, Clone, Default)]
pub struct TokenForm {
    name: String,
    expires_on: String,
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
    pub fn choices(&self, registry: &ScopeRegistry, is_admin: bool) -> Vec<ScopeChoice> {
        let chosen: Vec<&str> = self.scopes.iter().map(String::as_str).collect();
        ScopeChoice::all(registry, &chosen, is_admin)
    }

    /// Returns the request to create the token for the user who sent the form.
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

/// Texts of the page for one kind of tokens.
#[derive(Debug)]
pub struct TokenTexts {
    /// Heading of the page.
    pub heading: &'static str,
    /// Use of the tokens, as a sentence.
    pub usage: &'static str,
    /// Power of a program that has the token, as a sentence.
    pub power: &'static str,
    /// Sentence in place of an empty list of active tokens.
    pub empty: &'static str,
}

/// Page of access tokens.
#[derive(Debug, Template)]
#[template(path = "frame/page/tokens.html")]
pub struct TokensPage {
    shell: Shell,
    texts: &'static TokenTexts,
    /// Path of the page, below the root of the server.
    path: String,
    rows: Vec<TokenRow>,
    shows_invalid: bool,
    next: Option<u64>,
    previous: Option<u64>,
    longest_name: usize,
    first_day: String,
    last_day: String,
    /// Token that was just created.
    pub new: Option<NewSecret>,
    /// Values of the form.
    pub form: TokenForm,
    /// Scopes to select in the form.
    pub choices: Vec<ScopeChoice>,
    /// Roles to select in the form; empty for tokens of a user.
    pub roles: Vec<Choice>,
    /// True to offer the revocation of all tokens.
    pub revokes_all: bool,
}

impl TokensPage {
    /// Creates the page with an empty form without choices.
    pub fn new(
        shell: Shell,
        texts: &'static TokenTexts,
        path: String,
        query: TokenListQuery,
        rows: Page<TokenRow>,
        today: CalendarDate,
    ) -> Self {
        let number = query.paging.page();
        let text = |day: Option<CalendarDate>| day.map(|day| day.to_string()).unwrap_or_default();
        Self {
            shell,
            texts,
            path,
            shows_invalid: query.shows_invalid,
            next: rows.has_next.then(|| number + 1),
            previous: (number > 1).then(|| number - 1),
            rows: rows.items,
            longest_name: MAX_NAME,
            first_day: text(today.next()),
            last_day: text(today.plus_one_year()),
            new: None,
            form: TokenForm::default(),
            choices: Vec::new(),
            roles: Vec::new(),
            revokes_all: false,
        }
    }
}
