//! What a token is, told to the application that it belongs to.

use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use oauth_provider::flow::introspect::{ActiveToken, TokenHalf, introspect};
use oauth_provider::wire::{Introspection, OAuthError};
use oauth_provider::{Application, ClientType};
use storage::{Store as _, StoreError};

use crate::auth::tokens::SentToken;
use crate::http::oauth::OAuthFailure;
use crate::state::AppState;

/// What `caller` is told of a token. A public application proves nothing, and a stranger could ask in its name, so
/// it is told nothing at all (RFC 7662, section 2.1).
///
/// # Errors
/// `invalid_client` for a public application; failures of the store.
pub async fn told(
    state: &AppState,
    caller: &Application,
    token: &PlainSecret,
    now: Timestamp,
) -> Result<Introspection, OAuthFailure> {
    if caller.client_type == ClientType::Public {
        return Err(OAuthError::invalid_client(false).into());
    }
    if let Some(known) = from_cache(state, caller, SentToken::of(token), now) {
        return Ok(known);
    }
    let (digest, id) = (token.digest(), caller.id);
    let found = state.database.read(move |tx| {
        let Some(active) = introspect(tx, &digest, id, now)? else {
            return Ok(None);
        };
        let user = tx.find_user(active.pair.user_id)?;
        Ok::<_, StoreError>(user.map(|user| (active, user)))
    });
    Ok(found
        .await?
        .map_or_else(Introspection::inactive, |(active, user)| {
            let username = user.username.as_str();
            Introspection::active(&active, &caller.uid, username, &state.base_url)
        }))
}

/// The answer for an access token that was used a moment ago.
fn from_cache(
    state: &AppState,
    caller: &Application,
    token: SentToken,
    now: Timestamp,
) -> Option<Introspection> {
    let principal = state.tokens.cached(token, now)?;
    let pair = principal.oauth()?.pair.clone();
    if pair.application_id != Some(caller.id) {
        return Some(Introspection::inactive());
    }
    let active = ActiveToken {
        pair,
        half: TokenHalf::Access,
    };
    let username = principal.user.username.as_str();
    Some(Introspection::active(
        &active,
        &caller.uid,
        username,
        &state.base_url,
    ))
}
