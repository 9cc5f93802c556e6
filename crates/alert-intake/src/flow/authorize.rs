//! Authorization of senders at alert endpoints.

use api_conventions::credentials::{Authorization, MAX_BYTES};
use api_conventions::error::ApiError;
use api_conventions::ids::ProjectId;
use api_conventions::secret::{PlainSecret, SecretDigest};
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::Integration;
use crate::store::AlertQueries;

/// Result of checking a sender's key. `I` is the caller's type for an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyOutcome<I = Box<Integration>> {
    /// The key is right and the endpoint is active.
    Authorized(I),
    /// The key is right, but the endpoint is inactive.
    Inactive,
    /// There is no such endpoint, no key was sent, or the key is wrong. All three give the same answer, so that a
    /// sender cannot probe which endpoints exist.
    Refused,
}

impl<I> KeyOutcome<I> {
    /// Returns the endpoint, or the API's error response.
    ///
    /// # Errors
    /// 401 if the key is not right, 403 if the endpoint is inactive.
    pub fn authorized(self) -> Result<I, ApiError> {
        match self {
            Self::Authorized(integration) => Ok(integration),
            Self::Inactive => Err(ApiError::forbidden_because(
                "the alert endpoint is not active",
            )),
            Self::Refused => Err(ApiError::key_required()),
        }
    }
}

/// Looks up the endpoint `identifier` of a project and checks the value of the `Authorization` header: a Bearer token,
/// Basic credentials with the key as password and any user name, or the `GenieKey` of the Opsgenie API. Writes nothing.
///
/// `project` is `None` if no project has the name in the URL. The same work is done in that case, so that the response
/// time of a refusal reveals nothing.
///
/// # Errors
/// Failures of the store.
pub fn authorize<R: AlertQueries + ?Sized>(
    repos: &mut R,
    project: Option<ProjectId>,
    identifier: &str,
    authorization: Option<&str>,
    now: Timestamp,
) -> Result<KeyOutcome, StoreError> {
    let key = authorization.and_then(key_in).map(|key| key.digest());
    let found = find(repos, project, identifier)?;
    Ok(verify_key(found.map(Box::new), key.as_ref(), now))
}

/// Returns the endpoint of a project if both exist, always at the cost of one lookup.
///
/// # Errors
/// Failures of the store.
pub fn find<R: AlertQueries + ?Sized>(
    repos: &mut R,
    project: Option<ProjectId>,
    identifier: &str,
) -> Result<Option<Integration>, StoreError> {
    // No project has this id: a missing project is looked up all the same.
    repos.find_integration(project.unwrap_or(ProjectId::new(0)), identifier)
}

/// Checks the digest of a key at `now` against an endpoint that was looked up. Does the same work whether or not the endpoint
/// exists.
pub fn verify_key<I: AsRef<Integration>>(
    found: Option<I>,
    key: Option<&SecretDigest>,
    now: Timestamp,
) -> KeyOutcome<I> {
    let nobodys = SecretDigest::from_bytes([0; 32]);
    let is_right = key.is_some_and(|key| match &found {
        Some(found) => found.as_ref().accepts(key, now),
        None => *key == nobodys,
    });
    match found.filter(|_| is_right) {
        None => KeyOutcome::Refused,
        Some(integration) if integration.as_ref().active => KeyOutcome::Authorized(integration),
        Some(_) => KeyOutcome::Inactive,
    }
}

/// Scheme of the keys of the Opsgenie API.
const GENIE_SCHEME: &str = "geniekey";

/// Returns the key in the value of an `Authorization` header.
pub fn key_in(authorization: &str) -> Option<PlainSecret> {
    let is_genie = |(scheme, _): &(&str, &str)| scheme.eq_ignore_ascii_case(GENIE_SCHEME);
    let genie = authorization.trim().split_once(' ').filter(is_genie);
    match genie.map(|(_, key)| key.trim()) {
        Some(key) => (1..=MAX_BYTES)
            .contains(&key.len())
            .then(|| PlainSecret::new(key)),
        None => Authorization::parse(authorization).map(Authorization::into_secret),
    }
}
