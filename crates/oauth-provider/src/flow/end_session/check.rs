//! Whether a request to sign out makes sense, and what to do about it.

use storage::StoreError;

use super::hint::SessionHint;
use super::parameters::EndSessionParameters;
use crate::flow::authorize::{SignedIn, response_url};
use crate::model::{Application, ApplicationUid};
use crate::rules::redirect_uri::RedirectUri;
use crate::store::ApplicationQueries;

/// The longest `state` that is sent back, in bytes.
const MAX_STATE_BYTES: usize = 4096;

/// A request that makes sense.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EndSessionRequest {
    /// Who asks, if that is known.
    pub application: Option<Application>,
    /// Where the browser goes afterwards: proven to be the application's, byte for byte as it was sent.
    pub post_logout_redirect_uri: Option<String>,
    /// What the application wants to have back there.
    pub state: Option<String>,
    /// The session that the application means.
    hint: SessionHint,
}

/// Why a request is refused, in a sentence for the people who run the application. It never goes to the address of the
/// request, because that is not proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndSessionRefusal(pub &'static str);

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndSession {
    /// Nobody is signed in, so the browser can go on.
    NotSignedIn,
    /// End the session, and let the browser go on.
    Now,
    /// Ask the user first (section 2).
    Ask,
}

impl EndSessionRequest {
    /// Decides for the user who is signed in in the browser, if anybody is.
    pub fn decide(&self, user: Option<&SignedIn>) -> EndSession {
        match user {
            None => EndSession::NotSignedIn,
            Some(user) if self.hint.proves(user) => EndSession::Now,
            Some(_) => EndSession::Ask,
        }
    }

    /// Where the browser goes afterwards, with what the application wants to have back (section 3).
    pub fn return_to(&self) -> Option<String> {
        let address = self.post_logout_redirect_uri.as_deref()?;
        Some(match self.state.as_deref() {
            Some(state) => response_url(address, &[("state", state)]),
            None => address.to_owned(),
        })
    }
}

const WRONG_HINT: &str = "The parameter id_token_hint holds no id token of this server.";
const UNKNOWN_CLIENT: &str = "No application with this client_id is registered.";
const OTHER_CLIENT: &str =
    "The parameters id_token_hint and client_id name different applications.";
const NO_CLIENT: &str =
    "A post_logout_redirect_uri needs the parameter client_id, or an id_token_hint.";
const WRONG_ADDRESS: &str =
    "The post_logout_redirect_uri is not one of those that the application registered.";
const LONG_STATE: &str = "The parameter state has at most 4096 bytes.";

/// Checks a request. Writes nothing, and asks nothing about the user.
///
/// # Errors
/// Failures of the store. A refusal is the inner error.
pub fn check<R: ApplicationQueries + ?Sized>(
    repos: &mut R,
    parameters: &EndSessionParameters,
    hint: SessionHint,
) -> Result<Result<EndSessionRequest, EndSessionRefusal>, StoreError> {
    if hint == SessionHint::Wrong {
        return Ok(Err(EndSessionRefusal(WRONG_HINT)));
    }
    let named = parameters.client_id.as_deref();
    if named.is_some_and(|client_id| hint.is_for(client_id) == Some(false)) {
        return Ok(Err(EndSessionRefusal(OTHER_CLIENT)));
    }
    let uid = named.or(hint.application()).and_then(ApplicationUid::parse);
    let application = match &uid {
        Some(uid) => repos.find_application_by_uid(uid)?,
        None => None,
    };
    if named.is_some() && application.is_none() {
        return Ok(Err(EndSessionRefusal(UNKNOWN_CLIENT)));
    }
    if let Err(refusal) = validate_address(parameters, application.as_ref()) {
        return Ok(Err(refusal));
    }
    Ok(Ok(EndSessionRequest {
        application,
        post_logout_redirect_uri: parameters.post_logout_redirect_uri.clone(),
        state: parameters.state.clone(),
        hint,
    }))
}

/// An address is compared byte for byte with those that were registered (section 3.1), whatever machine it is on.
fn validate_address(
    parameters: &EndSessionParameters,
    application: Option<&Application>,
) -> Result<(), EndSessionRefusal> {
    let state = parameters.state.as_deref();
    if state.is_some_and(|state| state.len() > MAX_STATE_BYTES) {
        return Err(EndSessionRefusal(LONG_STATE));
    }
    let Some(asked) = parameters.post_logout_redirect_uri.as_deref() else {
        return Ok(());
    };
    let application = application.ok_or(EndSessionRefusal(NO_CLIENT))?;
    let is_it = |uri: &RedirectUri| uri.as_str() == asked;
    if application.post_logout_redirect_uris.iter().any(is_it) {
        Ok(())
    } else {
        Err(EndSessionRefusal(WRONG_ADDRESS))
    }
}
