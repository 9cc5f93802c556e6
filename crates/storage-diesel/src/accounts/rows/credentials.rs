//! Columns of users that sign-in needs.

use accounts::password::PasswordHash;
use accounts::{Credentials, Failures, SecondFactor, User};
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use storage::StoreError;

use super::super::tables::users;
use crate::rows::RowReader;

#[derive(Queryable, Selectable)]
#[diesel(table_name = users)]
pub(crate) struct CredentialRow {
    id: i64,
    password_hash: Option<String>,
    second_factor_enabled_at: Option<i64>,
    second_factor_sealed: Option<Vec<u8>>,
    second_factor_last_step: Option<i64>,
}

impl CredentialRow {
    pub(crate) fn has_second_factor(&self) -> bool {
        self.second_factor_enabled_at.is_some()
    }

    /// Reads the credentials of `user`, including `codes_left` recovery codes.
    pub(crate) fn read(self, user: User, codes_left: i64) -> Result<Credentials, StoreError> {
        let row = RowReader::new("users", self.id);
        let parts = (
            row.optional_timestamp(self.second_factor_enabled_at)?,
            self.second_factor_sealed,
            self.second_factor_last_step,
        );
        let second_factor = match parts {
            (None, None, None) => None,
            (Some(enabled_at), Some(sealed), Some(last_step)) => Some(SecondFactor {
                sealed,
                last_step,
                enabled_at,
                recovery_codes_left: usize::try_from(codes_left)
                    .map_err(|_| row.inconsistent("invalid number of recovery codes"))?,
            }),
            _ => return Err(row.inconsistent("incomplete second factor")),
        };
        Ok(Credentials {
            user,
            password: self.password_hash.map(PasswordHash::from_stored),
            second_factor,
        })
    }
}

/// Reads a counter of failures.
/// Its key is a digest, so an error about the row names no number.
pub(crate) fn read_failures((count, since): (i64, i64)) -> Result<Failures, StoreError> {
    let wrong = || {
        let what = "timestamp out of range";
        StoreError::inconsistent("sign_in_failures", "of a key", what)
    };
    Ok(Failures {
        count,
        since: Timestamp::from_micros(since).ok_or_else(wrong)?,
    })
}
