//! State of the ids of events.

use std::collections::BTreeSet;

use ::events::EventIdState;
use api_conventions::ids::EventId;
use diesel::sql_types::{BigInt, Text};
use storage::StoreError;
use storage_diesel_macros::for_each_database;

const STATE: &str = "read the state of event ids";

#[derive(diesel::QueryableByName)]
struct IdRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
}

#[derive(diesel::QueryableByName)]
struct WriterRow {
    #[diesel(sql_type = Text)]
    name: String,
}

#[for_each_database(dialect = crate::events)]
mod database {
    impl ReadTx<'_> {
        /// Returns the last assigned id and then the transactions that may still commit an earlier one.
        pub(in crate::events) fn id_state(&mut self) -> Result<EventIdState, StoreError> {
            let last: IdRow = self.value(STATE, diesel::sql_query(dialect::LAST_ASSIGNED))?;
            let mut writers = BTreeSet::new();
            if let Some(statement) = dialect::WRITERS {
                let rows: Vec<WriterRow> = self.values(STATE, diesel::sql_query(statement))?;
                writers.extend(rows.into_iter().map(|row| row.name));
            }
            Ok(EventIdState {
                last_assigned: EventId::new(last.id),
                writers,
            })
        }
    }
}
