//! The store keeps every promise of the storage contract.

#![expect(
    clippy::unwrap_used,
    reason = "a test that panics is a test that fails"
)]

use redb_adapter::{RedbLimits, RedbStore};
use storage_conformance::Harness;
use storage_conformance::probe_rows::EventProbeRows;
use tempfile::TempDir;

/// A store in a directory of its own. The store is `None` only while it is reopened, because only one may have the file
/// open.
struct RedbHarness {
    store: Option<RedbStore>,
    directory: TempDir,
}

impl Harness for RedbHarness {
    type Store = RedbStore;
    type ProbeRows = EventProbeRows;

    fn fresh() -> Option<Self> {
        let mut harness = Self {
            store: None,
            directory: tempfile::tempdir().unwrap(),
        };
        harness.reopen();
        Some(harness)
    }

    fn store(&self) -> &RedbStore {
        self.store.as_ref().unwrap()
    }

    fn reopen(&mut self) {
        drop(self.store.take());
        let path = self.directory.path().join("rows.redb");
        self.store = Some(RedbStore::open(path, RedbLimits::default()).unwrap());
    }

    fn open_again(&self) -> RedbStore {
        unreachable!("the store does not say that it serves several processes")
    }
}

mod store {
    storage_conformance::store_suite!(super::RedbHarness, skips: [
        "s22_another_process_sees_acknowledged_rows",
        "s23_two_processes_write_side_by_side",
    ]);
}

mod alerts {
    storage_conformance::alerts_suite!(super::RedbHarness);
}

mod events {
    storage_conformance::events_suite!(super::RedbHarness);
}
