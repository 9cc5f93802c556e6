//! Rows of signing keys.

use api_conventions::ids::SigningKeyId;
use diesel::prelude::*;
use oauth_provider::{SigningAlgorithm, SigningKey};
use storage::StoreError;

use crate::rows::RowReader;
use crate::schema::oauth_signing_keys;

#[derive(Queryable, Selectable)]
#[diesel(table_name = oauth_signing_keys)]
pub(crate) struct KeyRow {
    id: i64,
    kid: String,
    algorithm: String,
    generation: i64,
    public_jwk: String,
    sealed: Vec<u8>,
    created_at: i64,
    signs_from: i64,
}

impl KeyRow {
    pub(crate) fn read(self) -> Result<SigningKey, StoreError> {
        let row = RowReader::new("oauth_signing_keys", self.id);
        let algorithm = SigningAlgorithm::parse(&self.algorithm);
        Ok(SigningKey {
            id: SigningKeyId::new(self.id),
            kid: self.kid,
            algorithm: row.need(algorithm, "an unknown algorithm")?,
            generation: self.generation,
            public_jwk: self.public_jwk,
            sealed: self.sealed,
            created_at: row.moment(self.created_at)?,
            signs_from: row.moment(self.signs_from)?,
        })
    }
}
