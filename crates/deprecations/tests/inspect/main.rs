//! Checks of files with calls against a schedule of lamps.
#![expect(
    clippy::unwrap_used,
    reason = "a helper that fails ends the test that called it"
)]

mod document;
mod har;
mod hostile;
mod log;

use deprecations::inspect::{Certainty, InspectError, InspectOptions, InspectionReport, inspect};
use deprecations::{Edition, Schedule};

/// Records of all kinds. Removals are in 16.0, v5 or 17.0; `paused` was introduced in 15.8.
const RECORDS: &[(&str, &str)] = &[
    (
        "15-1-changes",
        r#"kind = "endpoint"
        announced = "15.1"
        removal = "16.0"
        replacement = "`GET /lamps/:id/states`"
        touches = [{ endpoints = ["GET /api/v4/lamps/:id/changes"] }]"#,
    ),
    (
        "15-2-path",
        r#"kind = "parameter"
        announced = "15.2"
        removal = "17.0"
        touches = [
            { endpoints = ["POST /api/v4/lamps"], parameter = "assets[links][][filepath]" },
            { endpoints = ["GET /api/v4/lamps"], parameter = "filepath" },
        ]"#,
    ),
    (
        "15-3-status",
        r#"kind = "value"
        announced = "15.3"
        removal = "v5"
        touches = [
            { endpoints = ["GET /api/v4/lamps"], parameter = "status", value = "active" },
            { endpoints = ["GET /api/v4/lamps", "GET /api/v4/lamps/:id"], field = "status", value = "active" },
        ]"#,
    ),
    (
        "15-4-null",
        r#"kind = "value"
        announced = "15.4"
        removal = "16.0"
        touches = [{ endpoints = ["PUT /api/v4/lamps/:id"], parameter = "private", null = true, effect.stands_for = false }]"#,
    ),
    (
        "15-5-pair",
        r#"kind = "parameter"
        announced = "15.5"
        removal = "16.0"
        touches = [{ endpoints = ["GET /api/v4/lamps"], parameter = "updated_after", effect.needs = { with = { order_by = "updated_at" }, message = "paired" } }]"#,
    ),
    (
        "15-6-lengths",
        r#"kind = "parameter"
        announced = "15.6"
        removal = "16.0"
        touches = [
            { endpoints = ["PUT /api/v4/lamps/:id"], parameter = "name", effect.at_most = 5 },
            { endpoints = ["GET /api/v4/lamps"], parameter = "search", effect.at_least = 3 },
        ]"#,
    ),
    (
        "15-7-links",
        r#"kind = "field"
        announced = "15.7"
        removal = "16.0"
        touches = [
            { endpoints = ["GET /api/v4/lamps/:id"], field = "assets.links.external" },
            { endpoints = ["GET /api/v4/lamps/:id"], field = "owners", effect = "empty" },
            { graphql = "Lamp.external" },
        ]"#,
    ),
    (
        "15-8-paused",
        r#"kind = "parameter"
        introduced = "15.8"
        touches = [
            { endpoints = ["GET /api/v4/lamps", "PUT /api/v4/lamps/:id"], parameter = "paused" },
            { endpoints = ["GET /api/v4/lamps/:id"], field = "paused" },
        ]"#,
    ),
    (
        "15-9-pages",
        r#"kind = "behaviour"
        announced = "15.9"
        removal = "16.0"
        touches = [{ pages = ["issues", "settings"] }]"#,
    ),
    (
        "15-9-behaviour",
        r#"kind = "behaviour"
        announced = "15.9"
        removal = "16.0"
        touches = [{ behaviour = "dim" }]"#,
    ),
];

fn schedule() -> Schedule {
    let files = RECORDS.iter().map(|(id, rest)| {
        let breaking = !rest.contains("introduced");
        let text = format!(
            "title = \"About {id}\"\narea = \"Lamps\"\nbody = \"Read.\"\nbreaking = {breaking}\n\
             enforcement = \"enforced\"\nedited = \"2023-05-01\"\n{rest}"
        );
        (*id, text)
    });
    let files: Vec<(&str, String)> = files.collect();
    let files = files.iter().map(|(id, text)| (*id, text.as_str()));
    Schedule::parse(files).unwrap()
}

/// Parses the name of an edition.
fn edition(name: &str) -> Edition {
    match name {
        "v5" => Edition::preview("18.0".parse().unwrap()),
        release => Edition::of(release.parse().unwrap()),
    }
}

fn check(at: &str, text: &str) -> Result<InspectionReport, InspectError> {
    inspect(&schedule(), text, &InspectOptions::at(edition(at)))
}

/// Formats the findings, one a line: the record, `?` if uncertain, the call, the detail, the count and the first
/// position.
fn found(report: &InspectionReport) -> Vec<String> {
    let lines = report.findings.iter().map(|finding| {
        let mark = match finding.certainty {
            Certainty::Certain => "",
            Certainty::CannotTell => "?",
        };
        format!(
            "{}{mark} | {} | {} | {} from {}",
            finding.record, finding.call, finding.detail, finding.occurrences, finding.first
        )
    });
    lines.collect()
}

/// Returns the findings at 16.0.
fn found_in(text: &str) -> Vec<String> {
    found(&check("16.0", text).unwrap())
}
