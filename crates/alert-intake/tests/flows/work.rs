//! POSTs as grouped work.

use alert_intake::flow::receive::DeliveryOutcome;
use alert_intake::work::{AfterReceive, ReceiveAlerts};
use storage::{Store as _, StoreError, StoreErrorKind};

use crate::support::{HERE, Intake, fires, post};

/// Host that fails when a POST has more alerts than it can write about.
#[derive(Debug, Clone, Copy)]
struct NoMoreThan(usize);

impl<Tx: ?Sized> AfterReceive<Tx> for NoMoreThan {
    fn write(_: &mut Tx, stored: &[(&Self, &DeliveryOutcome)]) -> Result<(), StoreError> {
        let too_many =
            |(limit, outcome): &(&Self, &DeliveryOutcome)| outcome.alerts.len() > limit.0;
        if stored.iter().any(too_many) {
            return Err(StoreError::new(
                StoreErrorKind::Internal,
                "write of the host",
            ));
        }
        Ok(())
    }
}

#[test]
fn a_post_is_stored_by_work_alone() {
    let intake = Intake::default();
    let work = ReceiveAlerts::new(post(5, vec![fires('a', 1), fires('b', 2)]));
    let outcome = intake.0.write_grouped(work).wait().unwrap().unwrap();
    assert_eq!(outcome.counts.created, 2);
    assert_eq!(intake.rows(HERE).alerts.len(), 2);
}

#[test]
fn a_failed_host_write_rolls_back_only_its_own_post() {
    let intake = Intake::default();
    let send = |names: &[char]| {
        let alerts = names.iter().map(|name| fires(*name, 1)).collect();
        let work = ReceiveAlerts {
            delivery: post(5, alerts),
            after: NoMoreThan(1),
        };
        intake.0.write_grouped(work).wait()
    };
    assert!(send(&['a', 'b']).is_err());
    assert!(send(&['c']).is_ok());
    let rows = intake.rows(HERE);
    assert_eq!(rows.alerts.len(), 1);
    assert_eq!(rows.receipts.len(), 1);
}
