//! Page of the mapping of an alert endpoint: a sample payload, its fields, the mapping, and a preview.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use alert_intake::flow::integrations::IntegrationUpdate;
use alert_intake::model::{
    AlertFilter, FieldMapping, IncomingAlert, Integration, IntegrationSettings, Source,
};
use alert_intake::payload::{ParseContext, PayloadError, parse};
use alert_intake::rules::mapping::{SampleField, path_text};
use api_conventions::error::ApiError;
use api_conventions::page::OffsetPage;
use askama::Template;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::endpoints::update_endpoint;
use storage::StoreError;
use web_conventions::failure::Failure;

use super::super::integrations::sample_fields;
use super::endpoint::{endpoint_of, identifier};
use super::endpoint_change::{EndpointManagers, actor_of, refused};
use super::endpoint_form::{FieldRow, mapping_of, read_rows, rows_of};
use super::endpoints::{EndpointViewers, path_of};
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::notice::Notice;
use crate::frame::page::pill::Pill;
use crate::frame::page::project::{Need, ProjectContext, ProjectForm, ProjectPage};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::scopes::Maintainer;

/// Longest shown sample, in characters.
const MAX_SAMPLE: usize = 100_000;

/// Alerts among which the newest of the endpoint is looked for.
const NEWEST: u64 = 50;

/// Field of a sample.
struct SampleRow {
    path: String,
    kind: &'static str,
    value: String,
}

impl From<SampleField> for SampleRow {
    fn from(field: SampleField) -> Self {
        Self {
            path: path_text(&field.path),
            kind: field.kind.as_str(),
            value: field.value,
        }
    }
}

