//! Repository of signing keys.

use api_conventions::ids::SigningKeyId;
use storage::StoreError;

use crate::model::{NewSigningKey, SigningKey};

/// Queries about signing keys, for read and write transactions.
#[storage::queries]
pub trait SigningKeyQueries {
    /// Lists all keys, oldest first; ids break ties.
    ///
    /// # Errors
    /// Failures of the store.
    fn list_signing_keys(&mut self) -> Result<Vec<SigningKey>, StoreError>;
}

/// Changes to signing keys, for write transactions.
#[storage::repository(keeps(insert_signing_key, delete_signing_keys))]
pub trait SigningKeyRepository: SigningKeyQueries {
    /// Inserts a key, unless its algorithm already has one of this generation: then nothing is written and the result
    /// is `None`.
    ///
    /// # Errors
    /// Failures of the store; a kid that exists already is a conflict.
    fn insert_signing_key(
        &mut self,
        key: &NewSigningKey,
    ) -> Result<Option<SigningKeyId>, StoreError>;

    /// Deletes keys by their ids; unknown ids are ignored.
    ///
    /// # Errors
    /// Failures of the store.
    fn delete_signing_keys(&mut self, ids: &[SigningKeyId]) -> Result<(), StoreError>;
}
