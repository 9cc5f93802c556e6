//! Shows what an event is called, and why it is put together with others.
//!
//! `explain FILE...` reads files of one event each, as an SDK sends it.

#![expect(
    clippy::print_stdout,
    reason = "printing is the purpose of the program"
)]

use std::error::Error;

use api_conventions::time::Timestamp;
use error_tracking::event::{EventSource, read};
use error_tracking::grouping::group;
use error_tracking::model::EventId;
use error_tracking::protocol::json;

fn main() -> Result<(), Box<dyn Error>> {
    for file in std::env::args().skip(1) {
        let sent = EventSource {
            received_at: Timestamp::MIN,
            sent_at: None,
            id: None,
            fallback_id: EventId::parse("ffffffffffffffffffffffffffffffff").ok_or("no id")?,
            peer: None,
        };
        let event = read(json::read(&std::fs::read(&file)?)?.value, &sent)?;
        let report = &event.report;
        println!("{file}");
        println!("  title    {}", report.title());
        println!("  culprit  {}", report.culprit());
        println!("  location {}", report.location().unwrap_or_default());
        for note in &report.notes {
            println!("  note     {} {}", note.field, note.text);
        }
        let explanation = group(report).explanation;
        println!("  {}", explanation.method.sentence());
        for input in &explanation.inputs {
            println!("    {}: {}", input.part.word(), input.text);
        }
    }
    Ok(())
}