/// Alert that a sample would be.
struct PreviewAlert {
    title: String,
    severity: Pill,
    /// Other fields with their values, without empty ones.
    facts: Vec<(&'static str, String)>,
}

#[derive(Template)]
#[template(path = "areas/alerts/mapping.html")]
struct MappingPage {
    shell: Shell,
    path: String,
    name: DisplayName,
    may_change: bool,
    sample: String,
    fields: Vec<SampleRow>,
    rows: Vec<FieldRow>,
    preview: Option<Vec<PreviewAlert>>,
    notes: Vec<String>,
    problem: Option<String>,
}

/// Content of the form.
struct MappingInput {
    sample: String,
    rows: Vec<FieldRow>,
    problem: Option<String>,
}

/// Responds with the page; the sample is the payload of the newest alert that the endpoint received.
pub(super) async fn show(page: ProjectPage<EndpointViewers>) -> Result<HttpResponse, PageFailure> {
    let identifier = identifier(&page)?;
    let read = page.read(move |tx, found| {
        let endpoint = endpoint_of(tx, found, &identifier)?;
        let sample = newest_payload(tx, &endpoint)?;
        Ok((endpoint, sample))
    });
    let ((endpoint, sample), found) = read.await?;
    let input = MappingInput {
        sample: sample.chars().take(MAX_SAMPLE).collect(),
        rows: rows_of(&endpoint.settings.mapping),
        problem: None,
    };
    page.show(&mapping_page(&page, &found, &endpoint, input)?)
}

/// Shows what the mapping makes of the sample, or stores it.
pub(super) async fn submit(
    form: ProjectForm<EndpointManagers>,
) -> Result<HttpResponse, PageFailure> {
    let identifier = identifier(&form)?;
    let rows = read_rows(&form.form);
    let sample = form.form.text("sample").replace("\r\n", "\n");
    let (mapping, by) = (mapping_of(&rows), actor_of(&form)?);
    let is_saved = form.form.text("event") == "save";
    let sent = mapping.clone().ok().filter(|_| is_saved);
    let written = form.write(move |tx, found| {
        let endpoint = endpoint_of(tx, found, &identifier)?;
        let Some(mapping) = sent.clone() else {
            return Ok((endpoint, false));
        };
        let update = IntegrationUpdate {
            mapping: Some(mapping),
            ..IntegrationUpdate::default()
        };
        let changed = update_endpoint(tx, endpoint.project_id, endpoint.id, &update, by);
        Ok::<_, Failure>((changed.map_err(refused)?, true))
    });
    let (written, found) = written.await?;
    let (endpoint, is_stored) =
        written.map_err(|failure| form.sign_in_if_hidden(failure.into()))?;
    if is_stored {
        return Ok(form.redirect_with_notice(&path_of(&found, &endpoint), Notice::EndpointChanged));
    }
    let (status, problem) = match mapping {
        Ok(_) => (StatusCode::OK, None),
        Err(problem) => (StatusCode::UNPROCESSABLE_ENTITY, Some(problem)),
    };
    let input = MappingInput {
        sample,
        rows,
        problem,
    };
    form.show_with(status, &mapping_page(&form, &found, &endpoint, input)?)
}

/// Returns the payload of the newest alert of an endpoint, among the newest of the project.
fn newest_payload(
    tx: &mut dyn ReadTransaction,
    endpoint: &Integration,
) -> Result<String, StoreError> {
    let filter = AlertFilter::new(endpoint.project_id);
    let newest = tx.list_alerts(&filter, OffsetPage::new(1, NEWEST))?.items;
    let of_endpoint = newest
        .into_iter()
        .find(|alert| alert.integration_id == endpoint.id);
    let Some(alert) = of_endpoint else {
        return Ok(String::new());
    };
    let alert = tx.find_alert(alert.project_id, alert.iid)?;
    let payload = alert
        .map(|alert| alert.latest_payload.unwrap_or(alert.payload))
        .unwrap_or_default();
    let tree: Result<serde_json::Value, _> = serde_json::from_str(&payload);
    Ok(tree
        .and_then(|tree| serde_json::to_string_pretty(&tree))
        .unwrap_or(payload))
}

fn mapping_page<N: Need>(
    page: &ProjectPage<N>,
    found: &ProjectContext,
    endpoint: &Integration,
    mut input: MappingInput,
) -> Result<MappingPage, PageFailure> {
    if endpoint.source == Source::Metrics {
        return Err(ApiError::not_found("Mapping").into());
    }
    let mut fields = Vec::new();
    let (mut preview, mut notes) = (None, Vec::new());
    if !input.sample.trim().is_empty() {
        match sample_fields(&input.sample) {
            Ok(found) => fields = found.into_iter().map(SampleRow::from).collect(),
            Err(error) => input.problem = input.problem.or(Some(error.sentence())),
        }
        let mapping = mapping_of(&input.rows).unwrap_or_default();
        if let Ok(read) = preview_of(page, endpoint, mapping, &input.sample) {
            (preview, notes) = (Some(read.0), read.1);
        }
    }
    let name = DisplayName::of(&endpoint.name);
    let title = format!("Mapping of {}", name.isolated());
    Ok(MappingPage {
        shell: page.shell(found, Section::Settings, &title),
        path: path_of(found, endpoint),
        name,
        may_change: found.allows::<Maintainer>(),
        sample: input.sample,
        fields,
        rows: input.rows,
        preview,
        notes,
        problem: input.problem,
    })
}

/// Returns the alerts that a sample would be with a mapping, and the notes of its receipt.
fn preview_of<N: Need>(
    page: &ProjectPage<N>,
    endpoint: &Integration,
    mapping: FieldMapping,
    sample: &str,
) -> Result<(Vec<PreviewAlert>, Vec<String>), PayloadError> {
    let mut context =
        ParseContext::from_parts(endpoint.project_id, endpoint.id, page.now(), [0; 16]);
    context
        .service_word
        .clone_from(&page.state().settings.naming.service);
    context.settings = IntegrationSettings {
        mapping,
        ..endpoint.settings.clone()
    };
    let delivery = parse(sample.as_bytes(), endpoint.source, &context)?;
    let alerts = delivery.alerts.into_iter().take(10).map(PreviewAlert::from);
    Ok((alerts.collect(), delivery.context.notes))
}

impl From<IncomingAlert> for PreviewAlert {
    fn from(alert: IncomingAlert) -> Self {
        let time =
            |time: Option<api_conventions::time::Timestamp>| time.map(|time| time.to_string());
        let state = if alert.resolved_at.is_some() {
            "Resolved"
        } else {
            "Firing"
        };
        let facts = [
            ("State", state.to_owned()),
            ("Description", alert.description),
            ("Start", time(alert.started_at).unwrap_or_default()),
            ("End", time(alert.resolved_at).unwrap_or_default()),
            ("Service", alert.service),
            ("Monitoring tool", alert.monitoring_tool),
            ("Hosts", alert.hosts.join(", ")),
            ("Environment", alert.environment_name.unwrap_or_default()),
        ];
        Self {
            title: alert.title,
            severity: alert.severity.into(),
            facts: facts
                .into_iter()
                .filter(|(_, value)| !value.is_empty())
                .collect(),
        }
    }
}
