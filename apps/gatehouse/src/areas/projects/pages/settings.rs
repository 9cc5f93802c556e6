//! General settings page of a project: name, visibility, archiving, transfer and deletion.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ValidationFailures;
use askama::Template;
use gatehouse_core::flows::deletion::LEAST_DELAY_SECONDS;
use gatehouse_core::flows::groups::Actor;
use gatehouse_core::flows::projects::change_project;

use super::fields::{ProjectFormErrors, ProjectFormValues, refused};
use super::namespaces::NamespaceChoices;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::list::{Choice, Tab};
use crate::frame::page::notice::Notice;
use crate::frame::page::pill::Pill;
use crate::frame::page::project::{Need, ProjectContext, ProjectForm, ProjectPage, RoleOrNotFound};
use crate::frame::page::settings_tabs;
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::scopes::{Maintainer, Owner};

/// Users who can view the page.
pub(super) type Managers = RoleOrNotFound<Maintainer>;

/// Submitted form of the page, with its errors.
/// The page has several forms, of which one was sent.
#[derive(Debug, Default)]
pub(super) struct SubmittedSettings<'a> {
    /// Entered values of the project.
    pub(super) written: ProjectFormValues,
    /// Id of the namespace to which to transfer the project.
    pub(super) namespace: &'a str,
    /// Path that the user typed to confirm the deletion.
    pub(super) confirm: &'a str,
    /// Error messages for the project's values and the confirmation.
    pub(super) wrong: ProjectFormErrors,
    /// Error messages for the transfer.
    pub(super) move_wrong: Vec<String>,
    /// True if the project's values were not saved.
    pub(super) is_wrong: bool,
}

/// Actions for Owners.
struct OwnerActions {
    offered: NamespaceChoices,
    /// Time at which the project would be deleted.
    gone: DisplayTime,
}

#[derive(Template)]
#[template(path = "areas/projects/project_settings.html")]
struct SettingsPage<'a> {
    shell: Shell,
    tabs: Vec<Tab>,
    path: String,
    full_path: String,
    /// Path of the archive download, below the root of the server.
    export: String,
    visibility: Pill,
    visibilities: Vec<Choice>,
    is_archived: bool,
    upkeep: Option<OwnerActions>,
    sent: SubmittedSettings<'a>,
}

/// Answers with the page.
pub(super) async fn show(page: ProjectPage<Managers>) -> Result<HttpResponse, PageFailure> {
    answer(&page, StatusCode::OK, SubmittedSettings::default()).await
}

/// Saves the project's values.
pub(super) async fn change(form: ProjectForm<Managers>) -> Result<HttpResponse, PageFailure> {
    let written = ProjectFormValues::from_form(&form.form);
    let edit = match written.edit() {
        Ok(edit) => edit,
        Err(failures) => return refuse(&form, written, &failures).await,
    };
    let by = actor(&form)?;
    let saved =
        form.write(move |tx, found| change_project(tx, found.project.id, &edit, found.access, by));
    match saved.await?.0 {
        Ok(project) => {
            let path = format!("/{}/-/settings", project.full_path.as_str());
            Ok(form.redirect_with_notice(&path, Notice::ProjectSaved))
        }
        Err(error) => refuse(&form, written, &refused(error)?).await,
    }
}

async fn refuse(
    form: &ProjectForm<Managers>,
    written: ProjectFormValues,
    failures: &ValidationFailures,
) -> Result<HttpResponse, PageFailure> {
    let sent = SubmittedSettings {
        written,
        wrong: ProjectFormErrors::new(failures),
        is_wrong: true,
        ..SubmittedSettings::default()
    };
    answer(form, StatusCode::UNPROCESSABLE_ENTITY, sent).await
}

/// Sender of a form, as the actor of a flow.
pub(super) fn actor<N: Need>(form: &ProjectForm<N>) -> Result<Actor, PageFailure> {
    Ok(Actor {
        id: form.actor_id()?,
        viewer: form.viewer(),
        now: form.now(),
    })
}

/// Answers with the page, and with the errors of a submitted form.
pub(super) async fn answer<N: Need>(
    page: &ProjectPage<N>,
    status: StatusCode,
    sent: SubmittedSettings<'_>,
) -> Result<HttpResponse, PageFailure> {
    let (viewer, now) = (page.viewer(), page.now());
    let read = page.read(move |tx, found: &ProjectContext| {
        let user = viewer.user_id().filter(|_| found.allows::<Owner>());
        let by = user.map(|id| Actor { id, viewer, now });
        let offered = by.map(|by| NamespaceChoices::read(tx, by, None));
        Ok(offered.transpose()?)
    });
    let (offered, found) = read.await?;
    let project = &found.project;
    let delay = page.state().settings.projects.deletion_delay_seconds;
    let upkeep = offered.map(|offered| OwnerActions {
        offered: offered.without(project.namespace.id),
        gone: DisplayTime::of(now.plus_seconds(delay.max(LEAST_DELAY_SECONDS))),
    });
    let written = sent.written.over(project);
    page.show_with(
        status,
        &SettingsPage {
            shell: page.shell(&found, Section::Settings, "Settings"),
            tabs: settings_tabs::tabs(&found, settings_tabs::SettingsTab::General),
            path: found.path(),
            full_path: project.full_path.as_str().to_owned(),
            export: format!("/api/v4/projects/{}/export/download", project.id),
            visibility: project.visibility.into(),
            visibilities: written.visibilities(),
            is_archived: project.archived,
            upkeep,
            sent: SubmittedSettings { written, ..sent },
        },
    )
}
