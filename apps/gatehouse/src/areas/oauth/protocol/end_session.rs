//! A request to sign out, from its parameters to what is known of it.

use api_conventions::time::Timestamp;
use oauth_provider::flow::end_session::{
    EndSessionParameters, EndSessionRefusal, EndSessionRequest, SessionHint, check,
};
use storage::Lane;

use crate::state::AppState;
use gatehouse_core::signing_keys::KeyRingError;

/// Judges a request: who asks, which session is meant, and where the browser goes afterwards. The inner error says why it
/// makes no sense.
///
/// # Errors
/// Failures of the store, and of the keys when there is a hint to check.
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
        None => SessionHint::Nothing,
    };
    let validated = state
        .database
        .read(lane, move |tx| check(tx, &parameters, hint));
    Ok(validated.await?)
}
