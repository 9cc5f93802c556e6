//! Application to which the user continues after signing in.

use oauth_provider::flow::authorize::{AuthorizeParameters, check};
use storage::{Lane, StoreError};
use url::form_urlencoded;

use crate::frame::page::display_name::DisplayName;
use crate::frame::return_to::ReturnTo;
use crate::state::AppState;

/// Returns the name of the application whose request waits at `return_to`.
/// `None` if no request waits there, or if the request is invalid: a name is shown only for the application that
/// receives the response, so that a link cannot borrow another application's name.
///
/// # Errors
/// Failures of the store.
pub(super) async fn application_of(
    state: &AppState,
    lane: Lane,
    return_to: Option<&ReturnTo>,
) -> Result<Option<DisplayName>, StoreError> {
    let Some(parameters) = return_to.and_then(parameters) else {
        return Ok(None);
    };
    let policy = state.settings.oauth.policy.clone();
    let found = state
        .database
        .read(lane, move |tx| check(tx, &parameters, &policy));
    let checked: Result<_, StoreError> = found.await;
    let request = checked?.ok();
    Ok(request.map(|request| DisplayName::of(&request.application.name)))
}

fn parameters(return_to: &ReturnTo) -> Option<AuthorizeParameters> {
    let query = return_to.authorization()?;
    let pairs: Vec<_> = form_urlencoded::parse(query.as_bytes()).collect();
    let pairs = pairs
        .iter()
        .map(|(name, value)| (name.as_ref(), value.as_ref()));
    AuthorizeParameters::from_pairs(pairs).ok()
}
