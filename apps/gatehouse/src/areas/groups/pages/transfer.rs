//! Form action for moving a group.

use actix_web::HttpResponse;
use api_conventions::error::ValidationFailures;
use api_conventions::ids::NamespaceId;
use api_conventions::reference::{FullPath, NamespaceRef};
use gatehouse_core::database::WriteTransaction;
use gatehouse_core::flows::groups::{Actor, move_group};
use projects::Group;
use projects::flow::error::NamespaceError;
use projects::flow::groups::find_visible_group;

use super::GroupFormError;
use super::settings::{SubmittedGroupForms, answer};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::group::{GroupForm, path_of_group};
use crate::frame::page::notice::Notice;
use crate::frame::page::project::RoleOrForbidden;
use crate::frame::scopes::Owner;

/// Field with the full path of the target group.
const TO: &str = "to";

/// Moves a group into another one, or to the top level, and redirects to its new page.
pub(super) async fn transfer(
    form: GroupForm<RoleOrForbidden<Owner>>,
) -> Result<HttpResponse, PageFailure> {
    let actor = form.actor()?;
    let to = form.form.text(TO).trim().trim_matches('/').to_owned();
    let path = to.clone();
    let moved = form.write(move |tx, found| {
        let to = target(tx, &path, actor)?;
        move_group(tx, found.group.id, to, actor).map_err(refused)
    });
    match moved.await? {
        (Ok(group), _) => {
            let path = path_of_group(group.full_path.as_str());
            Ok(form.redirect_with_notice(&path, Notice::GroupMoved))
        }
        (Err(refused), found) => {
            let submitted = SubmittedGroupForms {
                to,
                failures: refused.into_fields()?,
                ..SubmittedGroupForms::default()
            };
            answer(&form, &found, submitted)
        }
    }
}

/// Resolves the target group by its full path, if the sender can view it; `None` for an empty path.
fn target(
    tx: &mut dyn WriteTransaction,
    path: &str,
    actor: Actor,
) -> Result<Option<NamespaceId>, GroupFormError> {
    if path.is_empty() {
        return Ok(None);
    }
    let unseen = || of_target("does not exist, or you cannot see it");
    let path = FullPath::parse(path).ok_or_else(unseen)?;
    let named = NamespaceRef::Path(path);
    let found: Option<(Group, _)> = find_visible_group(tx, &named, actor.viewer, actor.now)?;
    let (group, _) = found.ok_or_else(unseen)?;
    Ok(Some(group.id))
}

/// Turns a refusal into a failure of the target field, the only field of the form.
fn refused(error: NamespaceError) -> GroupFormError {
    match error {
        NamespaceError::Invalid(failures) => {
            let fields = ["path", "parent_id", "visibility"];
            let words = |field| failures.of(field).iter();
            let all: Vec<&str> = fields
                .into_iter()
                .flat_map(words)
                .map(String::as_str)
                .collect();
            of_target(&all.join(", and "))
        }
        NamespaceError::PathTaken => of_target("already contains something with this path"),
        NamespaceError::Impossible("the group already has this parent") => {
            of_target("is already at this location")
        }
        NamespaceError::Impossible(_) => {
            of_target("is this group or one of its subgroups: choose another one")
        }
        NamespaceError::Forbidden => {
            of_target("does not let you create subgroups: ask one of its Owners")
        }
        other => GroupFormError::Whole(other),
    }
}

fn of_target(text: &str) -> GroupFormError {
    let mut failures = ValidationFailures::default();
    failures.add(TO, text);
    GroupFormError::Fields(failures)
}
