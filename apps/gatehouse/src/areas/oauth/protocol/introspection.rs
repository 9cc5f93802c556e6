//! Token introspection by the application that the token belongs to (RFC 7662).

use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use oauth_provider::flow::introspect::{ActiveToken, TokenHalf, introspect as find_active};
use oauth_provider::wire::{Introspection, Issuer, OAuthError};
use oauth_provider::{Application, ClientType, TokenSubject};
use storage::StoreError;

use crate::frame::lane;
use crate::frame::oauth_failure::OAuthFailure;
use crate::state::AppState;
use gatehouse_core::auth::tokens::{SentToken, TokenVerdict};

/// Returns the introspection response for `caller`.
/// A public application cannot authenticate, and anyone could use its name, so it is refused (RFC 7662, section 2.1).
///
/// # Errors
/// `invalid_client` for a public application; failures of the store.
pub async fn introspect(
    state: &AppState,
    caller: &Application,
    token: &PlainSecret,
    now: Timestamp,
) -> Result<Introspection, OAuthFailure> {
    if caller.client_type == ClientType::Public {
        return Err(OAuthError::invalid_client(false).into());
    }
    if SentToken::of(token).is_oauth() {
        return access(state, caller, token, now).await;
    }
    let (digest, id) = (token.digest(), caller.id);
    let found = state.database.read(lane::of_application(id), move |tx| {
        let Some(active) = find_active(tx, &digest, id, now)? else {
            return Ok(None);
        };
        // Tokens of applications themselves have no pair, and this server accepts none of them.
        let TokenSubject::User { user_id, .. } = active.pair.subject else {
            return Ok(None);
        };
        let user = tx.find_user(user_id)?;
        Ok::<_, StoreError>(user.map(|user| (active, user)))
    });
    Ok(found
        .await?
        .map_or_else(Introspection::inactive, |(active, user)| {
            let username = Some(user.username.as_str());
            Introspection::active(&active, &caller.uid, username, issuer(state))
        }))
}

/// Introspects an access token.
/// It uses the token cache, like the requests that send the token.
async fn access(
    state: &AppState,
    caller: &Application,
    token: &PlainSecret,
    now: Timestamp,
) -> Result<Introspection, OAuthFailure> {
    let sent = SentToken::of(token);
    let principal = match state.tokens.cached(sent, now) {
        Some(found) => found,
        None => match state.tokens.check(&state.database, sent, now).await? {
            TokenVerdict::Good(found) => found,
            _ => return Ok(Introspection::inactive()),
        },
    };
    let own = principal.oauth().map(|credential| &credential.pair);
    let Some(pair) = own.filter(|pair| pair.subject.application_id() == Some(caller.id)) else {
        return Ok(Introspection::inactive());
    };
    let active = ActiveToken::new(pair.clone(), TokenHalf::Access);
    let username = Some(principal.user.username.as_str());
    Ok(Introspection::active(
        &active,
        &caller.uid,
        username,
        issuer(state),
    ))
}

fn issuer(state: &AppState) -> Issuer<'_> {
    Issuer {
        url: &state.base_url,
        scopes: &state.settings.oauth.policy.scopes,
    }
}
