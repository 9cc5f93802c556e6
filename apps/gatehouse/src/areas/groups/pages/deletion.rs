//! Scheduled deletion of a group, and its cancellation.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ValidationFailures;
use askama::Template;
use gatehouse_core::flows::deletion::{DeletionSchedule, delete_group, restore_group};
use projects::flow::error::NamespaceError;

use super::settings::{SubmittedGroupForms, answer};
use super::{GroupFormError, whole};
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::field_failures::check_name;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::group::{
    GroupForm, GroupPendingDeletion, GroupPendingDeletionForm, GroupPendingDeletionPage,
    path_of_group,
};
use crate::frame::page::notice::Notice;
use crate::frame::page::project::{RoleOrForbidden, RoleOrNotFound};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::scopes::Owner;

#[derive(Template)]
#[template(path = "areas/groups/group_deletion.html")]
struct DeletionPage {
    shell: Shell,
    name: DisplayName,
    full_path: String,
    action: String,
    due: DisplayTime,
    is_begun: bool,
    problem: &'static str,
}

/// Schedules the deletion of a group, if the sender typed its full path, and redirects to the page that can cancel it.
pub(super) async fn delete(
    form: GroupForm<RoleOrForbidden<Owner>>,
) -> Result<HttpResponse, PageFailure> {
    let (confirm, actor) = (form.form.text("confirm").to_owned(), form.actor()?);
    let schedule = DeletionSchedule {
        delay_seconds: form.state().settings.projects.deletion_delay_seconds,
        at_once: false,
    };
    let typed = confirm.clone();
    let noted = form.write(move |tx, found| {
        let mut failures = ValidationFailures::default();
        check_name(&mut failures, &typed, found.group.full_path.as_str());
        if !failures.is_empty() {
            return Err(GroupFormError::Fields(failures));
        }
        delete_group(tx, found.group.id, schedule, actor)?;
        Ok(found.group.id)
    });
    match noted.await? {
        (Ok(id), _) => {
            let path = format!("/dashboard/groups/{id}/deletion");
            Ok(form.redirect_with_notice(&path, Notice::GroupDeletionScheduled))
        }
        (Err(refused), found) => {
            let submitted = SubmittedGroupForms {
                confirm,
                failures: refused.into_fields()?,
                ..SubmittedGroupForms::default()
            };
            answer(&form, &found, submitted)
        }
    }
}

/// Answers with the deletion date of a group, and the form to cancel the deletion.
pub(super) async fn show(
    page: GroupPendingDeletionPage<RoleOrNotFound<Owner>>,
) -> Result<HttpResponse, PageFailure> {
    let ((), found) = page.read(|_, _| Ok(())).await?;
    show_with(&page, &found, "")
}

/// Cancels the deletion of a group, and redirects to its page.
pub(super) async fn restore(
    form: GroupPendingDeletionForm<RoleOrNotFound<Owner>>,
) -> Result<HttpResponse, PageFailure> {
    let actor = form.actor()?;
    let restored = form.write(move |tx, found| restore_group(tx, found.group.id, actor));
    match restored.await? {
        (Ok(group), _) => {
            let path = path_of_group(group.full_path.as_str());
            Ok(form.redirect_with_notice(&path, Notice::GroupRestored))
        }
        (Err(NamespaceError::PathTaken), found) => {
            let problem =
                "Something else uses a path in the group now. Rename or move it, and try again.";
            show_with(&form, &found, problem)
        }
        (Err(NamespaceError::TooLate), found) => show_with(
            &form,
            &found,
            "The deletion has started and can no longer be cancelled.",
        ),
        (Err(NamespaceError::Impossible(_)), found) => show_with(
            &form,
            &found,
            "The group is more visible than its parent group. Make the parent group more visible first.",
        ),
        (Err(error), _) => Err(form.sign_in_if_hidden(whole(error))),
    }
}

fn show_with(
    page: &GroupPendingDeletionPage<RoleOrNotFound<Owner>>,
    found: &GroupPendingDeletion,
    problem: &'static str,
) -> Result<HttpResponse, PageFailure> {
    let status = if problem.is_empty() {
        StatusCode::OK
    } else {
        StatusCode::CONFLICT
    };
    let group = &found.group;
    page.show_with(
        status,
        &DeletionPage {
            shell: page.shell(found, Section::Overview, "Scheduled deletion"),
            name: DisplayName::of(&group.content.name),
            full_path: group.full_path.as_str().to_owned(),
            action: format!("/dashboard/groups/{}/deletion", group.id),
            due: DisplayTime::of(found.due_at),
            is_begun: found.is_begun,
            problem,
        },
    )
}
