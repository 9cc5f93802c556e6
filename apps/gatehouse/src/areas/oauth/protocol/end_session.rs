//! Sign-out requests, from their parameters to a validated request.

use api_conventions::time::Timestamp;
use oauth_provider::flow::end_session::{
    EndSessionParameters, EndSessionRefusal, EndSessionRequest, SessionHint, check,
};
use storage::Lane;

use crate::state::AppState;
use gatehouse_core::signing_keys::KeyRingError;

/// Validates a request: the application, the session and the address to redirect to.
/// The inner error is the reason for a refusal.
///
/// # Errors
/// Failures of the store, and of the keys if there is a hint to verify.
pub async fn validate(
    state: &AppState,
    parameters: EndSessionParameters,
    lane: Lane,
    now: Timestamp,
) -> Result<Result<EndSessionRequest, EndSessionRefusal>, KeyRingError> {
    let hint = match &parameters.id_token_hint {
        Some(token) => {
            let checked = state.keys.check_hint(token, &state.base_url, now).await?;
            SessionHint::of(checked)
        }
        None => SessionHint::None,
    };
    let validated = state
        .database
        .read(lane, move |tx| check(tx, &parameters, hint));
    Ok(validated.await?)
}
