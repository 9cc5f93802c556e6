//! Page of access tokens: one's own, those of another user, and those of a project or group.

use accounts::flow::issue_token::MAX_NAME;
use accounts::{AccessToken, TokenKind, TokenState};
use api_conventions::ids::TokenId;
use api_conventions::page::Page;
use api_conventions::secret::PlainSecret;
use api_conventions::time::{CalendarDate, Timestamp};
use askama::Template;
use oauth_provider::ScopeRegistry;

use super::display_name::DisplayName;
use super::format::{DisplayTime, ScopeText};
use super::list::Choice;
use super::scope_choice::ScopeChoice;
use super::scope_wording::ScopeWording;
use super::shell::Shell;
use super::token_form::{TokenForm, TokenListQuery};
use crate::frame::token_expiry;

/// User for whom the listed tokens act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenHolder {
    /// The visitor.
    Visitor,
    /// Another user, whose tokens an administrator lists.
    OtherUser,
    /// Bot with this role in a project or group; empty once the role has ended.
    Bot(&'static str),
}

impl TokenHolder {
    /// Wording of the token's scopes.
    const fn wording(self) -> ScopeWording {
        match self {
            Self::Visitor => ScopeWording::ToUser,
            Self::OtherUser | Self::Bot(_) => ScopeWording::ToOthers,
        }
    }
}

/// Token in the list.
#[derive(Debug)]
pub struct TokenRow {
    id: TokenId,
    name: DisplayName,
    /// Kind of the token, if the list has several.
    kind: Option<&'static str>,
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
        holder: TokenHolder,
        registry: &ScopeRegistry,
        now: Timestamp,
    ) -> Self {
        let (kind, role) = match holder {
            TokenHolder::Visitor => (None, None),
            TokenHolder::OtherUser => (Some(name_of(token.kind)), None),
            TokenHolder::Bot(role) => (None, Some(role)),
        };
        let scopes = registry.entries_of(&token.scopes);
        Self {
            id: token.id,
            name: DisplayName::of(&token.name),
            kind,
            role,
            scopes: scopes
                .map(|entry| holder.wording().text_of(entry))
                .collect(),
            since: DisplayTime::at(token.created_at, now),
            last_used: token.last_used_at.map(|at| DisplayTime::at(at, now)),
            expires_on: token.expiry(),
            is_near_expiry: token_expiry::is_near(token.expires_on.start(), now),
            is_revoked: token.state != TokenState::Active,
        }
    }
}

/// Name of a kind of token in the list.
const fn name_of(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Personal => "Personal",
        TokenKind::Impersonation => "Impersonation",
        TokenKind::Project(_) => "Project",
        TokenKind::Group(_) => "Group",
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
    /// Heading of the form.
    pub creation: &'static str,
}

/// Owner of the tokens on a page, which decides the actions that the page offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokensOwner {
    /// The visitor, who may also revoke all tokens together.
    Visitor,
    /// Project or group.
    Place,
    /// Another user, whose tokens administrators only revoke. They create impersonation tokens if the server accepts
    /// them.
    OtherUser {
        /// Username.
        username: String,
        /// True if the server accepts impersonation tokens.
        accepts_impersonation: bool,
    },
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
    /// Owner of the tokens.
    pub owner: TokensOwner,
}

impl TokensPage {
    /// Username of another user, for the heading.
    fn username(&self) -> Option<&str> {
        match &self.owner {
            TokensOwner::OtherUser { username, .. } => Some(username),
            TokensOwner::Visitor | TokensOwner::Place => None,
        }
    }

    /// True if the form to create a token is shown.
    fn creates(&self) -> bool {
        match self.owner {
            TokensOwner::OtherUser {
                accepts_impersonation,
                ..
            } => accepts_impersonation,
            TokensOwner::Visitor | TokensOwner::Place => true,
        }
    }

    /// True if the page offers the revocation of all tokens.
    fn revokes_all(&self) -> bool {
        self.owner == TokensOwner::Visitor && !self.shows_invalid && !self.rows.is_empty()
    }

    /// Creates the page of the visitor's tokens, with an empty form without choices.
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
            owner: TokensOwner::Visitor,
        }
    }
}
