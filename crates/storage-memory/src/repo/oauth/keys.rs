//! Signing keys.

use std::ops::Deref;

use api_conventions::ids::SigningKeyId;
use oauth_provider::{NewSigningKey, SigningKey, SigningKeyQueries, SigningKeyRepository};
use storage::StoreError;

use crate::repo::conflict;
use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};

impl<S: Deref<Target = State>> SigningKeyQueries for MemoryTx<S> {
    fn list_signing_keys(&mut self) -> Result<Vec<SigningKey>, StoreError> {
        let mut keys: Vec<SigningKey> = self.0.oauth.keys.values().cloned().collect();
        keys.sort_by_key(|key| (key.created_at, key.id));
        Ok(keys)
    }
}

impl SigningKeyRepository for MemoryWriteTx<'_> {
    fn insert_signing_key(
        &mut self,
        new: &NewSigningKey,
    ) -> Result<Option<SigningKeyId>, StoreError> {
        let tables = &mut self.0.oauth;
        let place = (new.algorithm, new.generation);
        let mut keys = tables.keys.values();
        if keys.any(|key| (key.algorithm, key.generation) == place) {
            return Ok(None);
        }
        if tables.keys.values().any(|key| key.kid == new.kid) {
            return Err(conflict("insert a signing key whose kid exists"));
        }
        let id = SigningKeyId::new(tables.next_id());
        let key = SigningKey {
            id,
            kid: new.kid.clone(),
            algorithm: new.algorithm,
            generation: new.generation,
            public_jwk: new.public_jwk.clone(),
            sealed: new.sealed.clone(),
            created_at: new.created_at,
            signs_from: new.signs_from,
        };
        tables.keys.insert(id, key);
        Ok(Some(id))
    }

    fn delete_signing_keys(&mut self, ids: &[SigningKeyId]) -> Result<(), StoreError> {
        self.0.oauth.keys.retain(|id, _| !ids.contains(id));
        Ok(())
    }
}
