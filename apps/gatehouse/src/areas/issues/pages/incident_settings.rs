//! Settings of a project for incidents of alerts.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use alert_intake::model::{IncidentSettings, Severity, SeveritySet};
use askama::Template;
use gatehouse_core::flows::incidents::{IncidentSettingsEdit, change_settings, settings_of};
use storage::StoreError;

use crate::areas::issues::incident_settings::template_problem;
use crate::frame::form::PageForm;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::list::{Tab, sentence_case};
use crate::frame::page::notice::Notice;
use crate::frame::page::project::{ProjectContext, ProjectForm, ProjectPage, RoleOrNotFound};
use crate::frame::page::settings_tabs::{self, SettingsTab};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::scopes::Maintainer;

/// Path of the page.
pub(super) const PATH: &str = "/{project}/-/settings/incidents";

/// Users who can view and change the settings on the page.
type IncidentSettingsManagers = RoleOrNotFound<Maintainer>;

/// A severity that can be chosen.
struct SeverityChoice {
    word: &'static str,
    name: String,
    is_ticked: bool,
}

#[derive(Template)]
#[template(path = "areas/issues/incident_settings.html")]
struct IncidentSettingsPage {
    shell: Shell,
    tabs: Vec<Tab>,
    path: String,
    incidents: String,
    creates: bool,
    severities: Vec<SeverityChoice>,
    template: String,
    closes: bool,
    severities_wrong: Vec<String>,
    template_wrong: Vec<String>,
}

/// Problems of submitted values, by field.
#[derive(Debug, Default)]
struct IncidentSettingsProblems {
    severities: Vec<String>,
    template: Vec<String>,
}

/// Answers with the page.
pub(super) async fn show(
    page: ProjectPage<IncidentSettingsManagers>,
) -> Result<HttpResponse, PageFailure> {
    let read = page.read(|tx, found| Ok(settings_of(tx, found.project.id)?));
    let (settings, found) = read.await?;
    let problems = IncidentSettingsProblems::default();
    page.show(&view(&page, &found, settings, problems))
}

/// Stores the settings, and redirects to the page.
pub(super) async fn change(
    form: ProjectForm<IncidentSettingsManagers>,
) -> Result<HttpResponse, PageFailure> {
    let (edit, problems) = read_edit(&form.form);
    if !problems.severities.is_empty() || !problems.template.is_empty() {
        let read = form.read(|tx, found| Ok(settings_of(tx, found.project.id)?));
        let (settings, found) = read.await?;
        let shown = view(&form, &found, edit.apply(settings), problems);
        return form.show_with(StatusCode::UNPROCESSABLE_ENTITY, &shown);
    }
    let actor = form.actor()?;
    let changed = form.write(move |tx, found| change_settings(tx, found.project.id, &edit, actor));
    let (changed, found): (Result<_, StoreError>, _) = changed.await?;
    changed?;
    Ok(form.redirect_with_notice(&path_of(&found), Notice::IncidentSettingsSaved))
}

/// Parses the submitted values.
fn read_edit(form: &PageForm) -> (IncidentSettingsEdit, IncidentSettingsProblems) {
    let words = form.words("severities");
    let chosen = words.into_iter().filter_map(Severity::parse);
    let severities: SeveritySet = chosen.collect();
    let template = form.text("template").replace("\r\n", "\n");
    let mut problems = IncidentSettingsProblems::default();
    if severities.bits() == 0 {
        let text = "Choose at least one severity. To create no incidents, clear the first box.";
        problems.severities.push(text.to_owned());
    }
    if let Some(problem) = template_problem(&template) {
        problems.template.push(format!("The template {problem}."));
    }
    let edit = IncidentSettingsEdit {
        create_incidents: Some(form.is_ticked("create_incidents")),
        severities: Some(severities),
        template: Some(template),
        close_incidents: Some(form.is_ticked("auto_close_incidents")),
    };
    (edit, problems)
}

fn view(
    page: &ProjectPage<IncidentSettingsManagers>,
    found: &ProjectContext,
    settings: IncidentSettings,
    problems: IncidentSettingsProblems,
) -> IncidentSettingsPage {
    let choice = |severity: Severity| SeverityChoice {
        word: severity.as_str(),
        name: sentence_case(severity.as_str()),
        is_ticked: settings.severities.contains(severity),
    };
    IncidentSettingsPage {
        shell: page.shell(found, Section::Settings, "Incidents"),
        tabs: settings_tabs::tabs(found, SettingsTab::Incidents),
        path: path_of(found),
        incidents: format!("{}/-/issues?issue_type=incident", found.path()),
        creates: settings.create_incidents,
        severities: Severity::ALL.into_iter().rev().map(choice).collect(),
        template: settings.template,
        closes: settings.close_incidents,
        severities_wrong: problems.severities,
        template_wrong: problems.template,
    }
}

fn path_of(found: &ProjectContext) -> String {
    format!("{}/-/settings/incidents", found.path())
}
