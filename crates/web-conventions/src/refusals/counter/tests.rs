//! Tests of immediate and summarized logging.

use super::*;

const ROUTE: &str = "/api/v4/user";

fn kind(status: u16, route: &'static str) -> Kind {
    Kind {
        status: Some(status),
        route: Cow::Borrowed(route),
        reason: "",
    }
}

fn client(number: u8) -> IpAddr {
    IpAddr::from([192, 0, 2, number])
}

fn after(start: Instant, seconds: u64) -> Instant {
    start + Duration::from_secs(seconds)
}

#[test]
fn the_first_of_a_kind_is_reported_at_once_and_the_others_are_counted() {
    let (mut counter, now) = (RefusalCounter::default(), Instant::now());
    assert!(counter.count(kind(401, ROUTE), Some(client(1)), now));
    assert!(!counter.count(kind(401, ROUTE), Some(client(1)), now));
    assert!(counter.count(kind(404, ROUTE), Some(client(1)), now));
    assert!(counter.count(kind(401, "/oauth/token"), Some(client(1)), now));
    let reason = "overloaded";
    let for_a_reason = |reason| Kind {
        reason,
        ..kind(401, ROUTE)
    };
    assert!(counter.count(for_a_reason(reason), Some(client(1)), now));
    assert!(!counter.count(for_a_reason(reason), Some(client(1)), now));
}

#[test]
fn a_summary_is_reported_once_per_interval_with_all_refusals() {
    let (mut counter, start) = (RefusalCounter::default(), Instant::now());
    for second in 0..=25 {
        let now = after(start, second);
        for number in 0..100 {
            counter.count(kind(401, ROUTE), Some(client(number % 3)), now);
        }
        counter.count(kind(413, "/x"), Some(client(9)), now);
        let summary = counter.due(now);
        assert_eq!(summary.is_some(), second % 11 == 10, "second {second}");
        let Some(summary) = summary else { continue };
        assert_eq!((summary.count, summary.period), (1_111, INTERVAL));
        let kinds = [(kind(401, ROUTE), 1_100), (kind(413, "/x"), 11)];
        assert_eq!(summary.kinds, kinds);
        assert_eq!(summary.top_sender, Some((client(0), 374)));
        assert_eq!(summary.kinds_text(), "1100 x 401 /api/v4/user, 11 x 413 /x");
    }
}

#[test]
fn refusals_reported_immediately_need_no_summary() {
    let (mut counter, start) = (RefusalCounter::default(), Instant::now());
    assert!(counter.count(kind(404, ROUTE), Some(client(1)), start));
    assert_eq!(counter.due(after(start, 60)), None);
    // The next interval does not begin early either.
    counter.count(kind(404, ROUTE), Some(client(1)), after(start, 65));
    assert_eq!(counter.due(after(start, 74)), None);
    let summary = counter.due(after(start, 75)).unwrap();
    assert_eq!((summary.count, summary.period), (1, INTERVAL));
}

#[test]
fn a_kind_is_first_again_when_it_was_not_seen_for_long() {
    let (mut counter, start) = (RefusalCounter::default(), Instant::now());
    assert!(counter.count(kind(404, ROUTE), None, start));
    assert!(!counter.count(kind(404, ROUTE), None, after(start, 599)));
    // A summary may have dropped the kind in between, or not.
    assert!(counter.count(kind(404, ROUTE), None, after(start, 599 + 600)));
    counter.take(after(start, 5_000));
    assert!(counter.kinds.is_empty());
    assert!(counter.count(kind(404, ROUTE), None, after(start, 5_001)));
}

#[test]
fn kinds_without_room_are_distinguished_by_their_status() {
    let (mut counter, now) = (RefusalCounter::with_capacity(2, 2), Instant::now());
    let routes = ["/a", "/b", "/c", "/d", "/e"];
    let firsts = routes.map(|route| counter.count(kind(404, route), None, now));
    assert_eq!(firsts, [true, true, true, false, false]);
    assert!(counter.count(kind(429, "/f"), None, now));
    assert!(!counter.count(kind(404, "/a"), None, now));
    assert_eq!(counter.kinds.len(), 4);
    let summary = counter.take(now).unwrap();
    assert_eq!(
        summary.kinds_text(),
        "3 x 404 other routes, 2 x 404 /a, 1 x 404 /b, 1 x 429 other routes"
    );
}

#[test]
fn a_summary_names_the_most_frequent_kinds_and_counts_the_others() {
    let (mut counter, now) = (RefusalCounter::default(), Instant::now());
    for status in 400..420 {
        for _ in 400..=status {
            counter.count(kind(status, ROUTE), None, now);
        }
    }
    let summary = counter.take(now).unwrap();
    assert_eq!((summary.count, summary.kinds.len()), (210, 20));
    let text = summary.kinds_text();
    assert!(
        text.starts_with("20 x 419 /api/v4/user, 19 x 418"),
        "{text}"
    );
    assert!(
        text.ends_with("13 x 412 /api/v4/user, 78 of other kinds"),
        "{text}"
    );
}

#[test]
fn trouble_of_the_server_is_distinguished_from_faults_of_clients() {
    let (mut counter, now) = (RefusalCounter::default(), Instant::now());
    let cut = Kind {
        status: None,
        route: Cow::Borrowed("connection"),
        reason: "response not read",
    };
    counter.count(cut.clone(), None, now);
    counter.count(cut, None, now);
    let summary = counter.take(now).unwrap();
    assert!(!summary.has_overload());
    assert_eq!(
        summary.kinds_text(),
        "2 x closed connection (response not read)"
    );
    counter.count(kind(503, ROUTE), None, now);
    counter.count(kind(503, ROUTE), None, now);
    assert!(counter.take(now).unwrap().has_overload());
}
