//! Conversion of a token form into work for the store.

use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;

use super::answer::PendingIssue;
use super::{Provider, TokenCall};
use crate::flow::exchange::Exchange;
use crate::flow::refresh::Refresh;
use crate::model::{ACCESS_PREFIX, Application, REFRESH_PREFIX, RotationSeed};
use crate::policy::Policy;
use crate::wire::error::ErrorCode;
use crate::wire::token_request::{SentCode, SentRefresh};
use crate::wire::{ClientCredentials, Form, OAuthError, TokenRequest};
use crate::work::{ExchangeCode, RefreshToken};

/// Parses the client credentials and the token request from the header and the form.
pub(super) fn read(
    call: TokenCall<'_>,
    policy: &Policy,
) -> Result<(ClientCredentials, TokenRequest), OAuthError> {
    let mut form = Form::from_body(call.body)?;
    let client = ClientCredentials::read(call.authorization, &mut form)?;
    let request = TokenRequest::read(&mut form, &policy.scopes)?;
    let client = client.ok_or_else(|| OAuthError::invalid_client(false))?;
    Ok((client, request))
}

/// Work that the store does for an authenticated client, and the data needed for the response.
pub(super) enum Step<U> {
    /// Redemption of a code.
    Exchange(Box<ExchangeCode<U>>, PendingIssue),
    /// Rotation of a refresh token.
    Refresh(Box<RefreshToken<U>>, Application),
}

impl<U> Step<U> {
    /// Creates the work for a request. Secrets are generated here, outside of any transaction.
    pub(super) fn of(
        request: TokenRequest,
        application: Application,
        provider: Provider<'_, U>,
        now: Timestamp,
    ) -> Result<Self, OAuthError> {
        match request {
            TokenRequest::AuthorizationCode(sent) => Ok(redeem(sent, application, provider, now)),
            TokenRequest::RefreshToken(sent) => Ok(rotate(sent, application, provider, now)),
            TokenRequest::Password(_) => Err(OAuthError::new(ErrorCode::UnsupportedGrantType)),
        }
    }
}

fn redeem<U>(
    sent: SentCode,
    application: Application,
    provider: Provider<'_, U>,
    now: Timestamp,
) -> Step<U> {
    let [access, refresh] = [ACCESS_PREFIX, REFRESH_PREFIX]
        .map(|prefix| PlainSecret::generate_dated(prefix, provider.secrets, now));
    let access_seconds = provider.policy.access_seconds_of(&application.options);
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
        policy: provider.policy.clone(),
        users: provider.users,
    };
    let issue = PendingIssue {
        application,
        access,
        refresh,
        created_at: now,
        expires_at: now.plus_seconds(access_seconds),
    };
    Step::Exchange(Box::new(work), issue)
}

fn rotate<U>(
    sent: SentRefresh,
    application: Application,
    provider: Provider<'_, U>,
    now: Timestamp,
) -> Step<U> {
    let request = Refresh {
        application_id: Some(application.id),
        allowed: application.scopes.clone(),
        presented: sent.refresh_token,
        scopes: sent.scopes,
        redirect_uri: sent.redirect_uri,
        code_verifier: sent.code_verifier.map(revealed),
        access_seconds: Some(provider.policy.access_seconds_of(&application.options)),
        seed: RotationSeed::generate(provider.secrets, now),
        now,
    };
    let work = RefreshToken {
        request,
        policy: provider.policy.clone(),
        users: provider.users,
    };
    Step::Refresh(Box::new(work), application)
}

/// Reveals a code verifier, which is useless once the code is redeemed.
#[expect(
    clippy::needless_pass_by_value,
    reason = "it stands where a secret is given up"
)]
fn revealed(verifier: PlainSecret) -> String {
    verifier.reveal().to_owned()
}
