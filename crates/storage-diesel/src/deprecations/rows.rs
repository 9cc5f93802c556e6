//! Rows of uses.

use ::deprecations::usage::MAX_USES;
use ::deprecations::{Holder, Use, UseCount, UseKey};
use api_conventions::ids::{ApplicationId, TokenId, UserId};
use diesel::prelude::*;
use storage::StoreError;

use crate::rows::{DomainRow, RowReader};

diesel::table! {
    deprecation_uses (id) {
        id -> BigInt,
        record -> Text,
        user_id -> BigInt,
        holder -> SmallInt,
        holder_id -> BigInt,
        uses -> BigInt,
        first_at -> BigInt,
        last_at -> BigInt,
    }
}

/// Number in place of a user, a token or an application if there is none.
/// Ids are greater.
pub(super) const NONE: i64 = 0;

const SESSION: i16 = 0;
const TOKEN: i16 = 1;
const APPLICATION: i16 = 2;
/// Kind of the holders that are no longer known.
pub(super) const OTHERS: i16 = 3;

/// Row of a use.
#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = deprecation_uses)]
pub(super) struct UseRow {
    id: i64,
    record: String,
    user_id: i64,
    holder: i16,
    holder_id: i64,
    uses: i64,
    first_at: i64,
    last_at: i64,
}

impl DomainRow for UseRow {
    type Value = Use;

    fn read(self) -> Result<Use, StoreError> {
        let row = RowReader::new("deprecation_uses", self.id);
        let user = UserId::new(self.user_id);
        let holder = match (self.holder, self.holder_id) {
            (SESSION, NONE) => Holder::Session,
            (TOKEN, id) => Holder::Token(TokenId::new(id)),
            (APPLICATION, id) => Holder::Application(ApplicationId::new(id)),
            (OTHERS, NONE) => Holder::Others,
            _ => return Err(row.inconsistent("unknown holder")),
        };
        if (self.user_id == NONE) != (holder == Holder::Others) {
            return Err(row.inconsistent("user does not match the holder"));
        }
        let count = u64::try_from(self.uses).ok();
        Ok(Use {
            key: UseKey::new(self.record, user, holder),
            count: UseCount {
                uses: row.require(count, "negative count")?,
                first_at: row.timestamp(self.first_at)?,
                last_at: row.timestamp(self.last_at)?,
            },
        })
    }
}

/// Values of a use, in the order of the columns.
pub(super) type UseValues<'v> = (&'v str, i64, i16, i64, i64, i64, i64);

/// Returns the values of a use, as written.
pub(super) fn use_values(one: &Use) -> UseValues<'_> {
    let (holder, id) = match one.key.holder() {
        Holder::Session => (SESSION, NONE),
        Holder::Token(id) => (TOKEN, id.get()),
        Holder::Application(id) => (APPLICATION, id.get()),
        Holder::Others => (OTHERS, NONE),
    };
    let uses = one.count.uses.min(MAX_USES);
    (
        one.key.record(),
        one.key.user().map_or(NONE, UserId::get),
        holder,
        id,
        i64::try_from(uses).unwrap_or(i64::MAX),
        one.count.first_at.as_micros(),
        one.count.last_at.as_micros(),
    )
}

#[cfg(test)]
crate::schema::described!(deprecation_uses);

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the error of a row with this user and this holder.
    fn wrong(user_id: i64, holder: i16, holder_id: i64) -> Option<String> {
        let row = UseRow {
            id: 7,
            record: "a".to_owned(),
            user_id,
            holder,
            holder_id,
            uses: 1,
            first_at: 0,
            last_at: 0,
        };
        row.read().err().map(|error| error.to_string())
    }

    #[test]
    fn a_row_that_contradicts_itself_is_refused() {
        for (user, holder, id) in [
            (1, SESSION, 0),
            (1, TOKEN, 1),
            (1, APPLICATION, 1),
            (0, OTHERS, 0),
        ] {
            assert_eq!(wrong(user, holder, id), None);
        }
        for (user, holder, id) in [
            (1, SESSION, 1),
            (0, SESSION, 0),
            (0, TOKEN, 1),
            (1, OTHERS, 0),
            (0, OTHERS, 1),
            (1, 4, 0),
            (1, -1, 0),
        ] {
            let wrong = wrong(user, holder, id);
            assert!(wrong.is_some(), "{user} {holder} {id}");
        }
    }
}
