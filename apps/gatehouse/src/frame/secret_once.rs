//! Transport of a new secret from the form that created it to the page that shows it, once.
//!
//! The response to the form is a redirect, so that a reload does not create another secret. The database does not
//! contain the secret, so it travels in a cookie valid for one minute, sealed for its subject and this session; the
//! page that shows it deletes the cookie. Any process with the same secret key can show it.

use ::pipelines::model::RunnerPlace;
use accounts::Session;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::ids::{
    ApplicationId, DeployTokenId, IntegrationId, InvitationId, RunnerId, SessionId, TokenId, UserId,
};
use api_conventions::secret::{PlainSecret, SecretDigest};
use api_conventions::time::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use zeroize::Zeroizing;

use super::cookies;
use super::page::answer::append_cookie;
use super::page::failure::PageFailure;
use crate::state::AppState;
use gatehouse_core::vault::Vault;

/// Lifetime of the cookie, in seconds.
const SECONDS: i64 = 60;

/// Subject of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretSubject {
    /// Secret of an application.
    Application(ApplicationId),
    /// Key of an alert endpoint.
    Endpoint(IntegrationId),
    /// Personal access token.
    Token(TokenId),
    /// Deploy token.
    DeployToken(DeployTokenId),
    /// Password of a new user.
    User(UserId),
    /// Authentication token of a runner.
    Runner(RunnerId),
    /// Registration token of the runners of a place.
    Registration(RunnerPlace),
    /// Secret of an invitation.
    Invitation(InvitationId),
}

impl SecretSubject {
    /// Part of the cookie's name.
    /// Each subject has its own cookie, so that forms sent at the same time lose no secret.
    pub fn word(self) -> String {
        match self {
            Self::Application(id) => format!("secret_{id}"),
            Self::Endpoint(id) => format!("key_{id}"),
            Self::Token(id) => format!("token_{id}"),
            Self::DeployToken(id) => format!("deploy_token_{id}"),
            Self::User(id) => format!("password_{id}"),
            Self::Runner(id) => format!("runner_token_{id}"),
            Self::Registration(place) => {
                let (kind, id) = place.numbers();
                format!("registration_token_{kind}_{id}")
            }
            Self::Invitation(id) => format!("invitation_{id}"),
        }
    }

    /// Context in which the secret is sealed.
    /// Only this session can open it, and only for this subject.
    fn context(self, session: SessionId) -> String {
        match self {
            Self::Application(id) => {
                format!("new secret of application {id} for session {session}")
            }
            Self::Endpoint(id) => format!("new key of alert endpoint {id} for session {session}"),
            Self::Token(id) => format!("new access token {id} for session {session}"),
            Self::DeployToken(id) => format!("new deploy token {id} for session {session}"),
            Self::User(id) => format!("new password of user {id} for session {session}"),
            Self::Runner(id) => format!("token of new runner {id} for session {session}"),
            Self::Registration(place) => {
                let (kind, id) = place.numbers();
                format!("registration token of place {kind} {id} for session {session}")
            }
            Self::Invitation(id) => format!("new invitation {id} for session {session}"),
        }
    }
}

/// Sends a new secret with a redirect to the page that shows it.
///
/// # Errors
/// If the cookie is not a valid header value, which is a bug.
pub fn send(
    answer: &mut HttpResponse,
    state: &AppState,
    of: SecretSubject,
    session: &Session,
    secret: &PlainSecret,
    now: Timestamp,
) -> Result<(), PageFailure> {
    let sealed = seal(
        &state.vault,
        of,
        session.id,
        secret,
        now.plus_seconds(SECONDS),
    );
    append_cookie(answer, &cookies::secret(state, of, &sealed, SECONDS))
}

/// Returns the secret that waits for the page of its subject in this session.
/// `current` is the stored digest of the current secret; an older secret no longer works and is not shown.
pub fn waiting(
    request: &HttpRequest,
    state: &AppState,
    of: SecretSubject,
    session: &Session,
    current: SecretDigest,
    now: Timestamp,
) -> Option<PlainSecret> {
    let secret = sent(request, state, of, session, now)?;
    (secret.digest() == current).then_some(secret)
}

/// Returns the secret that was sent for the page of its subject in this session.
/// The caller checks that it is the current one.
pub fn sent(
    request: &HttpRequest,
    state: &AppState,
    of: SecretSubject,
    session: &Session,
    now: Timestamp,
) -> Option<PlainSecret> {
    let sealed = cookies::secret_value(request, state, of)?;
    open(&state.vault, of, session.id, &sealed, now)
}

/// Deletes the cookie after its secret was shown.
///
/// # Errors
/// Same as [`send`].
pub fn forget(
    answer: &mut HttpResponse,
    state: &AppState,
    of: SecretSubject,
) -> Result<(), PageFailure> {
    append_cookie(answer, &cookies::clear_secret(state, of))
}

/// Seals the time of expiry and the secret, encoded in characters that cookies allow.
fn seal(
    vault: &Vault,
    of: SecretSubject,
    session: SessionId,
    secret: &PlainSecret,
    until: Timestamp,
) -> String {
    let until = until.as_micros().to_be_bytes();
    let plain = Zeroizing::new([&until[..], secret.reveal().as_bytes()].concat());
    URL_SAFE_NO_PAD.encode(vault.seal(&of.context(session), &plain))
}

fn open(
    vault: &Vault,
    of: SecretSubject,
    session: SessionId,
    sealed: &str,
    now: Timestamp,
) -> Option<PlainSecret> {
    let sealed = URL_SAFE_NO_PAD.decode(sealed).ok()?;
    let plain = vault.open(&of.context(session), &sealed).ok()?;
    let (until, secret) = plain.split_first_chunk::<8>()?;
    let is_open = now.as_micros() < i64::from_be_bytes(*until);
    let secret = std::str::from_utf8(secret).ok()?;
    is_open.then(|| PlainSecret::new(secret))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SecretKey;

    const SUBJECT: SecretSubject = SecretSubject::Application(ApplicationId::new(3));
    const SESSION: SessionId = SessionId::new(7);

    fn vault() -> Vault {
        Vault::new(&SecretKey::parse(&"01".repeat(32)).unwrap())
    }

    fn until() -> Timestamp {
        Timestamp::parse_rfc3339("2026-01-01T00:01:00Z").unwrap()
    }

    fn opened(of: SecretSubject, session: SessionId, now: Timestamp) -> Option<String> {
        let secret = PlainSecret::new("ghos_swordfish");
        let sealed = seal(&vault(), SUBJECT, SESSION, &secret, until());
        open(&vault(), of, session, &sealed, now).map(|secret| secret.reveal().to_owned())
    }

    #[test]
    fn a_secret_opens_in_its_place_until_its_time_is_over() {
        let before = until().plus_seconds(-1);
        assert_eq!(
            opened(SUBJECT, SESSION, before).as_deref(),
            Some("ghos_swordfish")
        );
        assert_eq!(opened(SUBJECT, SESSION, until()), None);
        let other = SecretSubject::Application(ApplicationId::new(4));
        assert_eq!(opened(other, SESSION, before), None);
        let endpoint = SecretSubject::Endpoint(IntegrationId::new(3));
        assert_eq!(opened(endpoint, SESSION, before), None);
        assert_eq!(opened(SUBJECT, SessionId::new(8), before), None);
    }

    #[test]
    fn values_not_sealed_by_the_vault_do_not_open() {
        for value in ["", "x", "ghos_swordfish", "AQ"] {
            let opened = open(&vault(), SUBJECT, SESSION, value, until().plus_seconds(-1));
            assert!(opened.is_none(), "{value}");
        }
    }
}
