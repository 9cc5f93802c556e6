//! Whether a sender may send alerts to an endpoint.

use api_conventions::credentials::Authorization;
use api_conventions::error::ApiError;
use api_conventions::ids::ProjectId;
use api_conventions::secret::{PlainSecret, SecretDigest};
use storage::StoreError;

use crate::model::Integration;
use crate::store::AlertQueries;

/// What a key leads to. `I` is how the caller holds an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyOutcome<I = Box<Integration>> {
    /// The key is right, and the endpoint takes alerts.
    Authorized(I),
    /// The key is right, and the endpoint is switched off.
    Inactive,
    /// There is no such endpoint, or no key was sent, or the key is not its key. The three are one answer, so that nobody
    /// learns which names exist.
    Refused,
}

impl<I> KeyOutcome<I> {
    /// The endpoint, or the answer of the API.
    ///
    /// # Errors
    /// 401 when the key proves nothing, 403 when the endpoint is switched off.
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

/// Finds the endpoint `identifier` of a project and judges the value of the `Authorization` header: a Bearer token, or
/// Basic credentials whose password is the key, whatever the name. Writes nothing.
///
/// `project` is `None` when there is no project of the name in the URL. The same work is done then, so that the time of a
/// refusal tells nothing.
///
/// # Errors
/// Failures of the store.
pub fn authorize<R: AlertQueries + ?Sized>(
    repos: &mut R,
    project: Option<ProjectId>,
    identifier: &str,
    authorization: Option<&str>,
) -> Result<KeyOutcome, StoreError> {
    let key = authorization.and_then(key_in).map(|key| key.digest());
    let found = find(repos, project, identifier)?;
    Ok(judge(found.map(Box::new), key.as_ref()))
}

/// The endpoint of a project, if both exist, at the cost of one look-up in any case.
///
/// # Errors
/// Failures of the store.
pub fn find<R: AlertQueries + ?Sized>(
    repos: &mut R,
    project: Option<ProjectId>,
    identifier: &str,
) -> Result<Option<Integration>, StoreError> {
    // No project has this number: one that does not exist is looked for all the same.
    repos.find_integration(project.unwrap_or(ProjectId::new(0)), identifier)
}

/// Judges the digest of a key for an endpoint that was looked up. The same work is done whether or not there is one.
pub fn judge<I: AsRef<Integration>>(found: Option<I>, key: Option<&SecretDigest>) -> KeyOutcome<I> {
    let nobodys = SecretDigest::from_bytes([0; 32]);
    let expected = found.as_ref().map_or(nobodys, |found| found.as_ref().key);
    let is_right = key.is_some_and(|key| *key == expected);
    match found.filter(|_| is_right) {
        None => KeyOutcome::Refused,
        Some(integration) if integration.as_ref().active => KeyOutcome::Authorized(integration),
        Some(_) => KeyOutcome::Inactive,
    }
}

/// The key in the value of an `Authorization` header.
pub fn key_in(authorization: &str) -> Option<PlainSecret> {
    Authorization::parse(authorization).map(Authorization::into_secret)
}
