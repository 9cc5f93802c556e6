//! Records, which no saboteur gets at: what can be wrong with them is a matter of transactions as a whole, and the rest is
//! looked for by `cargo xtask mutants`.

use records::Content;
use storage_conformance::store_traits::{AllQueries, AllRepositories};

use super::{FaultyReadTx, FaultyWriteTx};

impl<'t> FaultyReadTx<'t> {
    fn inner(&mut self) -> &mut (dyn AllQueries + 't) {
        self.tx
    }
}

impl<'t> FaultyWriteTx<'t> {
    fn inner(&mut self) -> &mut (dyn AllRepositories + 't) {
        self.tx
    }
}

records::forward_queries!(FaultyReadTx over AllQueries by inner);
records::forward_queries!(FaultyWriteTx over AllRepositories by inner);
records::forward_changes!(FaultyWriteTx over AllRepositories by inner, of Content);
