//! The application to which somebody goes on after signing in.

use oauth_provider::flow::authorize::{AuthorizeParameters, check};
use storage::{Lane, StoreError};
use url::form_urlencoded;

use crate::frame::page::shown_name::ShownName;
use crate::frame::return_to::ReturnTo;
use crate::state::AppState;

/// The name of the application whose request waits at `return_to`. `None` when nothing waits there, and when the request
/// makes no sense: only an application that gets the answer is named, so that no link can borrow the name of another.
///
/// # Errors
/// Failures of the store.
pub(super) async fn application_of(
    state: &AppState,
    lane: Lane,
    return_to: Option<&ReturnTo>,
) -> Result<Option<ShownName>, StoreError> {
    let Some(parameters) = return_to.and_then(parameters) else {
        return Ok(None);
    };
    let policy = state.settings.oauth.policy.clone();
    let found = state
        .database
        .read(lane, move |tx| check(tx, &parameters, &policy));
    let checked: Result<_, StoreError> = found.await;
    let request = checked?.ok();
    Ok(request.map(|request| ShownName::of(&request.application.name)))
}

fn parameters(return_to: &ReturnTo) -> Option<AuthorizeParameters> {
    let query = return_to.authorization()?;
    let pairs: Vec<_> = form_urlencoded::parse(query.as_bytes()).collect();
    let pairs = pairs
        .iter()
        .map(|(name, value)| (name.as_ref(), value.as_ref()));
    AuthorizeParameters::from_pairs(pairs).ok()
}
