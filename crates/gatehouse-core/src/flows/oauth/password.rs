//! The password grant: a token for a user whose password is right.

use accounts::flow::check_password::{
    Attempt, PasswordOutcome, PasswordPolicy, VerifiedPassword, lock_credentials,
    verify_password_attempt,
};
use accounts::{Credentials, UserState};
use api_conventions::ids::ApplicationId;
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use oauth_provider::Policy;
use oauth_provider::flow::password::{PasswordGrant, grant_by_password};
use storage::StoreError;

use super::authorization::UserAuthorization;
use crate::database::WriteTransaction;

/// A checked password, with the requested token.
#[derive(Debug, Clone)]
pub struct CheckedPassword {
    /// The sign-in attempt.
    pub attempt: Attempt,
    /// The password, if it was right.
    pub right: Option<VerifiedPassword>,
    /// The client, if the request was made by one.
    pub application_id: Option<ApplicationId>,
    /// Requested scopes.
    pub scopes: ScopeSet,
    /// Digest of the access token.
    pub access: SecretDigest,
    /// Lifetime of the token in seconds.
    pub access_seconds: i64,
}

/// Outcome of a password grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasswordGranted {
    /// A token was issued.
    Issued,
    /// The password is wrong, or the user may not use this grant: blocked, or with a second factor (`OAUTH-05`).
    /// The response does not say which.
    Refused,
    /// Too many wrong passwords.
    LockedOut {
        /// Seconds until the lockout ends.
        seconds: i64,
    },
}

/// Validates a password, locks its user, and issues the token in the same transaction, so that nothing can change in
/// between. The first token of an application is its authorization, and recorded in the audit log of the user.
/// Commit the transaction whatever the outcome.
///
/// # Errors
/// Failures of the store.
pub fn issue_by_password(
    tx: &mut dyn WriteTransaction,
    checked: CheckedPassword,
    limits: &PasswordPolicy,
    policy: &Policy,
) -> Result<PasswordGranted, StoreError> {
    let now = checked.attempt.now;
    let verified = match verify_password_attempt(tx, &checked.attempt, checked.right, limits)? {
        PasswordOutcome::Right(found) => found,
        PasswordOutcome::Wrong => return Ok(PasswordGranted::Refused),
        PasswordOutcome::LockedOut { seconds } => {
            return Ok(PasswordGranted::LockedOut { seconds });
        }
    };
    let found = lock_credentials(tx, &verified)?;
    let Some(found) = found.filter(is_entitled) else {
        return Ok(PasswordGranted::Refused);
    };
    if let Some(application_id) = checked.application_id
        && let Some(application) = tx.find_application(application_id)?
    {
        let authorization = UserAuthorization {
            user_id: found.user.id,
            application: &application,
            scopes: &checked.scopes,
        };
        authorization.record_if_new(tx, now)?;
    }
    let mut grant = PasswordGrant::new(
        found.user.id,
        checked.application_id,
        checked.scopes,
        checked.access,
        now,
    );
    grant.access_seconds = Some(checked.access_seconds);
    grant_by_password(tx, &grant, policy)?;
    Ok(PasswordGranted::Issued)
}

/// True if a user with the right password may use this grant.
/// Users with a second factor may not (`OAUTH-05`): the grant has no parameter for one.
fn is_entitled(found: &Credentials) -> bool {
    found.user.state == UserState::Active && found.second_factor.is_none()
}
