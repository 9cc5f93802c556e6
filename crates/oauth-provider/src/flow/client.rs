//! Which application speaks, and whether it proves it (RFC 6749, section 2.3).

use api_conventions::secret::{PlainSecret, SecretDigest};
use storage::StoreError;

use crate::model::{Application, ApplicationUid, ClientType};
use crate::store::ApplicationQueries;

/// Whether an application proved that it is itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientOutcome {
    /// It did, or it is public and need not.
    Authenticated(Box<Application>),
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
    Ok(judge_client(found, secret))
}

/// Judges the secret that was sent for an application that was looked up. The same work is done whether or not
/// there is one.
pub fn judge_client(found: Option<Application>, secret: Option<&PlainSecret>) -> ClientOutcome {
    let expected = found.as_ref().map_or_else(
        || SecretDigest::from_bytes([0; 32]),
        |application| application.secret,
    );
    let proven = secret.map(|secret| secret.digest() == expected);
    match (found, proven) {
        (Some(application), Some(true)) => ClientOutcome::Authenticated(Box::new(application)),
        (Some(application), None) if application.client_type == ClientType::Public => {
            ClientOutcome::Authenticated(Box::new(application))
        }
        _ => ClientOutcome::Refused,
    }
}
