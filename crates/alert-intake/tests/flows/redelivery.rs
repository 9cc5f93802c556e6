//! Redelivered webhooks: repeats count nothing twice.

use alert_intake::model::{Alert, AlertStatus, Delivery, IncomingAlert};
use proptest::prelude::*;
use storage_diesel::SqliteWriteTx;

use crate::support::{HERE, Intake, accept, ends, fires, post, rows};

/// Generates the reports of an honest sender about one alert: occurrences that do not overlap, some of which are
/// reported only once they are over. `most_moved` is how far back, in seconds, the sender may have moved the start by
/// then.
fn history(name: char, most_moved: i64) -> impl Strategy<Value = Vec<IncomingAlert>> {
    let occurrence = (any::<bool>(), 0..=most_moved);
    (proptest::collection::vec(occurrence, 1..5), any::<bool>()).prop_map(
        move |(occurrences, still_fires)| {
            let mut items = Vec::new();
            for (number, (seen, moved)) in (1_i64..).zip(&occurrences) {
                let (start, end) = (number * 100, number * 100 + 50);
                let is_last = usize::try_from(number).unwrap() == occurrences.len();
                if *seen || (is_last && still_fires) {
                    items.push(fires(name, start));
                }
                if !(is_last && still_fires) {
                    items.push(ends(name, start - moved, end));
                }
            }
            items
        },
    )
}

/// Generates the items of three alerts, in order for each alert, spread over POSTs that mention an alert at most once.
fn posts(most_moved: i64) -> impl Strategy<Value = Vec<Delivery>> {
    (
        history('a', most_moved),
        history('b', most_moved),
        history('c', most_moved),
        proptest::collection::vec(0_usize..3, 30),
    )
        .prop_map(|(a, b, c, order)| {
            let mut queues = [a, b, c].map(Vec::into_iter);
            let mut posts: Vec<Delivery> = Vec::new();
            // The tail of the order empties the queues.
            for turn in order.into_iter().chain([0, 1, 2].repeat(10)) {
                if let Some(item) = queues[turn].next() {
                    let second = 10_000 + i64::try_from(posts.len()).unwrap();
                    match posts.last_mut() {
                        Some(last) if !tells_of(last, &item) => last.alerts.push(item),
                        _ => posts.push(post(second, vec![item])),
                    }
                }
            }
            posts
        })
}

fn tells_of(post: &Delivery, item: &IncomingAlert) -> bool {
    post.alerts
        .iter()
        .any(|response| response.identity == item.identity)
}

/// Returns what a repeat must not change: everything except the number of deliveries and the time of the last one.
fn essence(tx: &mut SqliteWriteTx<'_>) -> Vec<(String, AlertStatus, i64, i64, String)> {
    let essence = |alert: Alert| {
        let row = alert.summary;
        let (first, last) = (row.started_at.as_micros(), row.last_start.at.as_micros());
        (
            row.title,
            row.status,
            row.occurrences,
            last - first,
            alert.payload,
        )
    };
    rows(tx, HERE).alerts.into_iter().map(essence).collect()
}

/// Stores POSTs one after the other.
fn store(tx: &mut SqliteWriteTx<'_>, posts: &[Delivery]) {
    for post in posts {
        accept(tx, std::slice::from_ref(post));
    }
}

/// Demands that POSTs that come again after all others change nothing.
fn check_repeat(
    intake: &Intake,
    posts: Vec<Delivery>,
    from: proptest::sample::Index,
) -> Result<(), TestCaseError> {
    let again = posts[from.index(posts.len())..].to_vec();
    let repeated = again.clone();
    let (before, received, after) = intake.undone(move |tx| {
        store(tx, &posts);
        let before = essence(tx);
        let received = accept(tx, &repeated);
        (before, received, essence(tx))
    });
    prop_assert!(
        received.changes.is_empty(),
        "the feed would list it twice: {:?}",
        received.changes
    );
    for (outcome, post) in received.outcomes.iter().zip(&again) {
        prop_assert_eq!(
            outcome.counts.repeated,
            i64::try_from(post.alerts.len()).unwrap()
        );
    }
    prop_assert_eq!(after, before);
    Ok(())
}

#[test]
fn any_suffix_again_changes_nothing() {
    let intake = Intake::default();
    let from = any::<proptest::sample::Index>();
    proptest!(ProptestConfig::with_cases(400), |(posts in posts(5), from in from)| {
        check_repeat(&intake, posts, from)?;
    });
}

#[test]
fn each_post_twice_in_a_row_is_as_good_as_once() {
    let intake = Intake::default();
    proptest!(ProptestConfig::with_cases(400), |(posts in posts(5))| {
        let twice: Vec<Delivery> =
            posts.iter().flat_map(|post| [post.clone(), post.clone()]).collect();
        let [once, twice] = [posts, twice].map(|posts| {
            intake.undone(move |tx| {
                store(tx, &posts);
                essence(tx)
            })
        });
        prop_assert_eq!(twice, once);
    });
}

#[test]
fn posts_that_overtake_each_other_and_come_again_double_nothing() {
    let intake = Intake::default();
    let from = any::<proptest::sample::Index>();
    proptest!(
        ProptestConfig::with_cases(400),
        |(posts in posts(0).prop_shuffle(), from in from)| {
            check_repeat(&intake, posts, from)?;
        }
    );
}

#[test]
fn in_whatever_order_they_arrive_the_same_alerts_are_open_at_the_end() {
    let intake = Intake::default();
    let both = posts(0).prop_flat_map(|posts| (Just(posts.clone()), Just(posts).prop_shuffle()));
    proptest!(ProptestConfig::with_cases(400), |((posts, shuffled) in both)| {
        let [ordered, shuffled] = [posts, shuffled].map(|posts| {
            let stored = intake.undone(move |tx| {
                store(tx, &posts);
                essence(tx)
            });
            let open = stored.into_iter().filter(|(_, status, ..)| status.is_open());
            let mut open: Vec<String> = open.map(|(title, ..)| title).collect();
            open.sort_unstable();
            open
        });
        prop_assert_eq!(ordered, shuffled);
    });
}

#[test]
fn a_retry_in_the_same_group_as_its_first_try_is_a_repeat() {
    let intake = Intake::default();
    let first = post(100, vec![fires('a', 10), ends('b', 10, 20)]);
    let received = intake.receive(&[first.clone(), first.clone(), first]);
    let repeated: Vec<i64> = received
        .outcomes
        .iter()
        .map(|outcome| outcome.counts.repeated)
        .collect();
    assert_eq!(repeated, [0, 2, 2]);
    assert_eq!(
        received.outcomes[0].alerts, received.outcomes[2].alerts,
        "and gets the same response"
    );
}
