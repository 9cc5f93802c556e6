//! Recording that a POST was refused.

use storage::StoreError;

use crate::model::NewReceipt;
use crate::store::AlertRepository;

/// Receipts of refusals that one endpoint gets in [`WINDOW_SECONDS`]. Further refusals are counted in the last of them, so that
/// no sender fills the store with bodies that are refused.
pub const MAX_IN_WINDOW: usize = 10;

/// Length of the window in seconds.
pub const WINDOW_SECONDS: i64 = 60;

/// Stores the receipt of a POST that was refused, or counts the refusal in the last receipt of the same kind where its endpoint
/// has [`MAX_IN_WINDOW`] of them already. Writes in any case.
///
/// # Errors
/// Failures of the store.
pub fn record_refusal<R: AlertRepository + ?Sized>(
    repos: &mut R,
    receipt: &NewReceipt,
) -> Result<(), StoreError> {
    // Two refusals at the same time would both find room for the last receipt.
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
