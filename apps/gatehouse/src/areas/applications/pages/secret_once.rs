//! The secret of an application on its way from the form that made it to the page that shows it, this once.
//!
//! The answer to the form is a redirect, so that a reload registers nothing again. The secret stands in no database, so
//! it travels in a cookie of one minute, sealed for this application and this session; the page that shows it takes the
//! cookie away. Any process that shares the secret key can show it.

use accounts::Session;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::ids::{ApplicationId, SessionId};
use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use oauth_provider::Application;
use zeroize::Zeroizing;

use crate::frame::cookies;
use crate::frame::page::answer::append_cookie;
use crate::frame::page::failure::PageFailure;
use crate::state::AppState;
use gatehouse_core::vault::Vault;

/// How long the secret waits for the page, in seconds.
const SECONDS: i64 = 60;

/// Sends a new secret along with a redirect to the page of its application.
///
/// # Errors
/// When the cookie cannot be a header's value, which is a fault of ours.
pub(super) fn send(
    answer: &mut HttpResponse,
    state: &AppState,
    (id, session): (ApplicationId, &Session),
    secret: &PlainSecret,
    now: Timestamp,
) -> Result<(), PageFailure> {
    let sealed = seal(
        &state.vault,
        (id, session.id),
        secret,
        now.plus_seconds(SECONDS),
    );
    append_cookie(answer, &cookies::secret(state, id, &sealed, SECONDS))
}

/// The secret that waits for the page of this application in this session. One that was renewed since is worth nothing
/// and not shown.
pub(super) fn waiting(
    request: &HttpRequest,
    state: &AppState,
    (application, session): (&Application, &Session),
    now: Timestamp,
) -> Option<PlainSecret> {
    let sealed = cookies::secret_value(request, state, application.id)?;
    let secret = open(&state.vault, (application.id, session.id), &sealed, now)?;
    (secret.digest() == application.secret).then_some(secret)
}

/// Takes the cookie away once its secret was shown.
///
/// # Errors
/// As [`send`].
pub(super) fn forget(
    answer: &mut HttpResponse,
    state: &AppState,
    id: ApplicationId,
) -> Result<(), PageFailure> {
    append_cookie(answer, &cookies::no_secret(state, id))
}

/// What the secret is sealed for. Only this session can open it, and only for this application.
fn context((id, session): (ApplicationId, SessionId)) -> String {
    format!("new secret of application {id} for session {session}")
}

/// The time at which it is over, then the secret: sealed, in an alphabet that cookies take.
fn seal(
    vault: &Vault,
    place: (ApplicationId, SessionId),
    secret: &PlainSecret,
    until: Timestamp,
) -> String {
    let until = until.as_micros().to_be_bytes();
    let plain = Zeroizing::new([&until[..], secret.reveal().as_bytes()].concat());
    URL_SAFE_NO_PAD.encode(vault.seal(&context(place), &plain))
}

fn open(
    vault: &Vault,
    place: (ApplicationId, SessionId),
    sealed: &str,
    now: Timestamp,
) -> Option<PlainSecret> {
    let sealed = URL_SAFE_NO_PAD.decode(sealed).ok()?;
    let plain = vault.open(&context(place), &sealed).ok()?;
    let (until, secret) = plain.split_first_chunk::<8>()?;
    let is_open = now.as_micros() < i64::from_be_bytes(*until);
    let secret = std::str::from_utf8(secret).ok()?;
    is_open.then(|| PlainSecret::new(secret))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SecretKey;

    const PLACE: (ApplicationId, SessionId) = (ApplicationId::new(3), SessionId::new(7));

    fn vault() -> Vault {
        Vault::new(&SecretKey::parse(&"01".repeat(32)).unwrap())
    }

    fn until() -> Timestamp {
        Timestamp::parse_rfc3339("2026-01-01T00:01:00Z").unwrap()
    }

    fn opened(place: (ApplicationId, SessionId), now: Timestamp) -> Option<String> {
        let secret = PlainSecret::new("ghos_swordfish");
        let sealed = seal(&vault(), PLACE, &secret, until());
        open(&vault(), place, &sealed, now).map(|secret| secret.reveal().to_owned())
    }

    #[test]
    fn a_secret_opens_in_its_place_until_its_time_is_over() {
        let before = until().plus_seconds(-1);
        assert_eq!(opened(PLACE, before).as_deref(), Some("ghos_swordfish"));
        assert_eq!(opened(PLACE, until()), None);
        assert_eq!(opened((ApplicationId::new(4), PLACE.1), before), None);
        assert_eq!(opened((PLACE.0, SessionId::new(8)), before), None);
    }

    #[test]
    fn what_is_not_sealed_here_opens_nothing() {
        for value in ["", "x", "ghos_swordfish", "AQ"] {
            let opened = open(&vault(), PLACE, value, until().plus_seconds(-1));
            assert!(opened.is_none(), "{value}");
        }
    }
}
