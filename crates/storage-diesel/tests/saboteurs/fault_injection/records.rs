//! Records, which saboteurs do not break: faults in them concern whole transactions, and `cargo xtask mutants` finds
//! the rest.

use records::{
    RecordContent, RecordQueries, RecordQueriesWrapper, RecordRepository, RecordRepositoryWrapper,
};
use storage::TransactionWrapper;
use storage_conformance::complete::{CompleteReadTx, CompleteWriteTx};

use super::{FaultyReadTx, FaultyWriteTx};

impl<'t> TransactionWrapper for FaultyReadTx<'t> {
    type Inner = dyn CompleteReadTx + 't;

    const FORWARDS_REVOCATIONS: bool = true;

    fn inner(&mut self) -> &mut Self::Inner {
        self.tx
    }
}

impl<'t> TransactionWrapper for FaultyWriteTx<'t> {
    type Inner = dyn CompleteWriteTx + 't;

    const FORWARDS_REVOCATIONS: bool = true;

    fn inner(&mut self) -> &mut Self::Inner {
        self.tx
    }
}

impl<'t, C: RecordContent> RecordQueriesWrapper<C> for FaultyReadTx<'t> where
    dyn CompleteReadTx + 't: RecordQueries<C>
{
}

impl<'t, C: RecordContent> RecordQueriesWrapper<C> for FaultyWriteTx<'t> where
    dyn CompleteWriteTx + 't: RecordRepository<C>
{
}

impl<'t, C: RecordContent> RecordRepositoryWrapper<C> for FaultyWriteTx<'t> where
    dyn CompleteWriteTx + 't: RecordRepository<C>
{
}
