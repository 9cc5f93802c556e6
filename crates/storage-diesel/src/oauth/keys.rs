//! Signing keys.

use api_conventions::ids::SigningKeyId;
use diesel::prelude::*;
use oauth_provider::{NewSigningKey, SigningKey, SigningKeyQueries, SigningKeyRepository};
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::rows::keys::{KeyRow, NewKeyRow};
use super::tables::oauth_signing_keys as keys;

#[for_each_database]
mod database {
    impl ::oauth_provider::SigningKeyQueriesWrapper for WriteTx<'_> {}

    impl SigningKeyQueries for ReadTx<'_> {
        fn list_signing_keys(&mut self) -> Result<Vec<SigningKey>, StoreError> {
            let oldest_first = keys::table.order((keys::created_at.asc(), keys::id.asc()));
            self.list::<KeyRow>("list signing keys", oldest_first)
        }
    }

    impl SigningKeyRepository for WriteTx<'_> {
        fn insert_signing_key(
            &mut self,
            key: &NewSigningKey,
        ) -> Result<Option<SigningKeyId>, StoreError> {
            let insert = diesel::insert_into(keys::table)
                .values(NewKeyRow::from(key))
                .on_conflict((keys::algorithm, keys::generation))
                .do_nothing()
                .returning(keys::id);
            let id = self.value_if("insert signing key", insert)?;
            Ok(id.map(SigningKeyId::new))
        }

        fn delete_signing_keys(&mut self, ids: &[SigningKeyId]) -> Result<(), StoreError> {
            let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
            let delete = diesel::delete(keys::table.filter(keys::id.eq_any(ids)));
            self.execute("delete signing keys", delete).map(drop)
        }
    }
}
