//! Owner actions on a project as a whole: archive, transfer, delete.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ValidationFailures;
use api_conventions::ids::NamespaceId;
use gatehouse_core::flows::deletion::{DeletionSchedule, delete_project};
use gatehouse_core::flows::projects::{archive_project, move_project};
use projects::flow::error::NamespaceError;

use super::fields::{ProjectFormErrors, refused};
use super::pending_deletion;
use super::settings::{Managers, SubmittedSettings, actor, answer};
use crate::frame::page::answer::see_other;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::field_failures::check_name;
use crate::frame::page::notice::Notice;
use crate::frame::page::project::{And, ProjectForm, RoleOrForbidden};
use crate::frame::scopes::Owner;

/// A form for Owners.
/// Maintainers can view the page, but get a refusal.
type OwnerForm = ProjectForm<And<Managers, RoleOrForbidden<Owner>>>;

/// Archives or unarchives the project.
pub(super) async fn archive(form: OwnerForm) -> Result<HttpResponse, PageFailure> {
    let (archived, notice) = match form.form.text("archived") {
        "true" => (true, Notice::ProjectArchived),
        "false" => (false, Notice::ProjectUnarchived),
        _ => {
            return Err(PageFailure::bad_request(
                "The form has no known action. Reload the page and try again.",
            ));
        }
    };
    let by = actor(&form)?;
    let changed = form.write(move |tx, found| archive_project(tx, found.project.id, archived, by));
    let (changed, found) = changed.await?;
    if let Err(error) = changed {
        refused(error)?;
        return Err(PageFailure::bad_request(
            "The project has invalid settings. Correct and save them first.",
        ));
    }
    Ok(form.redirect_with_notice(&format!("{}/-/settings", found.path()), notice))
}

/// Moves the project into another namespace.
pub(super) async fn transfer(form: OwnerForm) -> Result<HttpResponse, PageFailure> {
    let typed = form.form.text("namespace_id").trim().to_owned();
    let Ok(to) = typed.parse().map(NamespaceId::new) else {
        let error = NamespaceError::of("namespace", "is not valid");
        return refuse_move(&form, &typed, error).await;
    };
    let by = actor(&form)?;
    let moved = form.write(move |tx, found| move_project(tx, found.project.id, to, by));
    match moved.await?.0 {
        Ok(project) => {
            let path = format!("/{}/-/settings", project.full_path.as_str());
            Ok(form.redirect_with_notice(&path, Notice::ProjectTransferred))
        }
        Err(error) => refuse_move(&form, &typed, error).await,
    }
}

async fn refuse_move(
    form: &OwnerForm,
    typed: &str,
    error: NamespaceError,
) -> Result<HttpResponse, PageFailure> {
    let sent = SubmittedSettings {
        namespace: typed,
        move_wrong: ProjectFormErrors::of_move(&refused(error)?),
        ..SubmittedSettings::default()
    };
    answer(form, StatusCode::UNPROCESSABLE_ENTITY, sent).await
}

/// Schedules the deletion of the project, and redirects to the page with its date.
pub(super) async fn delete(form: OwnerForm) -> Result<HttpResponse, PageFailure> {
    let typed = form.form.text("confirm").to_owned();
    let ((), found) = form.read(|_, _| Ok(())).await?;
    let mut failures = ValidationFailures::default();
    check_name(&mut failures, &typed, found.project.full_path.as_str());
    if !failures.is_empty() {
        let sent = SubmittedSettings {
            confirm: &typed,
            wrong: ProjectFormErrors::new(&failures),
            ..SubmittedSettings::default()
        };
        return answer(&form, StatusCode::UNPROCESSABLE_ENTITY, sent).await;
    }
    let by = actor(&form)?;
    let schedule = DeletionSchedule {
        delay_seconds: form.state().settings.projects.deletion_delay_seconds,
        at_once: false,
    };
    let noted = form.write(move |tx, found| {
        delete_project::<NamespaceError>(tx, found.project.id, schedule, by, |_| Ok(()))
    });
    let (noted, found) = noted.await?;
    if let Err(error) = noted {
        refused(error)?;
    }
    Ok(see_other(&pending_deletion::path_of(found.project.id)).finish())
}
