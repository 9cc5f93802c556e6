//! Scheduled deletion of a group, and its cancellation.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ValidationFailures;
use askama::Template;
use gatehouse_core::flows::delete_place::{Schedule, delete_group, restore_group};
use projects::flow::error::PlaceError;

use super::settings::{Attempt, answer};
use super::{Refused, whole};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::field_failures::check_name;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::group::{
    DoomedGroupForm, DoomedGroupPage, FoundDoomedGroup, GroupForm, path_of_group,
};
use crate::frame::page::notice::Notice;
use crate::frame::page::project::{Allowed, Hidden};
use crate::frame::page::shell::Shell;
use crate::frame::page::shown_name::ShownName;
use crate::frame::page::side::Section;
use crate::frame::scopes::Owner;

#[derive(Template)]
#[template(path = "areas/groups/group_deletion.html")]
struct DeletionPage {
    shell: Shell,
    name: ShownName,
    full_path: String,
    action: String,
    due: DisplayTime,
    is_begun: bool,
    problem: &'static str,
}

/// Schedules the deletion of a group, if the sender typed its full path, and redirects to the page that can cancel it.
pub(super) async fn delete(form: GroupForm<Allowed<Owner>>) -> Result<HttpResponse, PageFailure> {
    let (confirm, actor) = (form.form.text("confirm").to_owned(), form.by()?);
    let schedule = Schedule {
        delay_seconds: form.state().settings.projects.deletion_delay_seconds,
        at_once: false,
    };
    let typed = confirm.clone();
    let noted = form.write(move |tx, found| {
        let mut failures = ValidationFailures::default();
        check_name(&mut failures, &typed, found.group.full_path.as_str());
        if !failures.is_empty() {
            return Err(Refused::Fields(failures));
        }
        delete_group(tx, found.group.id, schedule, actor)?;
        Ok(found.group.id)
    });
    match noted.await? {
        (Ok(id), _) => {
            let path = format!("/dashboard/groups/{id}/deletion");
            Ok(form.lead_to(&path, Notice::GroupDeletionScheduled))
        }
        (Err(refused), found) => {
            let attempt = Attempt {
                confirm,
                failures: refused.into_fields()?,
                ..Attempt::default()
            };
            answer(&form, &found, attempt)
        }
    }
}

/// Answers with the deletion date of a group, and the form to cancel the deletion.
pub(super) async fn show(
    page: DoomedGroupPage<Hidden<Owner>>,
) -> Result<HttpResponse, PageFailure> {
    let ((), found) = page.read(|_, _| Ok(())).await?;
    show_with(&page, &found, "")
}

/// Cancels the deletion of a group, and redirects to its page.
pub(super) async fn restore(
    form: DoomedGroupForm<Hidden<Owner>>,
) -> Result<HttpResponse, PageFailure> {
    let actor = form.by()?;
    let restored = form.write(move |tx, found| restore_group(tx, found.group.id, actor));
    match restored.await? {
        (Ok(group), _) => {
            let path = path_of_group(group.full_path.as_str());
            Ok(form.lead_to(&path, Notice::GroupRestored))
        }
        (Err(PlaceError::PathTaken), found) => {
            let problem = "A path in the group belongs to something else now. Rename or move that, and try again.";
            show_with(&form, &found, problem)
        }
        (Err(PlaceError::TooLate), found) => show_with(
            &form,
            &found,
            "The deletion has begun. It can no longer be cancelled.",
        ),
        (Err(PlaceError::Impossible(_)), found) => show_with(
            &form,
            &found,
            "The group is more visible than the group that it is in. Give that group a wider visibility first.",
        ),
        (Err(error), _) => Err(form.as_seen(whole(error))),
    }
}

fn show_with(
    page: &DoomedGroupPage<Hidden<Owner>>,
    found: &FoundDoomedGroup,
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
            name: ShownName::of(&group.content.name),
            full_path: group.full_path.as_str().to_owned(),
            action: format!("/dashboard/groups/{}/deletion", group.id),
            due: DisplayTime::of(found.due_at),
            is_begun: found.is_begun,
            problem,
        },
    )
}
