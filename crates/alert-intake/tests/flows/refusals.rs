//! Receipts of refused POSTs.

use alert_intake::flow::record_refusal::{MAX_IN_WINDOW, WINDOW_SECONDS, record_refusal};
use alert_intake::model::{
    DeliveryRefusal, NewReceipt, Receipt, ReceiptCounts, SenderContext, SenderNetwork,
};
use alert_intake::store::AlertQueries as _;
use api_conventions::ids::IntegrationId;
use api_conventions::page::{KeysetPage, SortOrder};
use storage::{Store as _, StoreError};

use crate::support::{HERE, Intake, at};

fn refuse(intake: &Intake, endpoint: i64, second: i64) {
    let reason = format!("refused at {second}");
    let refusal = DeliveryRefusal::new(400, &reason, Some(b"{"), SenderNetwork::Private);
    let receipt = NewReceipt {
        project_id: HERE,
        integration_id: IntegrationId::new(endpoint),
        received_at: at(second),
        body_bytes: 1,
        counts: ReceiptCounts::default(),
        context: SenderContext::default(),
        refusal: Some(refusal),
    };
    let recorded = intake.0.write(move |tx| record_refusal(tx, &receipt));
    recorded.wait().unwrap();
}

/// Returns the second and the further refusals of each receipt.
fn receipts(intake: &Intake) -> Vec<(i64, i64)> {
    let page = KeysetPage::new(100, SortOrder::Ascending);
    let found = intake
        .0
        .read(move |tx| Ok::<_, StoreError>(tx.list_receipts_after(HERE, None, page)?.items));
    let of = |Receipt { receipt, .. }: Receipt| {
        let refusal = receipt.refusal.unwrap();
        let second = receipt.received_at.as_unix_seconds();
        assert_eq!(refusal.reason, format!("refused at {second}"));
        (second, refusal.further)
    };
    found.wait().unwrap().into_iter().map(of).collect()
}

#[test]
fn an_endpoint_gets_so_many_receipts_in_a_window_and_the_last_counts_the_others() {
    let intake = Intake::default();
    let most = i64::try_from(MAX_IN_WINDOW).unwrap();
    for second in 1..=most + 3 {
        refuse(&intake, 1, second);
    }
    // Another endpoint has its own limit.
    refuse(&intake, 2, most + 3);
    let mut expected: Vec<(i64, i64)> = (1..=most).map(|second| (second, 0)).collect();
    expected[MAX_IN_WINDOW - 1].1 = 3;
    expected.push((most + 3, 0));
    assert_eq!(receipts(&intake), expected);
    // Once the window has moved on, as many receipts fit as have left it.
    let later = WINDOW_SECONDS + 2;
    for _ in 0..3 {
        refuse(&intake, 1, later);
    }
    expected.extend([(later, 0), (later, 1)]);
    assert_eq!(receipts(&intake), expected);
}

#[test]
fn a_clock_set_back_does_not_allow_more_receipts() {
    let intake = Intake::default();
    let most = i64::try_from(MAX_IN_WINDOW).unwrap();
    for second in 1000..1000 + most {
        refuse(&intake, 1, second);
    }
    refuse(&intake, 1, 1);
    assert_eq!(receipts(&intake).last(), Some(&(999 + most, 1)));
}
