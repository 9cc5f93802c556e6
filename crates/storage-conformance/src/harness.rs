//! The test harness of an adapter.

use api_conventions::ids::{ProjectId, SessionId, UserId};
use storage::Store;

/// Opens stores for the suites.
pub trait Harness: Sized + 'static {
    /// The adapter.
    type Store: Store;

    /// The rows that the suite of the store itself writes: one of [`probe_rows`](crate::probe_rows), of a crate whose
    /// traits the adapter implements.
    type ProbeRows;

    /// Creates an empty store that no other test uses. `None` when this machine has no server for it: the suite then
    /// reports that it skips its cases, and fails them where `CI` is set (and not to `false` or `0`).
    fn fresh() -> Option<Self>;

    /// The store.
    fn store(&self) -> &Self::Store;

    /// Closes the store and opens it again on the same rows. Called only where the store is
    /// [durable](storage::Capabilities::durable).
    fn reopen(&mut self);

    /// Opens the same rows a second time, as another process would. Called only where the store serves
    /// [several processes](storage::Capabilities::multi_process).
    fn open_again(&self) -> Self::Store;

    /// Three users that rows may refer to. A store that checks references inserts them when this is called, for example
    /// with [`insert_people`](crate::accounts::insert_people); for any other store, any three numbers do.
    fn people(&self) -> [UserId; 3] {
        [1, 2, 3].map(UserId::new)
    }

    /// Two projects that rows may refer to, as for [`Self::people`]; [`insert_places`](crate::projects::insert_places)
    /// creates them.
    fn places(&self) -> [ProjectId; 2] {
        [1, 2].map(ProjectId::new)
    }

    /// A session of each of these [`Self::people`] that rows may refer to, likewise;
    /// [`insert_sessions`](crate::sign_in::insert_sessions) creates them.
    fn sessions(&self, people: [UserId; 3]) -> [SessionId; 3] {
        people.map(|user| SessionId::new(user.get()))
    }

    /// Rows with a reference to a missing row, each described in a few words; checked after sequences of deletions.
    /// Always empty for a store whose rows are visible only through its queries.
    fn dangling_rows(&self) -> Vec<String> {
        Vec::new()
    }

    /// True if a random sequence that fails is shortened before it is reported, which takes up to 400 more attempts.
    fn shortens_failures(&self) -> bool {
        true
    }
}
