//! Dry runs: the effect of a delivery without storing it.

use alert_intake::flow::receive::{KeyReused, receive};
use alert_intake::model::{Delivery, Receipt};
use alert_intake::wire::DryRunJson;
use api_conventions::error::ApiError;
use api_conventions::page::OffsetPage;
use storage::{Store as _, StoreError, StoreErrorKind};
use web_conventions::failure::Failure;

use crate::state::AppState;

/// End of a dry run. Each of them rolls back what the run wrote.
#[derive(Debug)]
enum RunEnd {
    /// The receipt that the delivery would have.
    Receipt(Box<Receipt>),
    Refused(KeyReused),
    Store(StoreError),
}

impl From<StoreError> for RunEnd {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Stores a delivery, reads its receipt, and rolls back.
///
/// # Errors
/// 422 if the key of the delivery was used with another body; failures of the store.
pub(super) async fn dry_run(state: &AppState, delivery: Delivery) -> Result<DryRunJson, Failure> {
    let run = delivery.clone();
    let ended = state.database.write(move |tx| {
        let outcome = receive(tx, &[&run])?.pop();
        if let Some(Err(refused)) = outcome {
            return Err::<(), RunEnd>(RunEnd::Refused(refused));
        }
        // The alerts of the project are locked, so the newest receipt is that of this delivery.
        let newest = tx
            .list_receipts(run.project_id, OffsetPage::new(1, 1))?
            .items
            .pop();
        let missing = StoreError::new(StoreErrorKind::Internal, "read the receipt of a dry run");
        Err(newest.map_or(RunEnd::Store(missing), |receipt| {
            RunEnd::Receipt(Box::new(receipt))
        }))
    });
    match ended.await {
        Err(RunEnd::Receipt(receipt)) => Ok(DryRunJson::new(delivery.alerts, receipt.receipt)),
        Err(RunEnd::Refused(refused)) => Err(ApiError::from(refused).into()),
        Err(RunEnd::Store(error)) => Err(error.into()),
        Ok(()) => Err(StoreError::new(StoreErrorKind::Internal, "roll back a dry run").into()),
    }
}
