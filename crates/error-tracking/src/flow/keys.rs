//! Client keys: created, changed and deleted by Maintainers.
//! The host authorizes the caller.

use api_conventions::ids::ProjectId;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{ClientKey, NewClientKey, PublicKey};
use crate::store::SettingsRepository;

/// Creates a client key from 16 random bytes.
///
/// # Errors
/// Failures of the store.
pub fn create_client_key<R: SettingsRepository + ?Sized>(
    repos: &mut R,
    project_id: ProjectId,
    random: [u8; 16],
    now: Timestamp,
) -> Result<ClientKey, StoreError> {
    repos.insert_client_key(&NewClientKey {
        project_id,
        public_key: PublicKey::from_random(random),
        created_at: now,
    })
}
