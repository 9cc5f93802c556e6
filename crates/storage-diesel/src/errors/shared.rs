//! Content that the events of a key share, stored once for all of them in rows of its own.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use api_conventions::ids::ProjectId;
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use diesel::query_builder::SqlQuery;
use diesel::sql_types::{BigInt, Binary};
use error_tracking::model::ErrorEvent;
use error_tracking::store::NewErrorEvent;
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::rows::events::{FoundEvent, NewEventRow};
use super::rows::shared::{NewSharedRow, error_shared};
use crate::bulk::ColumnKind::{Bytes, Number};
use crate::bulk::{Bulk, Hex, Statement};
use crate::transaction::row_limit;

/// Maximum number of rows per key, which a client could otherwise create without limit.
/// Beyond that, an event stores the content in its own row.
const MAX_ROWS_PER_KEY: i64 = 100;
/// Microseconds after which the last use of a row is updated again.
const USE_GRAIN_MICROS: i64 = 86_400_000_000;

/// Key and digest.
type ContentKey = (i64, [u8; 16]);

/// Columns of [`KNOWN`]: key, digest, time of the last use.
type SharedColumns = (BigInt, Binary, BigInt);

static KNOWN: Statement = Statement {
    columns: &[("key_id", Number), ("digest", Bytes)],
    text: "SELECT s.key_id, s.digest, s.used_at FROM new CROSS JOIN error_shared AS s \
           WHERE s.key_id = new.key_id AND s.digest = new.digest",
};

/// Counts the rows of keys, up to [`MAX_ROWS_PER_KEY`].
static COUNT: Statement = Statement {
    columns: &[("key_id", Number)],
    text: "SELECT new.key_id, (SELECT COUNT(*) FROM (SELECT 1 FROM error_shared AS s WHERE s.key_id = new.key_id LIMIT 100) AS few) \
           FROM new",
};

static USE: Statement = Statement {
    columns: &[("key_id", Number), ("digest", Bytes), ("used", Number)],
    text: "UPDATE error_shared SET used_at = new.used FROM new \
           WHERE error_shared.key_id = new.key_id AND error_shared.digest = new.digest AND error_shared.used_at < new.used",
};

