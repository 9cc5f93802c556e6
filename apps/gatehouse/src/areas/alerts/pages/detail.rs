//! Page of one alert: its details, its status, and the actions on it.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use alert_intake::flow::active_silences::ActiveSilences;
use alert_intake::model::{Alert, AlertStatus, Severity, Silence};
use alert_intake::rules::details;
use alert_intake::rules::exact::ExactJson;
use alert_intake::rules::labels::labels_of;
use api_conventions::error::ApiError;
use api_conventions::ids::AlertIid;
use api_conventions::page::{OffsetPage, SortOrder};
use api_conventions::time::Timestamp;
use askama::Template;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::change_alert::status_note;
use gatehouse_core::flows::incidents::incident_of;
use gatehouse_core::flows::notes::on_alert;
use projects::{NoteActivity, NoteFilter};
use storage::StoreError;

use super::list::marks;
use super::silences;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::{DisplayTime, counted};
use crate::frame::page::list::{Choice, ListQuery, Pager, count};
use crate::frame::page::pill::Pill;
use crate::frame::page::project::{ProjectContext, ProjectPage, RoleOrNotFound};
use crate::frame::page::prose::render;
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::page::timeline::{Timeline, TimelineEntry, seen_notes};
use crate::frame::scopes::Developer;

/// Longest part of a payload that a page shows, in characters.
/// The API returns the whole payload.
const MAX_PAYLOAD_CHARS: usize = 16_000;

/// Status change offered on the page.
struct StatusAction {
    status: &'static str,
    name: &'static str,
    is_primary: bool,
}

/// Labels or annotations of the payload.
struct AttributeList {
    id: &'static str,
    title: &'static str,
    pairs: Vec<(String, String)>,
}

/// A payload as JSON for people, up to [`MAX_PAYLOAD_CHARS`].
struct PayloadText {
    text: String,
    is_cut: bool,
}

impl PayloadText {
    fn of(payload: &ExactJson) -> Self {
        let whole = serde_json::to_string_pretty(payload).unwrap_or_default();
        let text: String = whole.chars().take(MAX_PAYLOAD_CHARS).collect();
        Self {
            is_cut: text.len() < whole.len(),
            text,
        }
    }
}

/// Silence that hides an alert.
struct SilenceEntry {
    until: DisplayTime,
    created_by: String,
    comment: String,
}

#[derive(Template)]
#[template(path = "areas/alerts/alert.html")]
struct AlertPage {
    shell: Shell,
    list: String,
    action: String,
    problem: Option<String>,
    severity: Pill,
    status: Pill,
    /// Other states: flapping, stale.
    marks: Vec<Pill>,
    /// Number of flaps in a row; `None` without one.
    flaps: Option<String>,
    /// Silences that hide the alert.
    silenced: Vec<SilenceEntry>,
    /// Path of the silences of the project.
    silences: String,
    /// Time since which the alert is stale.
    stale: Option<DisplayTime>,
    actions: Vec<StatusAction>,
    title: DisplayName,
    description: String,
    iid: String,
    started: DisplayTime,
    ended: Option<DisplayTime>,
    latest: DisplayTime,
    latest_is_stated: bool,
    received: DisplayTime,
    changed: DisplayTime,
    occurrences: String,
    deliveries: String,
    service: String,
    tool: String,
    hosts: Vec<String>,
    environment: Option<String>,
    /// Path of the page of the environment.
    environment_page: String,
    runbook: Option<String>,
    source: Option<String>,
    metric_query: Option<String>,
    /// Label of the y-axis of the metric.
    y_label: Option<String>,
    /// Labels and annotations of the payload.
    attributes: Vec<AttributeList>,
    /// Other web links of the payload, with their names.
    links: Vec<(String, String)>,
    payload: PayloadText,
    /// Payload that opened the alert, if the newest report says something else.
    first_payload: Option<PayloadText>,
    api: String,
    notes: Vec<TimelineEntry>,
    note_count: String,
    pager: Pager,
    /// Number, address and state of the incident.
    incident: Option<(String, String, Pill)>,
    /// Address of the form that creates, links and unlinks the incident.
    incident_action: String,
    /// User who set the status, and the time of the change; `None` if a delivery set it.
    changed_by: Option<(DisplayName, DisplayTime)>,
    assignee: Option<DisplayName>,
    /// Address of the form for comments.
    comments: String,
    is_mine: bool,
    severities: Vec<Choice>,
}

pub(super) type DeveloperPage = ProjectPage<RoleOrNotFound<Developer>>;

/// Responds with the page of an alert.
pub(super) async fn show(page: DeveloperPage) -> Result<HttpResponse, PageFailure> {
    answer(&page, StatusCode::OK, None).await
}

