//! Requests of SDKs, from their bytes to their responses, in one call.

use std::io::Write as _;

use api_conventions::page::OffsetPage;
use error_tracking::collector::{
    BodyFormat, CollectorOptions, CollectorRequest, CollectorResponse, handle_request,
};
use error_tracking::flow::settings::{OnMissingSettings, SettingsChange, change_settings};
use error_tracking::model::{ErrorFilter, EventId, Options, Outcome};
use error_tracking::protocol::item::Category;
use error_tracking::store::ErrorQueries as _;
use flate2::Compression;
use flate2::write::GzEncoder;
use storage::{Store as _, StoreError};

use crate::support::{HERE, THERE, TrackerStore, at};

const KEY: &str = "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a";
const ENVELOPE: &str = "{}\n{\"type\":\"event\"}\n{\"message\":\"the disk is full\"}\n";
const MADE: &str = "07070707070707070707070707070707";

/// Names and values.
type HeaderList<'h> = &'h [(&'h str, &'h str)];

/// A project that collects with [`KEY`], and accepts `events_per_day` events a day.
fn tracker(events_per_day: Option<u64>) -> TrackerStore {
    let tracker = TrackerStore::default();
    let change = SettingsChange {
        active: Some(true),
        integrated: Some(true),
        options: Some(Options {
            events_per_day,
            ..Options::default()
        }),
        ..SettingsChange::default()
    };
    let random = [0x5a; 16];
    let settled = tracker.0.write(move |tx| {
        change_settings(tx, HERE, &change, OnMissingSettings::Create, random, at(5))
    });
    settled.wait().unwrap();
    tracker
}

