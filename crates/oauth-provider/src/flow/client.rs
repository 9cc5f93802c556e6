//! Client authentication at the token endpoint (RFC 6749, section 2.3).

use api_conventions::secret::{PlainSecret, SecretDigest};
use storage::StoreError;

use crate::model::{Application, ApplicationUid, ClientType};
use crate::store::ApplicationQueries;

/// Result of client authentication. `A` is how the caller holds the application.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientOutcome<A = Box<Application>> {
    /// The client proved its identity, or it is public and need not.
    Authenticated(A),
    /// The application does not exist, its secret is missing, or the secret is wrong. All three give the same response,
    /// so that callers cannot tell them apart.
    Refused,
}

/// Finds the application `uid` and verifies the secret that was sent. Writes nothing.
///
/// # Errors
/// Failures of the store.
pub fn authenticate_client<R: ApplicationQueries + ?Sized>(
    repos: &mut R,
    uid: &str,
    secret: Option<&PlainSecret>,
) -> Result<ClientOutcome, StoreError> {
    let found = match ApplicationUid::parse(uid) {
        Some(uid) => repos.find_application_by_uid(&uid)?,
        None => None,
    };
    Ok(verify_client(found.map(Box::new), secret))
}

/// Verifies the secret that was sent for an application that was looked up. Does the same work whether or not the
/// application exists.
pub fn verify_client<A: AsRef<Application>>(
    found: Option<A>,
    secret: Option<&PlainSecret>,
) -> ClientOutcome<A> {
    let application = found.as_ref().map(AsRef::as_ref);
    let expected = application.map_or_else(
        || SecretDigest::from_bytes([0; 32]),
        |application| application.secret,
    );
    let is_public =
        application.is_some_and(|application| application.client_type == ClientType::Public);
    let proven = secret.map_or(is_public, |secret| secret.digest() == expected);
    match found {
        Some(application) if proven => ClientOutcome::Authenticated(application),
        _ => ClientOutcome::Refused,
    }
}