pub(super) async fn answer(
    page: &DeveloperPage,
    status: StatusCode,
    problem: Option<String>,
) -> Result<HttpResponse, PageFailure> {
    let iid = AlertIid::new(page.number("iid")?);
    let query = ListQuery::of(page.request())?;
    let (paging, now) = (query.paging()?, page.now());
    let read = page.read(move |tx, found| {
        let alert = tx.find_alert(found.project.id, iid)?;
        let alert = alert.ok_or_else(|| ApiError::not_found("Alert"))?;
        let on = on_alert(&alert.summary);
        let timeline = Timeline::read(tx, &seen_notes(on, found), paging)?;
        let changed_by = last_change(tx, &alert, found)?;
        let assignee = match alert.summary.assignee_id {
            Some(id) => tx.find_user(id)?,
            None => None,
        };
        let incident = incident_of(tx, &alert)?;
        let silences = silences_of(tx, &alert, now)?;
        Ok((alert, timeline, changed_by, assignee, incident, silences))
    });
    let ((alert, timeline, changed_by, assignee, incident, silences), found) = read.await?;
    let alert_is_mine = assignee.as_ref().map(|user| user.id) == page.viewer().user_id();
    let prose = render(page, timeline.texts().collect()).await?;
    let mut shown = alert_page(page, &found, alert, problem);
    shown.notes = timeline.entries(prose.into_iter(), page.viewer(), &found, page.now());
    shown.note_count = count(timeline.notes.total);
    shown.pager = Pager::new(&query.with_path(&shown.action), paging, &timeline.notes);
    shown.changed_by =
        changed_by.map(|(name, time)| (DisplayName::of(&name), DisplayTime::at(time, page.now())));
    if !silences.is_empty() {
        shown.marks.insert(0, Pill::SILENCED);
    }
    shown.silenced = silences
        .iter()
        .map(|it| SilenceEntry::new(it, now))
        .collect();
    shown.is_mine = alert_is_mine;
    shown.assignee = assignee.map(|user| DisplayName::of(&user.name));
    shown.incident = incident.map(|issue| {
        let path = format!("{}/-/issues/{}", found.path(), issue.iid);
        (format!("#{}", issue.iid), path, issue.state().into())
    });
    page.show_with(status, &shown)
}

/// Returns the active silences that hide an open alert.
fn silences_of(
    tx: &mut dyn ReadTransaction,
    alert: &Alert,
    now: Timestamp,
) -> Result<Vec<Silence>, StoreError> {
    let project = alert.summary.project_id;
    if !alert.summary.status.is_open() {
        return Ok(Vec::new());
    }
    let silences = ActiveSilences::of_projects(tx, &[project], now)?;
    let labels = labels_of(alert);
    Ok(silences.hiding(project, &labels).cloned().collect())
}

impl SilenceEntry {
    fn new(silence: &Silence, now: Timestamp) -> Self {
        let content = &silence.content;
        Self {
            until: DisplayTime::at(content.ends_at, now),
            created_by: content.created_by.clone(),
            comment: content.comment.clone(),
        }
    }
}

/// Finds the user who set the status of an alert, and the time of the change; `None` if a delivery set it.
fn last_change(
    tx: &mut dyn ReadTransaction,
    alert: &Alert,
    found: &ProjectContext,
) -> Result<Option<(String, Timestamp)>, StoreError> {
    let changes = NoteFilter {
        activity: NoteActivity::Activity,
        sort: SortOrder::Descending,
        ..seen_notes(on_alert(&alert.summary), found)
    };
    let latest = tx.list_notes(&changes, OffsetPage::new(1, 20))?.items;
    let status = status_note(alert.summary.status);
    // Notes about other attributes say nothing about the status.
    let mut latest = latest.into_iter();
    let note = latest.find(|note| note.body.starts_with("changed the status to "));
    let note = note.filter(|note| note.body == status);
    let Some(note) = note else {
        return Ok(None);
    };
    let author = tx.find_user(note.author_id)?;
    let name = author.map_or_else(|| "A deleted user".to_owned(), |user| user.name);
    Ok(Some((name, note.created_at)))
}

/// Status changes available from a status, the most common one first.
fn actions(status: AlertStatus) -> Vec<StatusAction> {
    let action = |status, name, is_primary| StatusAction {
        status,
        name,
        is_primary,
    };
    let acknowledge = |is_primary| action("acknowledged", "Acknowledge", is_primary);
    let resolve = |is_primary| action("resolved", "Mark as resolved", is_primary);
    let ignore = || action("ignored", "Ignore", false);
    let reopen = || action("triggered", "Reopen", false);
    match status {
        AlertStatus::Triggered => vec![acknowledge(true), resolve(false), ignore()],
        AlertStatus::Acknowledged => vec![resolve(true), ignore(), reopen()],
        AlertStatus::Resolved { .. } => vec![reopen()],
        AlertStatus::Ignored => vec![reopen(), resolve(false)],
    }
}