/// Sends a body with these headers and this query.
fn send(
    tracker: &TrackerStore,
    form: BodyFormat,
    headers: HeaderList<'_>,
    query: &str,
    body: &[u8],
) -> CollectorResponse {
    let header = |name: &str| {
        let found = headers.iter().find(|(own, _)| *own == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let mut request = CollectorRequest::new(HERE, form, &header);
    request.query = query;
    let generate_id = || EventId::from_random(|| [7; 16]);
    let options = CollectorOptions::new(10_000, &|| false, &generate_id);
    handle_request(&tracker.0, &request, body, &options, at(9)).unwrap()
}

fn titles(tracker: &TrackerStore) -> Vec<String> {
    let filter = ErrorFilter::new(HERE);
    let listed = tracker
        .0
        .read(move |tx| tx.list_errors(&filter, OffsetPage::default()));
    let listed: Result<_, StoreError> = listed.wait();
    let errors = listed.unwrap().items.into_iter();
    errors.map(|error| error.facts.title).collect()
}

#[test]
fn each_form_of_a_request_is_stored_and_acknowledged() {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(ENVELOPE.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    let header = format!("Sentry sentry_key={KEY}, sentry_version=7");
    let query = format!("sentry_key={KEY}");
    let own = format!("{{\"dsn\":\"https://{KEY}@example.com/{HERE}\"}}");
    let with_dsn = ENVELOPE.replacen("{}", &own, 1);
    let event = br#"{"message":"the disk is full"}"#;
    let report =
        br#"{"csp-report":{"violated-directive":"img-src","blocked-uri":"https://a.example/"}}"#;
    let auth = ("x-sentry-auth", header.as_str());
    let zipped = ("content-encoding", "gzip");
    let as_envelope = ("content-type", "application/x-sentry-envelope");
    let cases: [(BodyFormat, HeaderList<'_>, &str, &[u8]); 6] = [
        (BodyFormat::Envelope, &[auth], "", ENVELOPE.as_bytes()),
        (BodyFormat::Envelope, &[auth, zipped], "", &packed),
        (BodyFormat::Envelope, &[], "", with_dsn.as_bytes()),
        (BodyFormat::Event, &[], &query, event),
        (
            BodyFormat::Event,
            &[auth, as_envelope],
            "",
            ENVELOPE.as_bytes(),
        ),
        (BodyFormat::Report, &[], &query, report),
    ];
    for (form, headers, query, body) in cases {
        let tracker = tracker(None);
        let answer = send(&tracker, form, headers, query, body);
        assert_eq!(answer.status, 200, "{form:?} {answer:?}");
        assert_eq!(answer.body, format!("{{\"id\":\"{MADE}\"}}"));
        assert_eq!(titles(&tracker).len(), 1);
    }
    let network = tracker(None);
    let answer = send(&network, BodyFormat::Network, &[auth], "", b"[]");
    assert_eq!((answer.status, answer.body.as_str()), (200, "{}"));
}

/// Status, headers, body, part of the response, and the loss that the project counts: `None` if the key is not its own.
type RefusalCase<'c> = (u16, HeaderList<'c>, &'c [u8], &'c str, Option<Outcome>);

#[test]
fn refusals_say_why_and_store_nothing() {
    let auth = format!("Sentry sentry_key={KEY}");
    let auth = ("x-sentry-auth", auth.as_str());
    let other = format!("https://{KEY}@example.com/{THERE}");
    let of_other = ENVELOPE.replacen("{}", &format!("{{\"dsn\":\"{other}\"}}"), 1);
    let long = vec![b'x'; 10_001];
    let cases: [RefusalCase<'_>; 8] = [
        (
            401,
            &[],
            ENVELOPE.as_bytes(),
            "the request has no client key",
            None,
        ),
        (
            401,
            &[],
            of_other.as_bytes(),
            "two different client keys",
            None,
        ),
        (
            401,
            &[auth],
            of_other.as_bytes(),
            "two different client keys",
            None,
        ),
        (
            401,
            &[("x-sentry-auth", "Sentry")],
            b"{}",
            "no sentry_key",
            None,
        ),
        (
            403,
            &[("x-sentry-auth", "Sentry sentry_key=1234")],
            ENVELOPE.as_bytes(),
            "does not accept events",
            None,
        ),
        (413, &[auth], &long, "too large", Some(Outcome::TooLarge)),
        (
            415,
            &[auth, ("content-encoding", "rar")],
            ENVELOPE.as_bytes(),
            "is not supported: use gzip",
            Some(Outcome::Invalid),
        ),
        (400, &[auth], b"no envelope", "", Some(Outcome::Invalid)),
    ];
    for (status, headers, body, text, loss) in cases {
        let tracker = tracker(None);
        let answer = send(&tracker, BodyFormat::Envelope, headers, "", body);
        assert_eq!(answer.status, status, "{answer:?}");
        assert!(answer.body.contains(text), "{answer:?}");
        let mut names = answer.headers.iter().map(|(name, _)| *name);
        assert!(names.any(|name| name == "x-sentry-error"), "{answer:?}");
        assert_eq!(titles(&tracker), [""; 0]);
        let expected = loss.map(|outcome| (Category::Default, outcome, 1));
        assert_eq!(tracker.accounting(), Vec::from_iter(expected), "{status}");
    }
}

#[test]
fn a_quota_that_is_used_up_silences_for_a_minute() {
    let tracker = tracker(Some(1));
    let query = format!("sentry_key={KEY}");
    let send = |message: &str, id: &str| {
        let body = format!("{{\"message\":\"{message}\",\"event_id\":\"{id}\"}}");
        send(&tracker, BodyFormat::Event, &[], &query, body.as_bytes())
    };
    assert_eq!(send("one", &"1".repeat(32)).status, 200);
    let refused = send("two", &"2".repeat(32));
    assert_eq!(refused.status, 429);
    let limits = (
        "x-sentry-rate-limits",
        "60:error;default;security:project:quota".to_owned(),
    );
    assert!(refused.headers.contains(&limits), "{refused:?}");
    assert_eq!(titles(&tracker), ["one"]);
}
