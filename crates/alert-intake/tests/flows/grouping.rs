//! Grouping of POSTs: the result equals that of storing them one after the other.

use alert_intake::flow::receive::{DeliveryOutcome, KeyReused};
use alert_intake::model::{Delivery, IncomingAlert};
use proptest::prelude::*;

use crate::support::{
    HERE, Intake, ProjectRows, THERE, decide, generic, item, keyed, post_to, rows,
};

/// Everything observable about the effects of deliveries.
#[derive(Debug, PartialEq)]
struct ObservedEffects {
    verdicts: Vec<Result<DeliveryOutcome, KeyReused>>,
    rows: [ProjectRows; 2],
}

/// Stores the groups one after the other.
fn store<'g>(intake: &Intake, groups: impl IntoIterator<Item = &'g [Delivery]>) -> ObservedEffects {
    let groups: Vec<Vec<Delivery>> = groups.into_iter().map(<[Delivery]>::to_vec).collect();
    intake.undone(move |tx| ObservedEffects {
        verdicts: groups.iter().flat_map(|group| decide(tx, group)).collect(),
        rows: [HERE, THERE].map(|project| rows(tx, project)),
    })
}

/// Generates items about four alerts, from webhooks and generic payloads, with and without starts and ends, in and out
/// of order.
fn alerts() -> impl Strategy<Value = Vec<IncomingAlert>> {
    let start = proptest::option::weighted(0.8, 0_i64..12);
    let end = proptest::option::weighted(0.4, 0_i64..12);
    let name = proptest::char::range('a', 'd');
    let alert = (any::<bool>(), name, start, end).prop_map(|(is_generic, name, start, end)| {
        let (start, end) = (start.map(|start| start * 10), end.map(|end| end * 10));
        if is_generic {
            generic(name, start, end)
        } else {
            item(name, start, end)
        }
    });
    proptest::collection::vec(alert, 0..5)
}

/// Generates deliveries to two projects, with and without keys, which are sometimes reused after hours or days and
/// sometimes with a different body. The clock may go back.
fn deliveries() -> impl Strategy<Value = Vec<Delivery>> {
    let key = proptest::option::of((
        proptest::sample::select(vec!["k", "l"]),
        proptest::sample::select(vec!["b", "b", "c"]),
    ));
    let later = prop_oneof![6 => 0_i64..5, 1 => -5_i64..0, 1 => 80_000_i64..90_000];
    let project = proptest::sample::select(vec![HERE, THERE]);
    proptest::collection::vec((project, later, alerts(), key), 1..14).prop_map(|posts| {
        let mut clock = 1000;
        let to_delivery = |(project, later, alerts, key)| {
            clock += later;
            let delivery = post_to(project, clock, alerts);
            match key {
                Some((key, body)) => keyed(delivery, key, body),
                None => delivery,
            }
        };
        posts.into_iter().map(to_delivery).collect()
    })
}

/// Splits into groups after the marked positions.
fn split<'d>(deliveries: &'d [Delivery], marks: &[bool]) -> Vec<&'d [Delivery]> {
    let mut groups = Vec::new();
    let mut rest = deliveries;
    let mut length = 0;
    for marked in marks.iter().take(deliveries.len()) {
        length += 1;
        if *marked {
            let (group, others) = rest.split_at(length);
            groups.push(group);
            (rest, length) = (others, 0);
        }
    }
    if !rest.is_empty() {
        groups.push(rest);
    }
    groups
}

#[test]
fn any_grouping_leaves_identical_rows_and_answers() {
    let intake = Intake::default();
    let marks = proptest::collection::vec(any::<bool>(), 14);
    proptest!(ProptestConfig::with_cases(400), |(deliveries in deliveries(), marks in marks)| {
        let alone = store(&intake, deliveries.chunks(1));
        prop_assert_eq!(&store(&intake, split(&deliveries, &marks)), &alone);
        prop_assert_eq!(&store(&intake, [&*deliveries]), &alone);
    });
}

#[test]
fn counts_of_a_post_sum_to_its_alerts_and_match_its_receipt() {
    let intake = Intake::default();
    proptest!(ProptestConfig::with_cases(400), |(deliveries in deliveries())| {
        let seen = store(&intake, [&*deliveries]);
        for (project, rows) in [HERE, THERE].into_iter().zip(&seen.rows) {
            let response = deliveries.iter().zip(&seen.verdicts);
            let mut receipts = rows.receipts.iter();
            for (delivery, verdict) in response.filter(|(delivery, _)| delivery.project_id == project) {
                let Ok(outcome) = verdict else { continue };
                prop_assert_eq!(outcome.counts.total(), i64::try_from(delivery.alerts.len()).unwrap());
                let receipt = receipts.next().unwrap();
                prop_assert_eq!(receipt.receipt.counts, outcome.counts);
                prop_assert_eq!(receipt.receipt.received_at, delivery.received_at);
                let has_note = !receipt.receipt.context.notes.is_empty();
                prop_assert!(has_note || outcome.counts.repeated == 0, "a repeat without a note");
            }
            prop_assert!(receipts.next().is_none());
        }
    });
}

#[test]
fn every_item_is_on_exactly_one_alert() {
    let intake = Intake::default();
    let posts = proptest::collection::vec(alerts(), 1..14);
    proptest!(ProptestConfig::with_cases(400), |(posts in posts)| {
        let deliveries: Vec<Delivery> =
            (1000..).zip(posts).map(|(at, alerts)| post_to(HERE, at, alerts)).collect();
        let seen = store(&intake, [&*deliveries]);
        let response: usize = deliveries.iter().map(|delivery| delivery.alerts.len()).sum();
        let stored: i64 = seen.rows[0].alerts.iter().map(|alert| alert.summary.deliveries).sum();
        prop_assert_eq!(stored, i64::try_from(response).unwrap());
    });
}

#[test]
fn at_most_one_alert_of_an_identity_is_open() {
    let intake = Intake::default();
    proptest!(ProptestConfig::with_cases(400), |(deliveries in deliveries())| {
        let seen = store(&intake, deliveries.chunks(3));
        let mut open: Vec<&str> = seen.rows[0]
            .alerts
            .iter()
            .filter(|alert| alert.summary.status.is_open())
            .map(|alert| &*alert.summary.title)
            .collect();
        let all = open.len();
        open.sort_unstable();
        open.dedup();
        prop_assert_eq!(open.len(), all);
    });
}
