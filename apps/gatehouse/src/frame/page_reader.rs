//! Reads for a response that is sent page by page.

use actix_web::web::Data;
use gatehouse_core::database::ReadTransaction;
use storage::{Lane, StoreError};

use crate::state::AppState;

/// Reads on behalf of a caller whose request was already authorized, while its response is being sent.
#[derive(Debug, Clone)]
pub struct PageReader {
    state: Data<AppState>,
    lane: Lane,
}

impl PageReader {
    /// Creates a reader in the lane of the caller.
    pub(super) fn new(state: Data<AppState>, lane: Lane) -> Self {
        Self { state, lane }
    }

    /// Runs a read.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn read<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        F: for<'t> FnOnce(&mut (dyn ReadTransaction + 't)) -> Result<T, StoreError>
            + Send
            + 'static,
        T: Send + 'static,
    {
        self.state.database.read(self.lane, work).await
    }
}
