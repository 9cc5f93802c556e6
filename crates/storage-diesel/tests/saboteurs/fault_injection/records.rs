//! Records, which no saboteur gets at: what can be wrong with them is a matter of transactions as a whole, and the rest is
//! looked for by `cargo xtask mutants`.

use records::{
    Content, RecordQueries, RecordQueriesWrapper, RecordRepository, RecordRepositoryWrapper,
};
use storage::TransactionWrapper;
use storage_conformance::store_traits::{AllQueries, AllRepositories};

use super::{FaultyReadTx, FaultyWriteTx};

impl<'t> TransactionWrapper for FaultyReadTx<'t> {
    type Inner = dyn AllQueries + 't;

    const HANDS_ON_REVOCATIONS: bool = true;

    fn inner(&mut self) -> &mut Self::Inner {
        self.tx
    }
}

impl<'t> TransactionWrapper for FaultyWriteTx<'t> {
    type Inner = dyn AllRepositories + 't;

    const HANDS_ON_REVOCATIONS: bool = true;

    fn inner(&mut self) -> &mut Self::Inner {
        self.tx
    }
}

impl<'t, C: Content> RecordQueriesWrapper<C> for FaultyReadTx<'t> where
    dyn AllQueries + 't: RecordQueries<C>
{
}

impl<'t, C: Content> RecordQueriesWrapper<C> for FaultyWriteTx<'t> where
    dyn AllRepositories + 't: RecordRepository<C>
{
}

impl<'t, C: Content> RecordRepositoryWrapper<C> for FaultyWriteTx<'t> where
    dyn AllRepositories + 't: RecordRepository<C>
{
}
