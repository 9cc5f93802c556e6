//! Order of checks without oxide-auth: the steps of its state machine as one function.

use api_conventions::scope::ScopeSet;
use url::Url;

use super::{EngineCallbacks, EngineError};
use crate::flow::authorize::AuthorizeParameters;

/// Runs all checks of a request and returns the granted scopes.
pub(crate) fn run<P: EngineCallbacks>(
    request: &AuthorizeParameters,
    provider: &mut P,
) -> Result<ScopeSet, EngineError<P::Refusal>> {
    let client_id = request.client_id.as_deref().ok_or(EngineError::Nowhere)?;
    let address = request.redirect_uri.as_deref();
    if address.is_some_and(|address| Url::parse(address).is_err()) {
        return Err(EngineError::Nowhere);
    }
    provider
        .bind(client_id, address)
        .map_err(EngineError::Refused)?;
    if address.is_none() {
        return Err(EngineError::Nowhere);
    }
    // The client is proven from here on, so errors may be sent to its address.
    if request.response_type.as_deref() != Some("code") {
        return Err(EngineError::ResponseType);
    }
    let requested = request.scope.as_deref();
    if !requested.is_none_or(|scope| scope.bytes().all(is_of_scope)) {
        return Err(EngineError::Scope);
    }
    provider.extend().map_err(EngineError::Refused)?;
    provider.negotiate(requested).map_err(EngineError::Refused)
}

/// True for the characters of scopes and the space between them (RFC 6749, section 3.3).
const fn is_of_scope(byte: u8) -> bool {
    matches!(byte, b' ' | 0x21 | 0x23..=0x5b | 0x5d..=0x7e)
}