/// Location of the content that an event shares.
#[derive(Debug)]
pub(in crate::errors) enum ContentLocation<'e> {
    /// The event shares nothing.
    Nothing,
    /// In a row of its own.
    Apart(&'e [u8; 16]),
    /// In the row of the event.
    Beside(Cow<'e, [u8]>),
}

impl<'e> ContentLocation<'e> {
    /// Records the location in the row of the event.
    pub(super) fn note(&'e self, row: &mut NewEventRow<'e>) {
        match self {
            Self::Nothing => {}
            Self::Apart(digest) => row.shared_digest = Some(digest[..].into()),
            Self::Beside(bytes) => row.shared = Some((**bytes).into()),
        }
    }
}

/// Returns the key and digest of the content that an event shares, if it shares any.
fn content_key(new: &NewErrorEvent<'_>) -> Option<ContentKey> {
    let shared = new.event.shared.as_ref()?;
    Some((new.key_id.get(), *shared.digest()))
}

/// Returns the time of the last use of each content by these events.
fn uses(events: &[NewErrorEvent<'_>]) -> BTreeMap<ContentKey, i64> {
    let mut uses = BTreeMap::new();
    for event in events {
        if let Some(content_key) = content_key(event) {
            let at = event.event.received_at.as_micros();
            let known = uses.entry(content_key).or_insert(at);
            *known = at.max(*known);
        }
    }
    uses
}

/// Returns the first event of each content to be inserted, as far as its key has room.
fn insertable<'s, 'e>(
    events: &'s [NewErrorEvent<'e>],
    known: &BTreeSet<ContentKey>,
    mut counts: BTreeMap<i64, i64>,
) -> Vec<(ContentKey, &'s NewErrorEvent<'e>)> {
    let mut chosen: BTreeMap<ContentKey, &NewErrorEvent<'e>> = BTreeMap::new();
    for event in events {
        let Some(content_key) = content_key(event) else {
            continue;
        };
        if known.contains(&content_key) || chosen.contains_key(&content_key) {
            continue;
        }
        let count = counts.entry(content_key.0).or_default();
        if *count < MAX_ROWS_PER_KEY {
            *count += 1;
            chosen.insert(content_key, event);
        }
    }
    chosen.into_iter().collect()
}

/// Deletes rows that no event needs any more, after all events received before this time were deleted.
pub(super) fn delete_unused(project: ProjectId, before: Timestamp, limit: usize) -> SqlQuery {
    diesel::sql_query(format!(
        "DELETE FROM error_shared WHERE id IN (SELECT id FROM error_shared WHERE project_id = {project} \
         AND used_at < {} ORDER BY used_at LIMIT {})",
        before.as_micros().saturating_sub(USE_GRAIN_MICROS),
        row_limit(limit)
    ))
}

#[for_each_database(dialect = crate::errors)]
mod database {
    impl ReadTx<'_> {
        /// Returns an event with the content that it shares.
        pub(in crate::errors) fn with_shared(
            &mut self,
            found: FoundEvent,
        ) -> Result<ErrorEvent, StoreError> {
            let mut event = found.event;
            if let Some(digest) = found.shared_digest {
                let row = error_shared::table
                    .filter(error_shared::key_id.eq(event.summary.key_id.get()))
                    .filter(error_shared::digest.eq(digest))
                    .select(error_shared::body);
                let shared: Option<Vec<u8>> = self.value_if("find shared parts of events", row)?;
                let lost = || {
                    StoreError::inconsistent(
                        "error_events",
                        event.summary.id.get(),
                        "the shared part was deleted",
                    )
                };
                event.shared = Some(shared.ok_or_else(lost)?);
            }
            Ok(event)
        }
    }

    impl WriteTx<'_> {
        /// Stores the content that events share in rows of their own, as far as their keys have room, and returns the
        /// location for each event.
        pub(in crate::errors) fn share<'e>(
            &mut self,
            events: &[NewErrorEvent<'e>],
        ) -> Result<Vec<ContentLocation<'e>>, StoreError> {
            const KNOW: &str = "find shared parts of events";
            let uses = uses(events);
            let mut there = BTreeSet::new();
            if !uses.is_empty() {
                let rows = uses.keys().map(|(key, digest)| (*key, Hex(digest)));
                let query = Bulk::<SharedColumns>::new(&KNOWN, rows);
                let known: Vec<(i64, Vec<u8>, i64)> = self.values(KNOW, query)?;
                let mut old = Vec::new();
                for (key, digest, used_at) in known {
                    let wrong = |_| StoreError::inconsistent("error_shared", key, "invalid digest");
                    let digest = digest.try_into().map_err(wrong)?;
                    let at = uses.get(&(key, digest)).copied().unwrap_or(used_at);
                    // The last use of a row in constant use is written once a day.
                    if at >= used_at.saturating_add(USE_GRAIN_MICROS) {
                        old.push((key, digest, at));
                    }
                    there.insert((key, digest));
                }
                if !old.is_empty() {
                    let rows = old.iter().map(|(key, digest, at)| (*key, Hex(digest), *at));
                    let update = Bulk::new(&USE, rows);
                    dialect::write(
                        self,
                        "update shared parts of events",
                        "error_shared",
                        update,
                    )?;
                }
            }
            if there.len() < uses.len() {
                self.insert_shared(events, &mut there)?;
            }
            let shared = events.iter().map(|new| match &new.event.shared {
                None => ContentLocation::Nothing,
                Some(part) if there.contains(&(new.key_id.get(), *part.digest())) => {
                    ContentLocation::Apart(part.digest())
                }
                Some(part) => ContentLocation::Beside(part.packed()),
            });
            Ok(shared.collect())
        }

        fn insert_shared(
            &mut self,
            events: &[NewErrorEvent<'_>],
            there: &mut BTreeSet<ContentKey>,
        ) -> Result<(), StoreError> {
            let keys: BTreeSet<i64> = events.iter().map(|new| new.key_id.get()).collect();
            let count = Bulk::<(BigInt, BigInt)>::new(&COUNT, keys.iter().map(|key| [*key]));
            let counts: Vec<(i64, i64)> = self.values("count shared parts of events", count)?;
            let new = insertable(events, there, counts.into_iter().collect());
            self.run("insert shared parts of events", |connection| {
                for row in new.iter().filter_map(|(_, event)| NewSharedRow::of(event)) {
                    diesel::insert_into(error_shared::table)
                        .values(row)
                        .execute(connection)?;
                }
                Ok(())
            })?;
            there.extend(new.into_iter().map(|(content_key, _)| content_key));
            Ok(())
        }
    }
}
