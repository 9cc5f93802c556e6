//! Rows of delivery receipts.

use alert_intake::model::{
    DeliveryRefusal, NewReceipt, Receipt, ReceiptCounts, SenderContext, SenderNetwork,
};
use api_conventions::ids::{IntegrationId, ProjectId, ReceiptId};
use storage::StoreError;

use super::json_list;
use crate::entity::entity;
use crate::rows::DomainRow;

entity! {
    alert_receipts: ReceiptRow, NewReceiptRow;
    fixed {
        project_id: BigInt,
        integration_id: BigInt,
        received_at: BigInt,
        body_bytes: BigInt,
        created: BigInt,
        counted: BigInt,
        resolved: BigInt,
        repeated: BigInt,
        user_agent: Nullable<Text>,
        group_key: Nullable<Text>,
        truncated_alerts: BigInt,
        skipped_alerts: BigInt,
        notes: Text,
        refusal: Nullable<Text>,
        further_refusals: BigInt,
    }
}

/// Formats the refusal of a POST as JSON, without the count of further refusals, which has a column of its own.
fn refusal_json(refusal: &DeliveryRefusal) -> String {
    serde_json::json!({
        "status": refusal.status,
        "reason": refusal.reason,
        "body_start": refusal.body_start,
        "sender": refusal.sender.as_str(),
    })
    .to_string()
}

/// Parses the refusal in a column; `None` if the column does not contain one.
fn read_refusal(json: &str, further: i64) -> Option<DeliveryRefusal> {
    let stored: serde_json::Value = serde_json::from_str(json).ok()?;
    let text = |name: &str| Some(stored.get(name)?.as_str()?.to_owned());
    Some(DeliveryRefusal {
        status: stored.get("status")?.as_u64()?.try_into().ok()?,
        reason: text("reason")?,
        body_start: text("body_start"),
        sender: SenderNetwork::parse(&text("sender")?)?,
        further,
    })
}

impl DomainRow for ReceiptRow {
    type Value = Receipt;

    fn read(self) -> Result<Receipt, StoreError> {
        let row = self.reader();
        let notes = serde_json::from_str(&self.notes);
        let further = self.further_refusals;
        let refusal = self.refusal.map(|json| {
            let refusal = read_refusal(&json, further);
            row.require(refusal, "unreadable rejection")
        });
        let receipt = NewReceipt {
            project_id: ProjectId::new(self.project_id),
            integration_id: IntegrationId::new(self.integration_id),
            received_at: row.timestamp(self.received_at)?,
            body_bytes: self.body_bytes,
            counts: ReceiptCounts {
                created: self.created,
                counted: self.counted,
                resolved: self.resolved,
                repeated: self.repeated,
            },
            context: SenderContext {
                user_agent: self.user_agent,
                group_key: self.group_key,
                truncated_alerts: self.truncated_alerts,
                skipped_alerts: self.skipped_alerts,
                notes: notes.map_err(|_| row.inconsistent("notes are not a list of strings"))?,
            },
            refusal: refusal.transpose()?,
        };
        Ok(Receipt {
            id: ReceiptId::new(self.id),
            receipt,
        })
    }
}

impl<'v> From<&'v NewReceipt> for NewReceiptRow<'v> {
    fn from(receipt: &'v NewReceipt) -> Self {
        Self {
            project_id: receipt.project_id.get(),
            integration_id: receipt.integration_id.get(),
            received_at: receipt.received_at.as_micros(),
            body_bytes: receipt.body_bytes,
            created: receipt.counts.created,
            counted: receipt.counts.counted,
            resolved: receipt.counts.resolved,
            repeated: receipt.counts.repeated,
            user_agent: receipt.context.user_agent.as_deref().map(Into::into),
            group_key: receipt.context.group_key.as_deref().map(Into::into),
            truncated_alerts: receipt.context.truncated_alerts,
            skipped_alerts: receipt.context.skipped_alerts,
            notes: json_list(&receipt.context.notes).into(),
            refusal: receipt.refusal.as_ref().map(refusal_json).map(Into::into),
            further_refusals: receipt
                .refusal
                .as_ref()
                .map_or(0, |refusal| refusal.further),
        }
    }
}
