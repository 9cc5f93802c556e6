//! Registration tokens, with which programs register runners in releases before 17.0.

use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use pipelines::model::{REGISTRATION_PREFIX, RegistrationToken, RunnerPlace};
use storage::StoreError;

use super::log::RunnerEvent;
use crate::database::{ReadTransaction, WriteTransaction};
use crate::flows::groups::Actor;
use crate::vault::Vault;
use accounts::{AuditDetails, AuditEventName};

/// Returns the registration token of a place that was reset at this time. It is derived from the secret key, so it can be
/// shown although the database has only its digest.
fn registration_secret(vault: &Vault, place: RunnerPlace, reset_at: Timestamp) -> PlainSecret {
    let (kind, id) = place.numbers();
    let micros = reset_at.as_micros();
    let text = vault.pseudonym(&format!("registration token of {kind} {id} since {micros}"));
    PlainSecret::new(format!("{REGISTRATION_PREFIX}{text}"))
}

/// Replaces the registration token of a place that the actor manages, and returns the new one. The previous one is invalid
/// from then on.
///
/// # Errors
/// Failures of the store.
pub fn reset_registration_token(
    tx: &mut dyn WriteTransaction,
    vault: &Vault,
    place: RunnerPlace,
    actor: Actor,
) -> Result<PlainSecret, StoreError> {
    let secret = registration_secret(vault, place, actor.now);
    let token = RegistrationToken {
        place,
        creator_id: actor.id,
        created_at: actor.now,
    };
    tx.put_registration_token(&token, &secret.digest())?;
    let event = RunnerEvent {
        name: AuditEventName::RegistrationTokenReset,
        author_id: Some(actor.id),
        details: AuditDetails::default(),
    };
    event.record(tx, &[place], actor.now)?;
    Ok(secret)
}

/// Returns the registration token of a place. `None` if it was never reset, or by a version that chose it at random.
///
/// # Errors
/// Failures of the store.
pub fn find_registration_secret(
    tx: &mut dyn ReadTransaction,
    vault: &Vault,
    place: RunnerPlace,
) -> Result<Option<PlainSecret>, StoreError> {
    let Some(token) = tx.find_registration_token_of(place)? else {
        return Ok(None);
    };
    let secret = registration_secret(vault, place, token.created_at);
    let found = tx.find_registration_token(&secret.digest())?;
    Ok(found.filter(|found| found.place == place).map(|_| secret))
}
