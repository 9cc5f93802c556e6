//! Records, which no saboteur gets at: what can be wrong with them is a matter of transactions as a whole, and the rest is
//! looked for by `cargo xtask mutants`.

use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::Timestamp;
use records::{Content, Locked, NewRecord, Record, RecordQueries, RecordRepository, Saved};
use storage::StoreError;
use storage_conformance::store_traits::{AllQueries, AllRepositories};

use super::{FaultyReadTx, FaultyWriteTx};

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
                self.tx.find_record(owner, id)
            }

            fn list_records(
                &mut self,
                owner: C::Owner,
                filter: &C::Filter,
                page: OffsetPage,
            ) -> Result<Page<Record<C>>, StoreError> {
                self.tx.list_records(owner, filter, page)
            }
        }
    };
}

forwarded!(FaultyReadTx over AllQueries);
forwarded!(FaultyWriteTx over AllRepositories);

impl<'t, C: Content> RecordRepository<C> for FaultyWriteTx<'t>
where
    dyn AllRepositories + 't: RecordRepository<C>,
{
    fn insert_record(&mut self, new: &NewRecord<C>) -> Result<Saved<C>, StoreError> {
        self.tx.insert_record(new)
    }

    fn lock_record(&mut self, owner: C::Owner, id: C::Id) -> Result<Option<Locked<C>>, StoreError> {
        self.tx.lock_record(owner, id)
    }

    fn update_record(
        &mut self,
        record: Locked<C>,
        content: C,
        now: Timestamp,
    ) -> Result<Saved<C>, StoreError> {
        self.tx.update_record(record, content, now)
    }

    fn delete_record(&mut self, record: Locked<C>) -> Result<Record<C>, StoreError> {
        self.tx.delete_record(record)
    }
}
