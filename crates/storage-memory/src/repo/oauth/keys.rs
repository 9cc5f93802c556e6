//! Signing keys.

use std::ops::Deref;

use api_conventions::ids::SigningKeyId;
use api_conventions::page::SortOrder;
use oauth_provider::{NewSigningKey, SigningKey, SigningKeyQueries, SigningKeyRepository};
use storage::StoreError;

use crate::repo::conflict;
use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};

impl<S: Deref<Target = State>> SigningKeyQueries for MemoryTx<S> {
    fn list_signing_keys(&mut self) -> Result<Vec<SigningKey>, StoreError> {
        let keys = &self.0.oauth.keys;
        let listed = keys.list(|_| true, |key| key.created_at, SortOrder::Ascending);
        Ok(listed.into_iter().cloned().collect())
    }
}

impl SigningKeyRepository for MemoryWriteTx<'_> {
    fn insert_signing_key(
        &mut self,
        new: &NewSigningKey,
    ) -> Result<Option<SigningKeyId>, StoreError> {
        let keys = &mut self.0.oauth.keys;
        let place = (new.algorithm, new.generation);
        if keys.has(|key| (key.algorithm, key.generation) == place) {
            return Ok(None);
        }
        if keys.has(|key| key.kid == new.kid) {
            return Err(conflict("insert a signing key whose kid exists"));
        }
        let id = keys.insert(|id| SigningKey {
            id,
            kid: new.kid.clone(),
            algorithm: new.algorithm,
            generation: new.generation,
            public_jwk: new.public_jwk.clone(),
            sealed: new.sealed.clone(),
            created_at: new.created_at,
            signs_from: new.signs_from,
        });
        Ok(Some(id))
    }

    fn delete_signing_keys(&mut self, ids: &[SigningKeyId]) -> Result<(), StoreError> {
        let keys = &mut self.0.oauth.keys;
        keys.remove_where(usize::MAX, |key| ids.contains(&key.id));
        Ok(())
    }
}
