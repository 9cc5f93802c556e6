//! Tokens that a program sends as a password with Basic authentication, such as Git and clients of container registries
//! do (`AUTH-07`, `OAUTH-15`).

use accounts::DeployToken;
use accounts::flow::deploy_tokens::verify_deploy_token;
use accounts::flow::guess::{count_wrong_token, token_lockout_seconds};
use accounts::model::DEPLOY_PREFIX;
use actix_web::HttpRequest;
use actix_web::http::header::AUTHORIZATION;
use api_conventions::credentials::Authorization;
use api_conventions::error::ApiError;
use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use gatehouse_core::auth::tokens::{SentToken, TokenVerdict};
use gatehouse_core::flows::git_access::GitCaller;
use storage::{Store as _, StoreError};
use web_conventions::failure::Failure;

use super::client::counted_address;
use crate::state::AppState;

/// Username that Git must send with an access token (specification, Authentication).
const USERNAME: &str = "oauth2";

/// Kind of the program that sends a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginProgram {
    /// Git.
    Git,
    /// Client of a container registry. It sends any username with an access token, and never a token of an application.
    RegistryClient,
    /// Client of Alertmanager's API. It sends any username with an access token, or the token alone.
    AlertmanagerClient,
}

impl LoginProgram {
    /// 401 with the challenge that makes a program send its credentials.
    pub fn credentials_needed(self) -> ApiError {
        let text = match self {
            Self::Git => {
                "send the username oauth2 and, as the password, an access token with the scope read_repository or \
                 write_repository; or the username of a deploy token and the token"
            }
            Self::RegistryClient => {
                "send your username and, as the password, an access token with the scope read_registry or \
                 write_registry; or the username of a deploy token and the token; tokens of applications are not valid here"
            }
            Self::AlertmanagerClient => {
                "send an access token with the scope api or read_api, or the key of the alert endpoint, as a Bearer token or \
                 as a password"
            }
        };
        ApiError::unauthorized_because(text).with_header(
            "WWW-Authenticate",
            "Basic realm=\"Gatehouse\", charset=\"UTF-8\"",
        )
    }

    /// True if the program may send this username with an access token.
    fn accepts_username(self, username: &str) -> bool {
        match self {
            Self::Git => username == USERNAME,
            Self::RegistryClient => !username.is_empty(),
            Self::AlertmanagerClient => true,
        }
    }

    /// True if a token of this kind is never valid for the program, so that none is looked up.
    fn refuses(self, token: SentToken) -> bool {
        self == Self::RegistryClient && token.is_oauth()
    }
}

/// Returns the holder of the token that a request has in its `Authorization` header.
///
/// Wrong tokens are counted in the store by the address that they come from. Once there were too many, tokens from that
/// address are refused, even valid ones, until the window of the limit on wrong passwords ends. A valid token costs no
/// such query unless the address sent a wrong one to this process.
///
/// # Errors
/// 401 for wrong credentials; 403 with `Retry-After` after too many. A proxy passes only these two on.
pub async fn holder(
    request: &HttpRequest,
    state: &AppState,
    program: LoginProgram,
    now: Timestamp,
) -> Result<GitCaller, Failure> {
    let mut sent = request.headers().get_all(AUTHORIZATION);
    let Some(value) = sent.next() else {
        return Ok(GitCaller::Anonymous);
    };
    let text = value.to_str().ok().filter(|_| sent.next().is_none());
    let Some(Authorization::Basic { username, password }) = text.and_then(Authorization::parse)
    else {
        return Err(program.credentials_needed().into());
    };
    let login = TokenLogin { username, password };
    login.holder(request, state, program, now).await
}

/// Username and token that a program sent.
#[derive(Debug)]
pub struct TokenLogin {
    /// Username.
    pub username: String,
    /// Token.
    pub password: PlainSecret,
}

impl TokenLogin {
    /// Returns the holder of the token, as [`holder`] does.
    ///
    /// # Errors
    /// As [`holder`].
    pub async fn holder(
        self,
        request: &HttpRequest,
        state: &AppState,
        program: LoginProgram,
        now: Timestamp,
    ) -> Result<GitCaller, Failure> {
        let Self { username, password } = self;
        let address = counted_address(request, state);
        refuse_locked_out(state, &address, now).await?;
        if program.refuses(SentToken::of(&password)) {
            return Err(program.credentials_needed().into());
        }
        let is_accepted = program.accepts_username(&username);
        if let Some(holder) = verify(state, &username, &password, is_accepted, now).await? {
            return Ok(holder);
        }
        count(state, address, now).await?;
        Err(program.credentials_needed().into())
    }
}

/// Key of an address among the suspects of this process.
fn suspect(address: &str) -> (&'static str, &str) {
    ("tokens", address)
}

async fn refuse_locked_out(state: &AppState, address: &str, now: Timestamp) -> Result<(), Failure> {
    if !state.failed_attempts.has(&suspect(address)) {
        return Ok(());
    }
    let policy = state.settings.sign_in.rules.policy.per_address;
    let address = address.to_owned();
    let read = state
        .database
        .read_for_auth(move |tx| token_lockout_seconds(tx, &address, &policy, now));
    let seconds: Result<Option<i64>, StoreError> = read.await;
    seconds?.map_or(Ok(()), |seconds| Err(locked_out(seconds).into()))
}

fn locked_out(seconds: i64) -> ApiError {
    ApiError::forbidden_because("too many wrong tokens came from your address, try again later")
        .with_header("Retry-After", seconds.to_string())
}

async fn verify(
    state: &AppState,
    username: &str,
    password: &PlainSecret,
    is_accepted: bool,
    now: Timestamp,
) -> Result<Option<GitCaller>, StoreError> {
    if password.reveal().starts_with(DEPLOY_PREFIX) {
        let (username, digest) = (username.to_owned(), password.digest());
        let found: Result<Option<DeployToken>, StoreError> = state
            .database
            .read_for_auth(move |tx| verify_deploy_token(tx, &username, &digest, now))
            .await;
        return Ok(found?.map(GitCaller::Deploy));
    }
    if !is_accepted {
        return Ok(None);
    }
    let token = SentToken::of(password);
    if let Some(principal) = state.tokens.cached(token, now) {
        return Ok(Some(GitCaller::User(principal)));
    }
    let verdict = state.tokens.check(&state.database, token, now).await?;
    Ok(match verdict {
        TokenVerdict::Good(principal) => Some(GitCaller::User(principal)),
        _ => None,
    })
}

/// Counts wrong credentials from this address.
async fn count(state: &AppState, address: String, now: Timestamp) -> Result<(), Failure> {
    // Before the write, so that a token sent in the meantime is checked against the store.
    state.failed_attempts.note(&suspect(&address));
    let policy = state.settings.sign_in.rules.policy.per_address;
    let counted = state
        .database
        .write(move |tx| count_wrong_token(tx, &address, &policy, now));
    let seconds: Result<Option<i64>, StoreError> = counted.await;
    seconds?.map_or(Ok(()), |seconds| Err(locked_out(seconds).into()))
}
