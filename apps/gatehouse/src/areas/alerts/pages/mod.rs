//! Alert pages for Developers: the alerts of a project, its endpoints and receipts, and the open alerts of several projects.

mod change;
mod comments;
mod detail;
mod endpoint;
mod endpoint_change;
mod endpoint_form;
mod endpoints;
mod list;
mod mapping;
mod open;
mod receipt;
mod receipts;
mod samples;
mod silences;

use web_conventions::operations::{Operation, get, post};

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("dashboardAlertsPage", "/dashboard/alerts", open::show_own),
        get(
            "groupAlertsPage",
            "/groups/{group}/-/alerts",
            open::show_of_group,
        ),
        get(
            "silencesPage",
            "/{project}/-/alert_management/silences",
            silences::show,
        ),
        post(
            "changeSilencesForm",
            "/{project}/-/alert_management/silences",
            silences::change,
        ),
        get("alertsPage", "/{project}/-/alert_management", list::show),
        get(
            "alertPage",
            "/{project}/-/alert_management/{iid}/details",
            detail::show,
        ),
        post(
            "changeAlertsForm",
            "/{project}/-/alert_management",
            change::several,
        ),
        post(
            "changeAlertForm",
            "/{project}/-/alert_management/{iid}/details",
            change::one,
        ),
        post(
            "createAlertNoteForm",
            "/{project}/-/alert_management/{iid}/notes",
            comments::create,
        ),
        get(
            "alertReceiptsPage",
            "/{project}/-/alert_receipts",
            receipts::show,
        ),
        get(
            "alertReceiptPage",
            "/{project}/-/alert_receipts/{receipt}",
            receipt::show,
        ),
        get(
            "alertEndpointsPage",
            "/{project}/-/settings/alert_endpoints",
            endpoints::show,
        ),
        post(
            "createAlertEndpointForm",
            "/{project}/-/settings/alert_endpoints",
            endpoint_change::create,
        ),
        get(
            "alertEndpointPage",
            "/{project}/-/settings/alert_endpoints/{endpoint}",
            endpoint::show,
        ),
        post(
            "changeAlertEndpointForm",
            "/{project}/-/settings/alert_endpoints/{endpoint}",
            endpoint_change::change,
        ),
        post(
            "testAlertEndpointForm",
            "/{project}/-/settings/alert_endpoints/{endpoint}/test",
            endpoint::test,
        ),
        get(
            "alertMappingPage",
            "/{project}/-/settings/alert_endpoints/{endpoint}/mapping",
            mapping::show,
        ),
        post(
            "changeAlertMappingForm",
            "/{project}/-/settings/alert_endpoints/{endpoint}/mapping",
            mapping::submit,
        ),
    ]
}
