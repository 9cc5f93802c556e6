//! Conversion of a token form into work for the store.

use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;

use super::answer::PendingIssue;
use super::{TokenCall, TokenContext};
use crate::flow::exchange::Exchange;
use crate::flow::refresh::Refresh;
use crate::model::{ACCESS_PREFIX, Application, REFRESH_PREFIX, RotationSeed};
use crate::policy::Policy;
use crate::wire::error::ErrorCode;
use crate::wire::token_request::{CodeParameters, RefreshParameters};
use crate::wire::{ClientCredentials, FormParameters, OAuthError, TokenRequest};
use crate::work::{ExchangeCode, RefreshToken};

/// Parses the client credentials and the token request from the header and the form.
pub(super) fn read(
    call: TokenCall<'_>,
    policy: &Policy,
) -> Result<(ClientCredentials, TokenRequest), OAuthError> {
    let mut form = FormParameters::from_body(call.body)?;
    let client = ClientCredentials::read(call.authorization, &mut form)?;
    let request = TokenRequest::read(&mut form, &policy.scopes)?;
    let client = client.ok_or_else(|| OAuthError::invalid_client(false))?;
    Ok((client, request))
}

/// Work that the store does for an authenticated client, and the data needed for the response.
pub(super) enum TokenWork<U> {
    /// Redemption of a code.
    Exchange(Box<ExchangeCode<U>>, PendingIssue),
    /// Rotation of a refresh token.
    Refresh(Box<RefreshToken<U>>, Application),
}

impl<U> TokenWork<U> {
    /// Creates the work for a request. Secrets are generated here, outside of any transaction.
    pub(super) fn of(
        request: TokenRequest,
        application: Application,
        context: TokenContext<'_, U>,
        now: Timestamp,
    ) -> Result<Self, OAuthError> {
        match request {
            TokenRequest::AuthorizationCode(sent) => Ok(redeem(sent, application, context, now)),
            TokenRequest::RefreshToken(sent) => Ok(rotate(sent, application, context, now)),
            TokenRequest::Password(_) => Err(OAuthError::new(ErrorCode::UnsupportedGrantType)),
        }
    }
}

fn redeem<U>(
    sent: CodeParameters,
    application: Application,
    context: TokenContext<'_, U>,
    now: Timestamp,
) -> TokenWork<U> {
    let [access, refresh] = [ACCESS_PREFIX, REFRESH_PREFIX]
        .map(|prefix| PlainSecret::generate_dated(prefix, context.secrets, now));
    let access_seconds = context.policy.access_seconds_of(&application.options);
    let request = Exchange {
        application_id: application.id,
        allowed: application.scopes.clone(),
        code: sent.code.digest(),
        redirect_uri: sent.redirect_uri,
        code_verifier: sent.code_verifier.map(revealed),
        access: access.digest(),
        refresh: refresh.digest(),
        access_seconds: Some(access_seconds),
        now,
    };
    let work = ExchangeCode {
        request,
        policy: context.policy.clone(),
        users: context.users,
    };
    let issue = PendingIssue {
        application,
        access,
        refresh,
        created_at: now,
        expires_at: now.plus_seconds(access_seconds),
    };
    TokenWork::Exchange(Box::new(work), issue)
}

fn rotate<U>(
    sent: RefreshParameters,
    application: Application,
    context: TokenContext<'_, U>,
    now: Timestamp,
) -> TokenWork<U> {
    let request = Refresh {
        application_id: Some(application.id),
        allowed: application.scopes.clone(),
        presented: sent.refresh_token,
        scopes: sent.scopes,
        redirect_uri: sent.redirect_uri,
        code_verifier: sent.code_verifier.map(revealed),
        access_seconds: Some(context.policy.access_seconds_of(&application.options)),
        seed: RotationSeed::generate(context.secrets, now),
        now,
    };
    let work = RefreshToken {
        request,
        policy: context.policy.clone(),
        users: context.users,
    };
    TokenWork::Refresh(Box::new(work), application)
}

/// Reveals a code verifier, which is useless once the code is redeemed.
#[expect(
    clippy::needless_pass_by_value,
    reason = "taking the secret by value ends its use"
)]
fn revealed(verifier: PlainSecret) -> String {
    verifier.reveal().to_owned()
}
