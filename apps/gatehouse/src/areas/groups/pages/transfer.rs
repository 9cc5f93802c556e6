//! Form action for moving a group.

use actix_web::HttpResponse;
use api_conventions::error::ValidationFailures;
use api_conventions::ids::NamespaceId;
use api_conventions::reference::{FullPath, NamespaceRef};
use gatehouse_core::database::WriteTransaction;
use gatehouse_core::flows::groups::{Actor, move_group};
use projects::Group;
use projects::flow::error::PlaceError;
use projects::flow::groups::find_visible_group;

use super::Refused;
use super::settings::{Attempt, answer};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::group::{GroupForm, path_of_group};
use crate::frame::page::notice::Notice;
use crate::frame::page::project::Allowed;
use crate::frame::scopes::Owner;

/// Field with the full path of the target group.
const TO: &str = "to";

/// Moves a group into another one, or to the top level, and redirects to its new page.
pub(super) async fn transfer(form: GroupForm<Allowed<Owner>>) -> Result<HttpResponse, PageFailure> {
    let actor = form.by()?;
    let to = form.form.text(TO).trim().trim_matches('/').to_owned();
    let wanted = to.clone();
    let moved = form.write(move |tx, found| {
        let to = target(tx, &wanted, actor)?;
        move_group(tx, found.group.id, to, actor).map_err(refused)
    });
    match moved.await? {
        (Ok(group), _) => {
            let path = path_of_group(group.full_path.as_str());
            Ok(form.lead_to(&path, Notice::GroupMoved))
        }
        (Err(refused), found) => {
            let attempt = Attempt {
                to,
                failures: refused.into_fields()?,
                ..Attempt::default()
            };
            answer(&form, &found, attempt)
        }
    }
}

/// Resolves the target group by its full path, if the sender can view it; `None` for an empty path.
fn target(
    tx: &mut dyn WriteTransaction,
    path: &str,
    actor: Actor,
) -> Result<Option<NamespaceId>, Refused> {
    if path.is_empty() {
        return Ok(None);
    }
    let unseen = || of_target("does not exist, or you do not see it");
    let path = FullPath::parse(path).ok_or_else(unseen)?;
    let named = NamespaceRef::Path(path);
    let found: Option<(Group, _)> = find_visible_group(tx, &named, actor.viewer, actor.now)?;
    let (group, _) = found.ok_or_else(unseen)?;
    Ok(Some(group.id))
}

/// Turns a refusal into a failure of the target field, the only field of the form.
fn refused(error: PlaceError) -> Refused {
    match error {
        PlaceError::Invalid(failures) => {
            let fields = ["path", "parent_id", "visibility"];
            let words = |field| failures.of(field).iter();
            let all: Vec<&str> = fields
                .into_iter()
                .flat_map(words)
                .map(String::as_str)
                .collect();
            of_target(&all.join(", and "))
        }
        PlaceError::PathTaken => of_target("has something with this path already"),
        PlaceError::Impossible("the group is there already") => of_target("is where it is already"),
        PlaceError::Impossible(_) => {
            of_target("is this group or in it, so it cannot be moved there")
        }
        PlaceError::Forbidden => of_target("is one in which your role makes no subgroups"),
        other => Refused::Whole(other),
    }
}

fn of_target(text: &str) -> Refused {
    let mut failures = ValidationFailures::default();
    failures.add(TO, text);
    Refused::Fields(failures)
}
