//! Rows of attempts.

use ::notifications::model::{AttemptOutcome, DeliveryAttempt};
use api_conventions::ids::MessageId;
use diesel::prelude::*;
use storage::StoreError;

use crate::rows::{DomainRow, RowReader};

diesel::table! {
    notification_attempts (message_id, number) {
        message_id -> BigInt,
        number -> BigInt,
        at -> BigInt,
        millis -> BigInt,
        outcome -> SmallInt,
        status -> Nullable<Integer>,
        detail -> Text,
    }
}

/// Row of an attempt.
#[derive(Debug, Queryable, Selectable)]
#[diesel(table_name = notification_attempts)]
pub(super) struct AttemptRow {
    message_id: i64,
    number: i64,
    at: i64,
    millis: i64,
    outcome: i16,
    status: Option<i32>,
    detail: String,
}

impl DomainRow for AttemptRow {
    type Value = DeliveryAttempt;

    fn read(self) -> Result<DeliveryAttempt, StoreError> {
        let row = RowReader::new("notification_attempts", self.message_id);
        let number = |value: i64| row.require(u32::try_from(value).ok(), "number out of range");
        let outcome = AttemptOutcome::from_number(self.outcome);
        let status = self.status.map(|status| {
            let status = u16::try_from(status).ok();
            row.require(status, "status out of range")
        });
        Ok(DeliveryAttempt {
            message_id: MessageId::new(self.message_id),
            number: number(self.number)?,
            at: row.timestamp(self.at)?,
            millis: number(self.millis)?,
            outcome: row.require(outcome, "unknown outcome")?,
            status: status.transpose()?,
            detail: self.detail,
        })
    }
}

/// Values of an attempt, in the order of the columns.
pub(super) type AttemptValues<'v> = (i64, u32, i64, u32, i16, Option<u16>, &'v str);

/// Returns the values of an attempt.
pub(super) fn attempt_values(attempt: &DeliveryAttempt) -> AttemptValues<'_> {
    (
        attempt.message_id.get(),
        attempt.number,
        attempt.at.as_micros(),
        attempt.millis,
        attempt.outcome.number(),
        attempt.status,
        &attempt.detail,
    )
}
