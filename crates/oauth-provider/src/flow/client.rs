//! Which application speaks, and whether it proves it (RFC 6749, section 2.3).

use api_conventions::secret::{PlainSecret, SecretDigest};
use storage::StoreError;

use crate::model::{Application, ApplicationUid, ClientType};
use crate::store::ApplicationQueries;

/// Whether an application proved that it is itself. `A` is how the caller holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientOutcome<A = Box<Application>> {
    /// It did, or it is public and need not.
    Authenticated(A),
    /// There is no such application, its secret is missing, or the secret is wrong. The three are one answer, so that
    /// nobody learns which.
    Refused,
}

/// Finds the application `uid` and judges the secret that was sent. Writes nothing.
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

/// Judges the secret that was sent for an application that was looked up. The same work is done whether or not
/// there is one.
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
