//! Access tokens of projects and groups. Each acts as a bot of its own, which is a member of the place (`AUTH-02`).

use accounts::flow::issue_token::{IssueToken, IssueTokenError, issue_token};
use accounts::flow::revoke_token::revoke_token;
use accounts::flow::rotate_token::{RotateToken, RotateTokenError, replace_token, rotate_token};
use accounts::{AccessToken, NewUser, TokenFilter, TokenKind, TokenPlace, UserKind, Username};
use api_conventions::access::AccessLevel;
use api_conventions::error::ApiError;
use api_conventions::ids::{TokenId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::secret::SecretSource as _;
use api_conventions::system::OsRandomness;
use api_conventions::time::{CalendarDate, Timestamp};
use projects::flow::members::{
    AddMember, MemberActor, MemberContext, MemberError, RemoveMember, add_member, remove_member,
};
use projects::{MemberFilter, MemberScope, MemberSource, NewMember};
use storage::{StoreError, StoreErrorKind};

use super::create_user::{CreateUserError, create_account};
use crate::database::{ReadTransaction, WriteTransaction};

/// Tokens that [`revoke_tokens_of`] reads at a time.
const PER_PAGE: u64 = 100;

/// Access token to create for a project or group.
#[derive(Debug, Clone)]
pub struct NewPlaceToken {
    /// The token. Its user is replaced by the bot.
    pub issue: IssueToken,
    /// Role of the bot, at most that of the creator.
    pub level: AccessLevel,
}

/// Access token of a project or group, with the role of its bot.
#[derive(Debug, Clone)]
pub struct PlaceToken {
    /// The token.
    pub token: AccessToken,
    /// Role of the bot in the place; `None` once the role has ended.
    pub level: Option<AccessLevel>,
}

/// Reasons to refuse a token of a project or group. Nothing is stored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceTokenError {
    /// The creator is a bot, or has too low a role.
    #[error("User does not have permission to create {0} access token")]
    Forbidden(&'static str),
    /// The role of the bot would be higher than that of the creator.
    #[error("The access level of the token cannot be higher than the role of its creator")]
    LevelTooHigh,
    /// An attribute of the token is invalid.
    #[error(transparent)]
    Token(IssueTokenError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<IssueTokenError> for PlaceTokenError {
    fn from(error: IssueTokenError) -> Self {
        match error {
            IssueTokenError::Store(error) => Self::Store(error),
            refused => Self::Token(refused),
        }
    }
}

impl From<PlaceTokenError> for ApiError {
    fn from(error: PlaceTokenError) -> Self {
        match error {
            PlaceTokenError::Store(store) => Self::storage_failure(store.is_retryable()),
            refused => Self::bad_request(&refused.to_string()),
        }
    }
}

/// Returns the kind of the tokens of a place.
pub const fn token_kind(source: MemberSource) -> TokenKind {
    match source {
        MemberSource::Project(id) => TokenKind::Project(id),
        MemberSource::Namespace(id) => TokenKind::Group(id),
    }
}

/// Returns a place as the owner of deploy tokens.
pub const fn token_place(source: MemberSource) -> TokenPlace {
    match source {
        MemberSource::Project(id) => TokenPlace::Project(id),
        MemberSource::Namespace(id) => TokenPlace::Group(id),
    }
}

/// Returns the place of a token, and `None` for a token of a user.
const fn source_of(kind: TokenKind) -> Option<MemberSource> {
    match kind {
        TokenKind::Personal | TokenKind::Impersonation => None,
        TokenKind::Project(id) => Some(MemberSource::Project(id)),
        TokenKind::Group(id) => Some(MemberSource::Namespace(id)),
    }
}

/// Creates a token of a place and its bot, which becomes a member until the token expires.
///
/// # Errors
/// See [`PlaceTokenError`].
pub fn create_place_token(
    tx: &mut (dyn WriteTransaction + '_),
    of: MemberContext,
    new: &NewPlaceToken,
    actor: MemberActor,
) -> Result<PlaceToken, PlaceTokenError> {
    let kind = token_kind(of.source());
    let creator = actor.viewer.user_id();
    let creator = creator.map(|id| tx.find_user(id)).transpose()?.flatten();
    if creator.is_none_or(|user| user.kind != UserKind::Human) {
        return Err(PlaceTokenError::Forbidden(kind.as_str()));
    }
    let bot_id = create_bot(tx, kind, new, actor.now)?;
    let mut issue = new.issue.clone();
    (issue.user_id, issue.kind) = (bot_id, kind);
    let token = issue_token(tx, issue)?;
    let member = AddMember {
        user_id: bot_id,
        level: new.level,
        expires_on: token.expiry(),
    };
    add_member(tx, of, &member, actor).map_err(|error| match error {
        MemberError::Store(error) => PlaceTokenError::Store(error),
        // The caller's role suffices to manage members, so it is the level that exceeds it.
        _ => PlaceTokenError::LevelTooHigh,
    })?;
    Ok(PlaceToken {
        token,
        level: Some(new.level),
    })
}

fn create_bot(
    tx: &mut (dyn WriteTransaction + '_),
    kind: TokenKind,
    new: &NewPlaceToken,
    now: Timestamp,
) -> Result<UserId, PlaceTokenError> {
    let refused = || StoreError::new(StoreErrorKind::Conflict, "create the bot of a token");
    let username = bot_username(kind);
    let request = NewUser {
        username: Username::parse(&username).map_err(|error| refused().with_source(error))?,
        // A display name has no line breaks, which the name of a token may have.
        name: new.issue.name.replace(char::is_control, " "),
        email: String::new(),
        kind: kind.bot().unwrap_or(UserKind::ProjectBot),
        is_admin: false,
        password: None,
        created_at: now,
    };
    match create_account(tx, &request) {
        Ok(bot) => Ok(bot.id),
        Err(CreateUserError::Store(error)) => Err(error.into()),
        // The name of the token is the only value that the request chose.
        Err(CreateUserError::Invalid(_)) if new.issue.name.trim().is_empty() => {
            Err(IssueTokenError::NoName.into())
        }
        Err(CreateUserError::Invalid(_)) => Err(IssueTokenError::LongName.into()),
        Err(taken) => Err(refused().with_source(taken).into()),
    }
}

/// Generates a username such as `project_12_bot_` and 32 hexadecimal digits.
fn bot_username(kind: TokenKind) -> String {
    let mut bytes = [0; 16];
    OsRandomness.fill(&mut bytes);
    let random = u128::from_be_bytes(bytes);
    let id = source_of(kind).map_or(0, |source| match source {
        MemberSource::Project(id) => id.get(),
        MemberSource::Namespace(id) => id.get(),
    });
    format!("{}_{id}_bot_{random:032x}", kind.as_str())
}

/// Lists a page of the tokens of a place.
///
/// # Errors
/// [`TooMuchWork`](StoreErrorKind::TooMuchWork) as for lists of all tokens; failures of the store.
pub fn list_place_tokens(
    tx: &mut (dyn ReadTransaction + '_),
    source: MemberSource,
    filter: &TokenFilter,
    today: CalendarDate,
    page: OffsetPage,
) -> Result<Page<PlaceToken>, StoreError> {
    let tokens = tx.list_tokens(filter, page)?;
    let bots = tokens.items.iter().map(|token| token.user_id).collect();
    let filter = MemberFilter {
        users: Some(bots),
        ..MemberFilter::default()
    };
    let all = OffsetPage::new(1, page.per_page().into());
    let members = tx.list_members(source, MemberScope::Direct, &filter, today, all)?;
    Ok(tokens.map(|token| {
        let member = members.items.iter();
        let member = member
            .clone()
            .find(|member| member.user_id == token.user_id);
        PlaceToken {
            level: member.map(|member| member.level),
            token,
        }
    }))
}

/// Finds a token of a place, in any state.
///
/// # Errors
/// Failures of the store.
pub fn find_place_token(
    tx: &mut (dyn ReadTransaction + '_),
    source: MemberSource,
    id: TokenId,
    today: CalendarDate,
) -> Result<Option<PlaceToken>, StoreError> {
    let found = tx.find_token(id)?;
    let Some(token) = found.filter(|token| token.kind == token_kind(source)) else {
        return Ok(None);
    };
    let member = tx.find_member(source, MemberScope::Direct, token.user_id, today)?;
    Ok(Some(PlaceToken {
        level: member.map(|member| member.level),
        token,
    }))
}

/// Replaces a token by a successor, like [`rotate_token`]. The role of a bot ends with its new token.
///
/// # Errors
/// See [`RotateTokenError`].
pub fn rotate_any_token(
    tx: &mut (dyn WriteTransaction + '_),
    request: &RotateToken,
) -> Result<AccessToken, RotateTokenError> {
    let successor = rotate_token(tx, request)?;
    update_role(tx, &successor, request.now)?;
    Ok(successor)
}

/// Replaces a token of a place by a successor, on behalf of a user who manages the tokens of the place. The secret gives
/// the role of the bot, so `has_role` must be true for it: otherwise a Maintainer would get an Owner's token.
///
/// # Errors
/// [`RotateTokenError::Refused`] if the user lacks the role of the bot; see [`RotateTokenError`] for the others.
pub fn rotate_place_token(
    tx: &mut (dyn WriteTransaction + '_),
    found: &PlaceToken,
    has_role: impl FnOnce(AccessLevel) -> bool,
    request: &RotateToken,
) -> Result<AccessToken, RotateTokenError> {
    if !found.level.is_none_or(has_role) {
        return Err(RotateTokenError::Refused);
    }
    let successor = replace_token(tx, &found.token, request)?;
    update_role(tx, &successor, request.now)?;
    Ok(successor)
}

/// Lets the role of a bot end with this token.
fn update_role(
    tx: &mut (dyn WriteTransaction + '_),
    token: &AccessToken,
    now: Timestamp,
) -> Result<(), StoreError> {
    let Some(source) = source_of(token.kind) else {
        return Ok(());
    };
    let Some(locked) = tx.lock_members(source)? else {
        return Ok(());
    };
    let today = now.date();
    let Some(member) = tx.find_member(source, MemberScope::Direct, token.user_id, today)? else {
        return Ok(());
    };
    tx.put_member(
        &locked,
        &NewMember {
            user_id: member.user_id,
            level: member.level,
            expires_on: token.expiry(),
            created_by: member.created_by,
            created_at: member.created_at,
        },
    )
}

/// Revokes a token of a place, and ends the role of its bot, unless that takes a higher role than the actor's. The
/// token is revoked in any case, because a leaked one must not stay valid.
///
/// # Errors
/// Failures of the store.
pub fn revoke_place_token(
    tx: &mut (dyn WriteTransaction + '_),
    of: MemberContext,
    token: &AccessToken,
    actor: MemberActor,
) -> Result<(), MemberError> {
    if !revoke_token(tx, token.id, actor.viewer.user_id(), actor.now)? {
        return Ok(());
    }
    let remove = RemoveMember {
        user_id: token.user_id,
        skips_subresources: false,
    };
    match remove_member(tx, of, remove, actor) {
        // The role was removed earlier, or it stays until it expires.
        Ok(_) | Err(MemberError::Unknown(_) | MemberError::Forbidden) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Revokes all active tokens of a place that is deleted.
///
/// # Errors
/// Failures of the store.
pub fn revoke_tokens_of(
    tx: &mut (dyn WriteTransaction + '_),
    source: MemberSource,
    author_id: Option<UserId>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let active = TokenFilter {
        is_revoked: Some(false),
        ..TokenFilter::of_kind(token_kind(source))
    };
    loop {
        let found = tx.list_tokens(&active, OffsetPage::new(1, PER_PAGE))?;
        if found.items.is_empty() {
            return Ok(());
        }
        for token in found.items {
            revoke_token(tx, token.id, author_id, now)?;
        }
    }
}
