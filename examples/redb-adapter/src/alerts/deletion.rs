//! Deletion of the rows of a project, and of old rows.

use std::ops::Bound;

use alert_intake::model::{KeptAnswer, Receipt};
use api_conventions::ids::ProjectId;
use api_conventions::page::SortOrder;
use api_conventions::time::Timestamp;
use redb::WriteTransaction;
use storage::StoreError;

use super::{
    ALERTS, ANSWERS, AlertRow, ENDPOINTS, IDENTITIES, IIDS, PAYLOADS, PLACES, RECEIPTS, REFUSED,
};
use crate::tables::{named_of, of};
use crate::transaction::{RedbTx, break_if};

const ORDER: SortOrder = SortOrder::Ascending;

impl RedbTx<'_, WriteTransaction> {
    /// Deletes at most `limit` rows of a project: alerts, receipts, and endpoints after their idempotency records.
    /// Index entries of an alert or a receipt are deleted with it and are not counted separately.
    pub(super) fn delete_project(
        &self,
        project: ProjectId,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let numbered = of(project.get());
        let mut left = limit;
        for row in self.first(&ALERTS, numbered, ORDER, left)? {
            self.remove_alert(&row)?;
            left -= 1;
        }
        for row in self.first(&RECEIPTS, numbered, ORDER, left)? {
            self.remove_receipt(&row)?;
            left -= 1;
        }
        for endpoint in self.first(&ENDPOINTS, named_of(project.get()), ORDER, left)? {
            let answers = named_of(endpoint.id.get());
            for answer in self.first(&ANSWERS, answers, ORDER, left)? {
                self.remove_answer(&answer)?;
                left -= 1;
            }
            if left == 0 {
                break;
            }
            let identifier = endpoint.endpoint_identifier.as_bytes();
            self.remove(&ENDPOINTS, (project.get(), identifier))?;
            left -= 1;
        }
        if left > 0 {
            self.forget_numbers(IIDS, project.get())?;
        }
        Ok(limit - left)
    }

    /// Deletes idempotency records of POSTs received before a time. Scans all of them, about a day's worth.
    pub(super) fn delete_answers_before(
        &self,
        before: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let mut late = Vec::new();
        self.scan(
            &ANSWERS,
            (Bound::Unbounded, Bound::Unbounded),
            ORDER,
            |row| {
                if row.received_at < before && late.len() < limit {
                    late.push(row);
                }
                Ok(break_if(late.len() == limit))
            },
        )?;
        late.iter().try_for_each(|row| self.remove_answer(row))?;
        Ok(late.len())
    }

    /// Deletes an alert. Alerts are deleted in the order of their numbers, so the last one of an identity deletes the
    /// identity, too.
    fn remove_alert(&self, row: &AlertRow) -> Result<(), StoreError> {
        let (project, iid) = row.key();
        let named = (project, row.identity.as_bytes().as_slice());
        if let Some(mut known) = self.get(&IDENTITIES, named)? {
            if known.last.get() <= iid {
                self.remove(&IDENTITIES, named)?;
            } else if known.open == Some(row.summary.iid) {
                known.open = None;
                self.put(&IDENTITIES, named, &known)?;
            }
        }
        self.remove(&PLACES, row.summary.id.get())?;
        self.remove(&PAYLOADS, row.key())?;
        self.remove(&ALERTS, row.key())
    }

    fn remove_receipt(&self, row: &Receipt) -> Result<(), StoreError> {
        let Receipt { id, receipt } = row;
        if receipt.refusal.is_some() {
            let endpoint = receipt.integration_id.get();
            let refused = (endpoint, receipt.received_at.as_micros(), id.get());
            self.remove(&REFUSED, refused)?;
        }
        self.remove(&RECEIPTS, (receipt.project_id.get(), id.get()))
    }

    fn remove_answer(&self, row: &KeptAnswer) -> Result<(), StoreError> {
        let key = row.key.key.as_bytes().as_slice();
        self.remove(&ANSWERS, (row.integration_id.get(), key))
    }
}
