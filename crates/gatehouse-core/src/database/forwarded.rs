//! Records through the transaction that [records](super::recording) what is taken away.

use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::Timestamp;
use projects::{LabelContent, MilestoneContent};
use records::{Content, Locked, NewRecord, Record, RecordQueries, RecordRepository, Saved};
use storage::StoreError;

#[cfg(test)]
use super::ReadTransaction;
use super::WriteTransaction;
#[cfg(test)]
use super::recording::Looking;
use super::recording::Recording;

/// A kind of record whose changes end nothing that authentication remembers: no token, session or account. A kind that is not
/// here cannot be written.
trait EndsNothing: Content {}

impl EndsNothing for LabelContent {}
impl EndsNothing for MilestoneContent {}

/// Hands queries on to the transaction inside.
macro_rules! forwarded {
    ($wrapper:ident over $inner:ident) => {
        impl<'t, C: Content> RecordQueries<C> for $wrapper<'t>
        where
            dyn $inner + 't: RecordQueries<C>,
        {
            fn find_record(
                &mut self,
                owner: C::Owner,
                id: C::Id,
            ) -> Result<Option<Record<C>>, StoreError> {
                self.inner().find_record(owner, id)
            }

            fn list_records(
                &mut self,
                owner: C::Owner,
                filter: &C::Filter,
                page: OffsetPage,
            ) -> Result<Page<Record<C>>, StoreError> {
                self.inner().list_records(owner, filter, page)
            }
        }
    };
}

forwarded!(Recording over WriteTransaction);
#[cfg(test)]
forwarded!(Looking over ReadTransaction);

impl<'t, C: EndsNothing> RecordRepository<C> for Recording<'t>
where
    dyn WriteTransaction + 't: RecordRepository<C>,
{
    fn insert_record(&mut self, new: &NewRecord<C>) -> Result<Saved<C>, StoreError> {
        self.inner().insert_record(new)
    }

    fn lock_record(&mut self, owner: C::Owner, id: C::Id) -> Result<Option<Locked<C>>, StoreError> {
        self.inner().lock_record(owner, id)
    }

    fn update_record(
        &mut self,
        record: Locked<C>,
        content: C,
        now: Timestamp,
    ) -> Result<Saved<C>, StoreError> {
        self.inner().update_record(record, content, now)
    }

    fn delete_record(&mut self, record: Locked<C>) -> Result<Record<C>, StoreError> {
        self.inner().delete_record(record)
    }
}
