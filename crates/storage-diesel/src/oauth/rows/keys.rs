//! Rows of signing keys.

use api_conventions::ids::SigningKeyId;
use oauth_provider::{NewSigningKey, SigningAlgorithm, SigningKey};
use storage::StoreError;

use crate::entity::entity;
use crate::rows::DomainRow;

entity! {
    oauth_signing_keys: KeyRow, NewKeyRow;
    fixed {
        kid: Text,
        algorithm: Text,
        generation: BigInt,
        public_jwk: Text,
        sealed: Binary,
        created_at: BigInt,
        signs_from: BigInt,
    }
}

impl DomainRow for KeyRow {
    type Value = SigningKey;

    fn read(self) -> Result<SigningKey, StoreError> {
        let row = self.reader();
        let algorithm = SigningAlgorithm::parse(&self.algorithm);
        Ok(SigningKey {
            id: SigningKeyId::new(self.id),
            kid: self.kid,
            algorithm: row.require(algorithm, "unknown algorithm")?,
            generation: self.generation,
            public_jwk: self.public_jwk,
            sealed: self.sealed,
            created_at: row.timestamp(self.created_at)?,
            signs_from: row.timestamp(self.signs_from)?,
        })
    }
}

impl<'v> From<&'v NewSigningKey> for NewKeyRow<'v> {
    fn from(key: &'v NewSigningKey) -> Self {
        Self {
            kid: key.kid.as_str().into(),
            algorithm: key.algorithm.as_str().into(),
            generation: key.generation,
            public_jwk: key.public_jwk.as_str().into(),
            sealed: key.sealed.as_slice().into(),
            created_at: key.created_at.as_micros(),
            signs_from: key.signs_from.as_micros(),
        }
    }
}
