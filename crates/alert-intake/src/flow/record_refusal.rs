//! Recording of refused POSTs.

use storage::StoreError;

use crate::model::NewReceipt;
use crate::store::AlertRepository;

/// Number of refusal receipts that one endpoint gets in [`WINDOW_SECONDS`]. Further refusals are counted in the last of
/// these receipts, so that no sender can fill the store with refused bodies.
pub const MAX_IN_WINDOW: usize = 10;

/// Length of the window in seconds.
pub const WINDOW_SECONDS: i64 = 60;

/// Stores the receipt of a refused POST. If the endpoint already has [`MAX_IN_WINDOW`] refusal receipts in the window,
/// counts the refusal in the last of them instead. Always writes.
///
/// # Errors
/// Failures of the store.
pub fn record_refusal<R: AlertRepository + ?Sized>(
    repos: &mut R,
    receipt: &NewReceipt,
) -> Result<(), StoreError> {
    // Without the lock, two concurrent refusals could both take the last free receipt.
    repos.lock_alerts(&[receipt.project_id])?;
    let since = receipt.received_at.plus_seconds(-WINDOW_SECONDS);
    let endpoint = receipt.integration_id;
    let recent = repos.list_refused_receipts(endpoint, since, MAX_IN_WINDOW)?;
    match recent.first() {
        Some(last) if recent.len() >= MAX_IN_WINDOW => {
            repos.count_refusal(receipt.project_id, *last)
        }
        _ => repos.insert_receipts(std::slice::from_ref(receipt)),
    }
}
