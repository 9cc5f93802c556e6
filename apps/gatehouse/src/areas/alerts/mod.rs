//! Alerts: the endpoints that receive them, and the API and pages to read and triage them.

mod alertmanager;
mod api;
mod change;
mod dry_run;
mod heartbeats;
pub mod intake;
mod integration_input;
mod integrations;
mod lists;
mod open_alerts;
mod opsgenie;
mod opsgenie_requests;
mod pagerduty;
mod pages;
mod payloads;
mod refused;

use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [
        intake::operations(),
        pagerduty::operations(),
        opsgenie_requests::operations(),
        opsgenie::operations(),
        heartbeats::operations(),
        alertmanager::operations(),
        // Before the operations of one alert, whose paths have a number where theirs have a word.
        lists::operations(),
        open_alerts::operations(),
        api::operations(),
        change::operations(),
        integrations::operations(),
        pages::operations(),
    ]
    .concat()
}
