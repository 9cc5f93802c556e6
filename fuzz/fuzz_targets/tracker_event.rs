//! Events, from their bytes to their key.
#![no_main]

use api_conventions::time::Timestamp;
use error_tracking::event::{EventSource, Report, read};
use error_tracking::grouping::group;
use error_tracking::model::EventId;
use error_tracking::protocol::json;
use error_tracking::scrub::{ScrubSettings, scrub};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    let Ok(parsed) = json::read(body) else {
        return;
    };
    let source = EventSource {
        received_at: Timestamp::MIN,
        sent_at: None,
        id: None,
        fallback_id: EventId::from_bytes([1; 16]).expect("the bytes are not zero"),
        peer: Some("192.0.2.7"),
    };
    let Ok(event) = read(parsed.value.clone(), &source) else {
        return;
    };
    let again = read(parsed.value, &source).expect("it was an event before");
    assert_eq!(group(&event.report), group(&again.report));
    let encoded = serde_json::to_string(&event.report).expect("a report is written");
    assert!(!encoded.contains("\\u0000"), "no text holds a NUL");
    let decoded: Report = serde_json::from_str(&encoded).expect("a report reads back");
    assert_eq!(group(&decoded).key, group(&event.report).key);
    let (own, shared) = event.report.clone().encode_shared();
    let shared = shared.map(|part| part.packed().into_owned());
    let back = Report::decode(&own, shared.as_deref()).expect("what was kept is read");
    assert_eq!(group(&back), group(&event.report));
    let mut once = event.report;
    scrub(&mut once, &ScrubSettings::default());
    let mut twice = once.clone();
    scrub(&mut twice, &ScrubSettings::default());
    twice.notes.clone_from(&once.notes);
    assert_eq!(once, twice);
});
