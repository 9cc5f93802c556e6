//! The record of one POST: proof of what came and what became of it.

use api_conventions::ids::{IntegrationId, ProjectId, ReceiptId};
use api_conventions::time::Timestamp;

use super::SenderContext;

/// What became of the alerts of one POST. Each alert of the POST is in exactly one number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReceiptCounts {
    /// Alerts that were new.
    pub created: i64,
    /// Occurrences counted on an open alert.
    pub counted: i64,
    /// Alerts that were resolved, those stored as resolved at once included.
    pub resolved: i64,
    /// Deliveries that told nothing new: retries, repeats, and news that came too late.
    pub repeated: i64,
}

impl ReceiptCounts {
    /// All alerts of the POST.
    pub const fn total(self) -> i64 {
        self.created + self.counted + self.resolved + self.repeated
    }
}

/// The record of one POST that was stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// Its id.
    pub id: ReceiptId,
    /// What it says.
    pub receipt: NewReceipt,
}

/// The record of one POST, to be written with what it brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewReceipt {
    /// The project.
    pub project_id: ProjectId,
    /// The endpoint that received it.
    pub integration_id: IntegrationId,
    /// When it came.
    pub received_at: Timestamp,
    /// The length of the body in bytes, after decompression.
    pub body_bytes: i64,
    /// What became of its alerts.
    pub counts: ReceiptCounts,
    /// What the sender said about the POST as a whole.
    pub context: SenderContext,
}
