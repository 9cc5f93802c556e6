//! Signing keys.

use api_conventions::ids::SigningKeyId;
use diesel::prelude::*;
use oauth_provider::{NewSigningKey, SigningKey, SigningKeyQueries, SigningKeyRepository};
use storage::StoreError;

use crate::error::from_diesel;
use crate::rows::oauth::KeyRow;
use crate::schema::oauth_signing_keys as keys;

macro_rules! queries {
    ($tx:path, $connection:ty) => {
        const _: () = {
            use $tx as Tx;

            impl SigningKeyQueries for Tx<'_> {
                fn list_signing_keys(&mut self) -> Result<Vec<SigningKey>, StoreError> {
                    let rows = keys::table
                        .order((keys::created_at.asc(), keys::id.asc()))
                        .select(KeyRow::as_select())
                        .load(self.connection()?)
                        .map_err(|e| from_diesel("list signing keys", e))?;
                    rows.into_iter().map(KeyRow::read).collect()
                }
            }
        };
    };
}

macro_rules! repository {
    ($connection:ty) => {
        impl SigningKeyRepository for WriteTx<'_> {
            fn insert_signing_key(
                &mut self,
                key: &NewSigningKey,
            ) -> Result<Option<SigningKeyId>, StoreError> {
                let id = diesel::insert_into(keys::table)
                    .values((
                        keys::kid.eq(&key.kid),
                        keys::algorithm.eq(key.algorithm.as_str()),
                        keys::generation.eq(key.generation),
                        keys::public_jwk.eq(&key.public_jwk),
                        keys::sealed.eq(&key.sealed),
                        keys::created_at.eq(key.created_at.as_micros()),
                        keys::signs_from.eq(key.signs_from.as_micros()),
                    ))
                    .on_conflict((keys::algorithm, keys::generation))
                    .do_nothing()
                    .returning(keys::id)
                    .get_result::<i64>(self.connection()?)
                    .optional();
                id.map(|id| id.map(SigningKeyId::new))
                    .map_err(|e| from_diesel("insert signing key", e))
            }

            fn delete_signing_keys(&mut self, ids: &[SigningKeyId]) -> Result<(), StoreError> {
                let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
                diesel::delete(keys::table.filter(keys::id.eq_any(ids)))
                    .execute(self.connection()?)
                    .map(drop)
                    .map_err(|e| from_diesel("delete signing keys", e))
            }
        }
    };
}

crate::repo::for_each_database!(queries, repository);
