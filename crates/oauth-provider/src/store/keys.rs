//! Where signing keys are kept.

use api_conventions::ids::SigningKeyId;
use storage::StoreError;

use crate::model::{NewSigningKey, SigningKey};

/// What a transaction of either kind can tell about signing keys.
#[storage::queries]
pub trait SigningKeyQueries {
    /// All keys, oldest first; ids break ties.
    ///
    /// # Errors
    /// Failures of the store.
    fn list_signing_keys(&mut self) -> Result<Vec<SigningKey>, StoreError>;
}

/// What a write transaction can change about signing keys.
#[storage::repository(keeps(insert_signing_key, delete_signing_keys))]
pub trait SigningKeyRepository: SigningKeyQueries {
    /// Keeps a key, unless its algorithm has one of this generation already: then nothing is written, and the answer
    /// is `None`.
    ///
    /// # Errors
    /// Failures of the store; a kid that exists already is a conflict.
    fn insert_signing_key(
        &mut self,
        key: &NewSigningKey,
    ) -> Result<Option<SigningKeyId>, StoreError>;

    /// Deletes keys by their ids; unknown ids are passed over.
    ///
    /// # Errors
    /// Failures of the store.
    fn delete_signing_keys(&mut self, ids: &[SigningKeyId]) -> Result<(), StoreError>;
}