/// Lists of the page, without empty ones.
fn attributes(
    labels: Vec<(String, String)>,
    annotations: Vec<(String, String)>,
) -> Vec<AttributeList> {
    let list = |id, title, pairs| AttributeList { id, title, pairs };
    let mut lists = vec![
        list("labels", "Labels", labels),
        list("annotations", "Annotations", annotations),
    ];
    lists.retain(|list| !list.pairs.is_empty());
    lists
}

fn alert_page(
    page: &DeveloperPage,
    found: &ProjectContext,
    alert: Alert,
    problem: Option<String>,
) -> AlertPage {
    let (now, path) = (page.now(), found.path());
    let word = &page.state().settings.naming.service;
    let details = details::of(alert.newest_payload(), alert.summary.source, word);
    let first = alert.latest_payload.is_some().then_some(&alert.payload);
    let first = first.map(|first| PayloadText::of(&details::payload_of(first)));
    let known = [details.runbook.as_deref(), details.generator_url.as_deref()];
    let is_other = |(_, link): &(String, String)| !known.contains(&Some(link.as_str()));
    let links = details.links.into_iter().filter(is_other).collect();
    let summary = alert.summary;
    let title = DisplayName::of(&summary.title);
    let number = |number: i64| u64::try_from(number).unwrap_or_default();
    let list = format!("{path}/-/alert_management");
    AlertPage {
        shell: page.shell(found, Section::Alerts, &title.isolated()),
        action: format!("{list}/{}/details", summary.iid),
        comments: format!("{list}/{}/notes", summary.iid),
        incident: None,
        incident_action: format!("{list}/{}/incident", summary.iid),
        list,
        problem,
        severity: summary.severity.into(),
        status: summary.status.into(),
        marks: marks(&summary, now),
        silenced: Vec::new(),
        silences: silences::path_of(found),
        flaps: (summary.flaps > 0).then(|| counted(number(summary.flaps), "time", "times")),
        stale: summary
            .stale_at
            .filter(|_| summary.is_stale(now))
            .map(|at| DisplayTime::at(at, now)),
        actions: actions(summary.status),
        title,
        description: summary.description,
        iid: summary.iid.to_string(),
        started: DisplayTime::at(summary.started_at, now),
        ended: summary
            .status
            .ended_at()
            .map(|end| DisplayTime::at(end, now)),
        latest: DisplayTime::at(summary.last_start.at, now),
        latest_is_stated: summary.last_start.is_stated,
        received: DisplayTime::at(summary.created_at, now),
        changed: DisplayTime::at(summary.updated_at, now),
        occurrences: counted(number(summary.occurrences), "time", "times"),
        deliveries: counted(number(summary.deliveries), "delivery", "deliveries"),
        service: summary.service,
        tool: summary.monitoring_tool,
        hosts: summary.hosts,
        environment_page: ListQuery::empty(&format!("{path}/-/environments/named")).with(&[(
            "name",
            summary.environment_name.as_deref().unwrap_or_default(),
        )]),
        environment: summary.environment_name,
        runbook: details.runbook,
        source: details.generator_url,
        metric_query: details.metric_query,
        y_label: details.y_label,
        attributes: attributes(details.labels, details.annotations),
        links,
        payload: PayloadText::of(&details.payload),
        first_payload: first,
        api: format!(
            "/api/v4/projects/{}/alert_management_alerts/{}",
            found.project.id, summary.iid
        ),
        notes: Vec::new(),
        note_count: String::new(),
        pager: Pager {
            shown: String::new(),
            previous: None,
            next: None,
            is_part: false,
        },
        changed_by: None,
        assignee: None,
        is_mine: false,
        severities: Choice::all(&Severity::NAMES, summary.severity.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use alert_intake::flow::set_status::RequestedStatus;
    use api_conventions::time::Timestamp;

    use super::*;

    #[test]
    fn actions_skip_the_current_status_and_one_is_primary_while_firing() {
        let ended_at = Timestamp::MIN;
        for status in [
            AlertStatus::Triggered,
            AlertStatus::Acknowledged,
            AlertStatus::Resolved { ended_at },
            AlertStatus::Ignored,
        ] {
            let offered = actions(status);
            assert!(
                offered
                    .iter()
                    .all(|action| action.status != status.as_str())
            );
            assert!(
                offered
                    .iter()
                    .all(|action| RequestedStatus::parse(action.status).is_some())
            );
            let primary = offered.iter().filter(|action| action.is_primary).count();
            let fires = matches!(status, AlertStatus::Triggered | AlertStatus::Acknowledged);
            assert_eq!(primary, usize::from(fires));
        }
    }
}
