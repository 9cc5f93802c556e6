//! State machine of the authorization endpoint, driven with data that the caller looked up.

use std::borrow::Cow;

use api_conventions::scope::ScopeSet;
use oxide_auth::code_grant::authorization::{Authorization, Error, Input, Output};
use oxide_auth::code_grant::error::AuthorizationErrorType;
use oxide_auth::primitives::grant::Extensions;
use oxide_auth::primitives::registrar::{BoundClient, ExactUrl, PreGrant, RegisteredUrl};
use oxide_auth::primitives::scope::Scope;

use crate::engine::{EngineCallbacks, EngineError};
use crate::flow::authorize::AuthorizeParameters;

/// Runs all checks of a request and returns the granted scopes.
pub(crate) fn run<P: EngineCallbacks>(
    request: &AuthorizeParameters,
    provider: &mut P,
) -> Result<ScopeSet, EngineError<P::Refusal>> {
    let mut machine = Authorization::new(request);
    let mut agreed = ScopeSet::default();
    let mut input = Input::None;
    loop {
        input = match machine.advance(input) {
            Output::Bind {
                client_id,
                redirect_uri,
            } => {
                let requested = redirect_uri.as_ref().map(ExactUrl::as_str);
                provider
                    .bind(&client_id, requested)
                    .map_err(EngineError::Refused)?;
                let address = redirect_uri.ok_or(EngineError::Nowhere)?;
                Input::Bound {
                    request,
                    bound_client: bound(client_id, address),
                }
            }
            Output::Extend => {
                provider.extend().map_err(EngineError::Refused)?;
                Input::Extended(Extensions::new())
            }
            Output::Negotiate {
                bound_client,
                scope,
            } => {
                let requested = scope.and(request.scope.as_deref());
                agreed = provider
                    .negotiate(requested)
                    .map_err(EngineError::Refused)?;
                Input::Negotiated {
                    pre_grant: pre_grant(bound_client, &agreed)?,
                    state: request.state.clone(),
                }
            }
            Output::Ok { .. } => return Ok(agreed),
            Output::Err(error) => return Err(engine_error(error)),
        };
    }
}

fn bound(client_id: String, address: ExactUrl) -> BoundClient<'static> {
    BoundClient {
        client_id: Cow::Owned(client_id),
        redirect_uri: Cow::Owned(RegisteredUrl::Exact(address)),
    }
}

fn pre_grant<R>(client: &BoundClient<'_>, scopes: &ScopeSet) -> Result<PreGrant, EngineError<R>> {
    Ok(PreGrant {
        client_id: client.client_id.to_string(),
        redirect_uri: client.redirect_uri.as_ref().clone(),
        scope: scopes
            .to_string()
            .parse::<Scope>()
            .map_err(|_| EngineError::Scope)?,
    })
}

/// Converts an error. The machine reports the two errors that it finds itself as the response that it would send.
fn engine_error<R>(error: Error) -> EngineError<R> {
    match error {
        Error::Redirect(mut answer) => match answer.description().kind() {
            AuthorizationErrorType::UnsupportedResponseType => EngineError::ResponseType,
            _ => EngineError::Scope,
        },
        Error::Ignore | Error::PrimitiveError => EngineError::Nowhere,
    }
}
