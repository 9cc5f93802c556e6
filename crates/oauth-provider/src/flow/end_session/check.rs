//! Validation of sign-out requests, and the next step.

use storage::StoreError;

use super::hint::SessionHint;
use super::parameters::EndSessionParameters;
use crate::flow::authorize::{SignedIn, response_url};
use crate::model::{Application, ApplicationUid};
use crate::rules::redirect_uri::RedirectUri;
use crate::store::ApplicationQueries;

/// The longest `state` that is sent back, in bytes.
const MAX_STATE_BYTES: usize = 4096;

/// A validated sign-out request.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EndSessionRequest {
    /// Application that sent the request, if known.
    pub application: Option<Application>,
    /// Address to which the browser goes afterwards: one that the application registered, byte for byte as it was sent.
    pub post_logout_redirect_uri: Option<String>,
    /// State to return to the application there.
    pub state: Option<String>,
    /// The session that the application means.
    hint: SessionHint,
}

/// Refusal of a sign-out request: a sentence for the operators of the application. It is never sent to the address in
/// the request, because that is not proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndSessionRefusal(pub &'static str);

/// Next step for a sign-out request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndSession {
    /// No user is signed in, so the browser can go on.
    NotSignedIn,
    /// The session must be ended, and the browser can go on.
    Now,
    /// The user must be asked first (section 2).
    Ask,
}

impl EndSessionRequest {
    /// Decides for the user who is signed in in the browser, if any.
    pub fn decide(&self, user: Option<&SignedIn>) -> EndSession {
        match user {
            None => EndSession::NotSignedIn,
            Some(user) if self.hint.proves(user) => EndSession::Now,
            Some(_) => EndSession::Ask,
        }
    }

    /// Returns the address to which the browser goes afterwards, with the application's state (section 3).
    pub fn return_to(&self) -> Option<String> {
        let address = self.post_logout_redirect_uri.as_deref()?;
        Some(match self.state.as_deref() {
            Some(state) => response_url(address, &[("state", state)]),
            None => address.to_owned(),
        })
    }
}

const WRONG_HINT: &str = "The id_token_hint is not an id token of this server.";
const UNKNOWN_CLIENT: &str = "No application with this client_id is registered.";
const OTHER_CLIENT: &str =
    "The parameters id_token_hint and client_id name different applications.";
const NO_CLIENT: &str = "A post_logout_redirect_uri requires a client_id or an id_token_hint.";
const WRONG_ADDRESS: &str = "The post_logout_redirect_uri is not registered for this application.";
const LONG_STATE: &str = "The parameter state must not exceed 4096 bytes.";

/// Validates a request. Writes nothing, and does not consider the user.
///
/// # Errors
/// Failures of the store. A refusal is the inner error.
pub fn check<R: ApplicationQueries + ?Sized>(
    repos: &mut R,
    parameters: &EndSessionParameters,
    hint: SessionHint,
) -> Result<Result<EndSessionRequest, EndSessionRefusal>, StoreError> {
    if hint == SessionHint::Invalid {
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

/// Compares the address byte for byte with the registered ones (section 3.1), even on the loopback interface.
fn validate_address(
    parameters: &EndSessionParameters,
    application: Option<&Application>,
) -> Result<(), EndSessionRefusal> {
    let state = parameters.state.as_deref();
    if state.is_some_and(|state| state.len() > MAX_STATE_BYTES) {
        return Err(EndSessionRefusal(LONG_STATE));
    }
    let Some(requested) = parameters.post_logout_redirect_uri.as_deref() else {
        return Ok(());
    };
    let application = application.ok_or(EndSessionRefusal(NO_CLIENT))?;
    let is_it = |uri: &RedirectUri| uri.as_str() == requested;
    if application.post_logout_redirect_uris.iter().any(is_it) {
        Ok(())
    } else {
        Err(EndSessionRefusal(WRONG_ADDRESS))
    }
}
