//! A token for a user whose password is right.

use accounts::flow::check_password::{
    Attempt, PasswordOutcome, PasswordPolicy, RightPassword, lock_credentials,
    verify_password_attempt,
};
use accounts::{Credentials, UserState};
use api_conventions::ids::ApplicationId;
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use oauth_provider::Policy;
use oauth_provider::flow::password::{PasswordGrant, grant_by_password};
use storage::StoreError;

use crate::database::WriteTransaction;

/// A password that was checked, and the token that it is to give.
#[derive(Debug, Clone)]
pub struct CheckedPassword {
    /// Who wants the token.
    pub attempt: Attempt,
    /// The password, if it was right.
    pub right: Option<RightPassword>,
    /// Which application asks, if it said.
    pub application_id: Option<ApplicationId>,
    /// What the token is to permit.
    pub scopes: ScopeSet,
    /// The digest of the token.
    pub access: SecretDigest,
    /// Lifetime of the token in seconds.
    pub access_seconds: i64,
}

/// What became of a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasswordGranted {
    /// The token is issued.
    Issued,
    /// The password is wrong, or the user may not get a token by it: blocked, or with a second factor (`OAUTH-05`).
    /// Which of them is not told.
    Refused,
    /// Too many passwords were wrong.
    LockedOut {
        /// Seconds until the lockout ends.
        seconds: i64,
    },
}

/// Judges a password, locks its user, and issues the token in the same transaction, so that nothing changes in between.
/// Every outcome is to be committed.
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

/// Whether a user with the right password gets a token by it. Without a second factor alone (`OAUTH-05`): the grant has no
/// place for one.
fn is_entitled(found: &Credentials) -> bool {
    found.user.state == UserState::Active && found.second_factor.is_none()
}
