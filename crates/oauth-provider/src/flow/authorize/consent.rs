//! Storage of a request until the user consents, and its completion.

use api_conventions::ids::ApplicationId;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::check::CheckedRequest;
use super::decide::SignedIn;
use super::response::AuthorizationResponse;
use crate::model::{Application, AuthorizationRequest, NewGrant, TokenSubject};
use crate::policy::Policy;
use crate::store::{ApplicationQueries, GrantRepository};

/// Stores a request until the user answers it, under the digest of the handle that the consent page carries.
///
/// # Errors
/// Failures of the store.
pub fn store_request<R: GrantRepository + ?Sized>(
    repos: &mut R,
    request: &CheckedRequest,
    user: &SignedIn,
    handle: &SecretDigest,
    now: Timestamp,
    policy: &Policy,
) -> Result<(), StoreError> {
    repos.insert_authorization_request(handle, &pending_request(request, user, now, policy))
}

fn pending_request(
    request: &CheckedRequest,
    user: &SignedIn,
    now: Timestamp,
    policy: &Policy,
) -> AuthorizationRequest {
    AuthorizationRequest {
        application_id: request.application.id,
        user_id: user.user_id,
        session_id: user.session_id,
        redirect_uri: request.redirect_uri.clone(),
        scopes: request.scopes.clone(),
        state: request.state.clone(),
        nonce: request.nonce.clone(),
        challenge: request.challenge.clone(),
        response_mode: request.response_mode,
        auth_time: user.auth_time,
        created_at: now,
        expires_at: now.plus_seconds(policy.consent_seconds),
    }
}

/// Approval of a request by the user.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Approval {
    /// Digest of the handle that the consent page sent back.
    pub handle: SecretDigest,
    /// Digest of the code to issue.
    pub code: SecretDigest,
    /// User who approves.
    pub user: SignedIn,
    /// Current time.
    pub now: Timestamp,
}

impl Approval {
    /// Creates the approval of the request with this handle by `user`, for a code with this digest.
    pub fn new(handle: SecretDigest, code: SecretDigest, user: SignedIn, now: Timestamp) -> Self {
        Self {
            handle,
            code,
            user,
            now,
        }
    }
}

/// Outcome of the user's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApproveOutcome {
    /// The request is answered, with this response to this application.
    Responded(AuthorizationResponse, ApplicationId),
    /// The request does not exist or is not valid: it was answered before, it has expired, it was shown in another
    /// browser, or the application may no longer hold the requested scopes, because its registration or the registry of
    /// scopes changed.
    NotFound,
}

/// Approves a stored request with a code. Written: the request is deleted and the code can be redeemed.
///
/// # Errors
/// Failures of the store.
pub fn approve<R: GrantRepository + ApplicationQueries + ?Sized>(
    repos: &mut R,
    approval: &Approval,
    policy: &Policy,
) -> Result<ApproveOutcome, StoreError> {
    let user = approval.user;
    let taken =
        repos.take_authorization_request(&approval.handle, user.session_id, approval.now)?;
    let Some(request) = taken.filter(|request| request.user_id == user.user_id) else {
        return Ok(ApproveOutcome::NotFound);
    };
    let application = repos.find_application(request.application_id)?;
    let may_have = |found: &Application| {
        let allowed = policy.scopes.offered_in(&found.scopes);
        request.scopes.is_subset_of(&allowed)
    };
    let Some(application) = application.filter(may_have) else {
        return Ok(ApproveOutcome::NotFound);
    };
    let answer = response(&request, &application);
    repos.insert_grant(&grant(request, approval.code, approval.now, policy))?;
    Ok(ApproveOutcome::Responded(answer, application.id))
}

/// Denies a stored request, without a grant. Written: the request is deleted.
///
/// # Errors
/// Failures of the store.
pub fn deny<R: GrantRepository + ApplicationQueries + ?Sized>(
    repos: &mut R,
    handle: &SecretDigest,
    user: &SignedIn,
    now: Timestamp,
) -> Result<ApproveOutcome, StoreError> {
    let taken = repos.take_authorization_request(handle, user.session_id, now)?;
    let Some(request) = taken else {
        return Ok(ApproveOutcome::NotFound);
    };
    let application = repos.find_application(request.application_id)?;
    Ok(application.map_or(ApproveOutcome::NotFound, |application| {
        ApproveOutcome::Responded(response(&request, &application), application.id)
    }))
}

/// Returns the response to a stored request, with the current options of its application.
fn response(request: &AuthorizationRequest, application: &Application) -> AuthorizationResponse {
    AuthorizationResponse::new(
        application,
        request.redirect_uri.clone(),
        request.state.clone(),
        request.response_mode,
    )
}

/// Approves a request that needs no consent, according to [`decide`](super::decide). Written: the code can be redeemed.
///
/// # Errors
/// Failures of the store.
pub fn approve_without_consent<R: GrantRepository + ?Sized>(
    repos: &mut R,
    request: &CheckedRequest,
    user: &SignedIn,
    code: SecretDigest,
    now: Timestamp,
    policy: &Policy,
) -> Result<AuthorizationResponse, StoreError> {
    repos.insert_grant(&grant(
        pending_request(request, user, now, policy),
        code,
        now,
        policy,
    ))?;
    Ok(request.response())
}

fn grant(
    request: AuthorizationRequest,
    code: SecretDigest,
    now: Timestamp,
    policy: &Policy,
) -> NewGrant {
    NewGrant {
        code: Some((code, now.plus_seconds(policy.code_seconds))),
        subject: TokenSubject::user(request.user_id, request.application_id),
        session_id: Some(request.session_id),
        scopes: request.scopes,
        redirect_uri: Some(request.redirect_uri),
        challenge: request.challenge,
        nonce: request.nonce,
        auth_time: request.auth_time,
        created_at: now,
        expires_at: now.plus_seconds(policy.grant_seconds),
    }
}
