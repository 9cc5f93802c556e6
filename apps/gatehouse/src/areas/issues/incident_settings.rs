//! `/api/v4/projects/:id/incident_management_settings`: creation and closing of incidents by alerts (`ALRT-10`).

use actix_web::HttpResponse;
use alert_intake::model::{IncidentSettings, MAX_INCIDENT_TEMPLATE, Severity, SeveritySet};
use api_conventions::error::ApiError;
use api_conventions::params::Params;
use gatehouse_core::flows::incidents::{IncidentSettingsEdit, change_settings, settings_of};
use serde::Serialize;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Parameter, ParameterKind, ResponseSpec, get, put};

use super::TAG;
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Developer, Maintainer, ReadApi, WriteApi};

const SETTINGS: &str = "/api/v4/projects/{id}/incident_management_settings";

const CREATE: Parameter = Parameter::body(
    "create_incidents",
    ParameterKind::Boolean,
    "True to create an incident for each new alert with one of the severities.",
);
const SEVERITIES: Parameter = Parameter::body(
    "severities",
    ParameterKind::Words(&Severity::NAMES),
    "Severities of the alerts for which incidents are created.",
);
/// The document states the bound of the domain.
const _: () = assert!(MAX_INCIDENT_TEMPLATE == 50_000);

const TEMPLATE: Parameter = Parameter::body(
    "template",
    ParameterKind::Text {
        min: 0,
        max: 50_000,
    },
    "Markdown appended to the description of each incident that is created from an alert.",
);
const CLOSE: Parameter = Parameter::body(
    "auto_close_incidents",
    ParameterKind::Boolean,
    "True to close an incident when the last of its open alerts is resolved.",
);

/// Settings in a response.
#[derive(Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "IncidentManagementSettings")]
struct IncidentSettingsJson {
    /// True if intake creates an incident for each new alert with one of the severities.
    create_incidents: bool,
    /// Severities of the alerts for which incidents are created, from least to most critical.
    severities: Vec<&'static str>,
    /// Markdown appended to the description of each incident that is created from an alert.
    template: String,
    /// True if an incident closes when the last of its open alerts is resolved.
    auto_close_incidents: bool,
}

impl From<IncidentSettings> for IncidentSettingsJson {
    fn from(settings: IncidentSettings) -> Self {
        Self {
            create_incidents: settings.create_incidents,
            severities: settings
                .severities
                .severities()
                .map(Severity::as_str)
                .collect(),
            template: settings.template,
            auto_close_incidents: settings.close_incidents,
        }
    }
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let json = || ResponseSpec::json::<IncidentSettingsJson>(200, "The settings.");
    vec![
        get("showIncidentSettings", SETTINGS, show)
            .documented(TAG, "Get the settings for incidents of alerts")
            .takes([PROJECT])
            .response(json()),
        put("updateIncidentSettings", SETTINGS, update)
            .documented(TAG, "Update the settings for incidents of alerts")
            .takes([PROJECT, CREATE, SEVERITIES, TEMPLATE, CLOSE])
            .response(json()),
    ]
}

/// Parses the parameters of a request.
fn read_edit(params: &Params) -> Result<IncidentSettingsEdit, ApiError> {
    let mut read = params.reader();
    read.demand_one_of(&[CREATE.name, SEVERITIES.name, TEMPLATE.name, CLOSE.name]);
    let has_severities = read.is_given(SEVERITIES.name);
    let severities: SeveritySet = read
        .words(SEVERITIES.name, Severity::parse)
        .into_iter()
        .collect();
    if has_severities && severities.bits() == 0 {
        read.fault(
            SEVERITIES.name,
            "is empty; set create_incidents to false to create no incidents",
        );
    }
    let edit = IncidentSettingsEdit {
        create_incidents: read.boolean(CREATE.name),
        severities: has_severities.then_some(severities),
        template: read.text(TEMPLATE.name),
        close_incidents: read.boolean(CLOSE.name),
    };
    if let Some(problem) = edit.template.as_deref().and_then(template_problem) {
        read.fault(TEMPLATE.name, &problem);
    }
    read.finish()?;
    Ok(edit)
}

/// Returns the reason why a template is refused.
pub(super) fn template_problem(text: &str) -> Option<String> {
    if text.contains('\0') {
        return Some("contains a NUL character".to_owned());
    }
    (text.chars().count() > MAX_INCIDENT_TEMPLATE)
        .then(|| format!("is too long (maximum is {MAX_INCIDENT_TEMPLATE} characters)"))
}

async fn show(request: InProject<Developer, ReadApi>) -> Result<HttpResponse, Failure> {
    let found = request.read(|tx, project| Ok(settings_of(tx, project.id)?));
    let (settings, _) = found.await?;
    request.json(&IncidentSettingsJson::from(settings))
}

async fn update(request: InProject<Maintainer, WriteApi>) -> Result<HttpResponse, Failure> {
    let edit = read_edit(request.params())?;
    let actor = request.actor();
    let changed =
        request.write(move |tx, project| Ok(change_settings(tx, project.id, &edit, actor)?));
    let (settings, _) = changed.await?;
    request.json(&IncidentSettingsJson::from(settings))
}
