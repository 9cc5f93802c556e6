//! However POSTs are gathered into groups, the result is that of storing them one after the other.

use alert_intake::flow::receive::{AlertChange, DeliveryOutcome};
use alert_intake::model::Delivery;
use api_conventions::ids::{AlertId, ProjectId};
use proptest::prelude::*;

use crate::support::{HERE, Intake, Rows, THERE, item, post_to};

/// Everything that can be seen of what deliveries did.
#[derive(Debug, PartialEq)]
struct Seen {
    outcomes: Vec<DeliveryOutcome>,
    changes: Vec<AlertChange>,
    rows: [Rows; 2],
}

/// Stores the groups one after the other.
fn store<'g>(groups: impl IntoIterator<Item = &'g [Delivery]>) -> Seen {
    let intake = Intake::default();
    let (mut outcomes, mut changes) = (Vec::new(), Vec::new());
    for group in groups {
        let received = intake.receive(group);
        outcomes.extend(received.outcomes);
        changes.extend(received.changes);
    }
    Seen {
        outcomes,
        changes,
        rows: [HERE, THERE].map(|project| intake.rows(project)),
    }
}

impl Seen {
    /// The same without the ids that alerts have beside their numbers: only within one project do they follow
    /// the order of arrival.
    fn without_global_ids(mut self) -> Self {
        for change in &mut self.changes {
            change.alert_id = AlertId::new(0);
        }
        for alert in self.rows.iter_mut().flat_map(|rows| &mut rows.alerts) {
            alert.summary.id = AlertId::new(0);
        }
        for receipt in self.rows.iter_mut().flat_map(|rows| &mut rows.receipts) {
            assert!(receipt.id.get() > 0);
        }
        self
    }
}

/// Any items about four alerts: with and without starts and ends, in and out of order.
fn deliveries(projects: &'static [ProjectId]) -> impl Strategy<Value = Vec<Delivery>> {
    let moment = || proptest::option::weighted(0.8, 0_i64..12);
    let end = proptest::option::weighted(0.4, 0_i64..12);
    let alert = (proptest::char::range('a', 'd'), moment(), end).prop_map(|(name, start, end)| {
        item(name, start.map(|start| start * 10), end.map(|end| end * 10))
    });
    let one = (
        proptest::sample::select(projects),
        0_i64..5,
        proptest::collection::vec(alert, 0..5),
    );
    proptest::collection::vec(one, 1..14).prop_map(|posts| {
        let mut clock = 1000;
        let to_delivery = |(project, later, alerts)| {
            clock += later;
            post_to(project, clock, alerts)
        };
        posts.into_iter().map(to_delivery).collect()
    })
}

/// Splits into groups after the places that are marked.
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_grouping_within_a_project_leaves_identical_rows_and_answers(
        deliveries in deliveries(&[HERE]), marks in proptest::collection::vec(any::<bool>(), 14),
    ) {
        let alone = store(deliveries.chunks(1));
        prop_assert_eq!(&store(split(&deliveries, &marks)), &alone);
        prop_assert_eq!(&store([&*deliveries]), &alone);
    }

    #[test]
    fn any_grouping_across_projects_leaves_the_same_rows_but_for_global_ids(
        deliveries in deliveries(&[HERE, THERE]), marks in proptest::collection::vec(any::<bool>(), 14),
    ) {
        let alone = store(deliveries.chunks(1)).without_global_ids();
        let grouped = store(split(&deliveries, &marks)).without_global_ids();
        prop_assert_eq!(grouped, alone);
    }

    #[test]
    fn the_counts_of_a_post_add_up_to_its_alerts_and_stand_in_its_receipt(
        deliveries in deliveries(&[HERE]),
    ) {
        let seen = store([&*deliveries]);
        let receipts = &seen.rows[0].receipts;
        prop_assert_eq!(receipts.len(), deliveries.len());
        for ((delivery, outcome), receipt) in deliveries.iter().zip(&seen.outcomes).zip(receipts) {
            prop_assert_eq!(outcome.counts.total(), i64::try_from(delivery.alerts.len()).unwrap());
            prop_assert_eq!(receipt.receipt.counts, outcome.counts);
            prop_assert_eq!(receipt.receipt.received_at, delivery.received_at);
        }
        let told: usize = deliveries.iter().map(|delivery| delivery.alerts.len()).sum();
        let stored: i64 = seen.rows[0].alerts.iter().map(|alert| alert.summary.deliveries).sum();
        prop_assert_eq!(stored, i64::try_from(told).unwrap(), "every item is on exactly one alert");
    }

    #[test]
    fn at_most_one_alert_of_an_identity_is_open(deliveries in deliveries(&[HERE])) {
        let seen = store(deliveries.chunks(3));
        let mut open: Vec<&str> = seen.rows[0].alerts.iter()
            .filter(|alert| alert.summary.status.is_open())
            .map(|alert| &*alert.summary.title)
            .collect();
        let all = open.len();
        open.sort_unstable();
        open.dedup();
        prop_assert_eq!(open.len(), all);
    }
}
