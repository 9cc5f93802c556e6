//! `gatehouse deprecations [--release X.Y]`.

use clap::Args;
use deprecations::wire::{RecordJson, ReleaseJson};
use deprecations::{Edition, Life, Record, calendar, published};

use super::edition;
use crate::cli::output;

/// Flags of the list.
#[derive(Debug, Args)]
pub(super) struct ShowFlags {
    /// Show only what this release removes, announces and introduces; v5 for the next version of the API.
    #[arg(long, value_name = "RELEASE")]
    release: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn show(flags: &ShowFlags) -> anyhow::Result<()> {
    let at = edition(flags.release.as_ref())?;
    match (&flags.release, flags.json) {
        (Some(_), true) => output::json(&ReleaseJson::new(published(), at, "")),
        (Some(_), false) => {
            release(at);
            Ok(())
        }
        (None, true) => {
            let records = published().records().iter();
            let all: Vec<_> = records
                .map(|record| RecordJson::new(record, at, ""))
                .collect();
            output::json(&all)
        }
        (None, false) => {
            all();
            Ok(())
        }
    }
}

/// Prints all deprecations by removal, the latest removal first.
fn all() {
    for removal in published().removals() {
        output::line(&format!("Removed in {removal}"));
        let records = published().deprecations();
        for record in records.filter(|record| record.removal() == Some(removal)) {
            line(record);
        }
        output::line("");
    }
}

fn release(at: Edition) {
    let day = calendar::day_of(at.release).filter(|_| at == Edition::of(at.release));
    let day = day.map_or_else(String::new, |day| format!(", {day}"));
    output::line(&format!("Release {at}{day}"));
    let changes = published().changes_of(at);
    for (title, records) in [
        ("Removed", changes.removed),
        ("Announced", changes.announced),
        ("New", changes.introduced),
        ("Pending removals", published().coming(at)),
    ] {
        output::line(&format!("\n{title}: {}", records.len()));
        records.into_iter().for_each(line);
    }
}

fn line(record: &Record) {
    let mark = if record.breaking { "!" } else { " " };
    let since = match record.life {
        Life::Deprecated { announced, .. } => format!("announced in {announced}"),
        Life::Introduced(release) => format!("since {release}"),
    };
    output::line(&format!("{mark} {}  {} ({since})", record.id, record.title));
    if let Some(replacement) = &record.replacement {
        output::line(&format!("      use {replacement}"));
    }
}
