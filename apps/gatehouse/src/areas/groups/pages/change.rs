//! Form actions for creating and changing groups.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::ids::NamespaceId;
use gatehouse_core::flows::groups::{Actor, create_group, update_group};
use projects::flow::groups::CreateGroup;
use projects::{Group, GroupContent, GroupEdit};
use storage::StoreError;

use super::Refused;
use super::form::{Written, show_outermost, show_subgroup};
use super::settings::{Attempt, Fields, answer};
use crate::frame::form::MemberForm;
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::group::{GroupForm, path_of_group};
use crate::frame::page::notice::Notice;
use crate::frame::page::project::{Account, Allowed};
use crate::frame::scopes::Owner;
use crate::state::AppState;

/// Creates a top-level group, and redirects to its page.
pub(super) async fn create(
    request: HttpRequest,
    state: Data<AppState>,
    form: MemberForm,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &form.visitor);
    let member = form.visitor.member(&request)?;
    let actor = Actor {
        id: member.user.id,
        viewer: form.visitor.viewer(),
        now: form.visitor.now(),
    };
    let written = Written::from_form(&form);
    let wanted = wanted(&written.edit(&[])?, None, actor);
    let made: Result<Group, Refused> = state.write(move |tx| Ok(create_group(tx, &wanted)?)).await;
    match made {
        Ok(group) => Ok(page.lead_to(&path_of(&group), Notice::GroupCreated)),
        Err(refused) => show_outermost(&page, &written, &refused.into_fields()?),
    }
}

/// Creates a subgroup, and redirects to its page.
/// The flow checks the sender's permission.
pub(super) async fn create_subgroup(form: GroupForm<Account>) -> Result<HttpResponse, PageFailure> {
    let actor = form.by()?;
    let written = Written::from_form(&form.form);
    let edit = written.edit(&[])?;
    let made = form.write(move |tx, found| {
        let wanted = wanted(&edit, Some(found.group.id), actor);
        Ok::<Group, Refused>(create_group(tx, &wanted)?)
    });
    match made.await? {
        (Ok(group), _) => Ok(form.lead_to(&path_of(&group), Notice::GroupCreated)),
        (Err(refused), found) => show_subgroup(&form, &found, &written, &refused.into_fields()?),
    }
}

/// Saves the group, and redirects to its page, whose path may have changed.
pub(super) async fn save(form: GroupForm<Allowed<Owner>>) -> Result<HttpResponse, PageFailure> {
    let actor = form.by()?;
    let fields = Fields::from_form(&form.form);
    let locked = if fields.is_locked { "true" } else { "false" };
    let edit = fields.written.edit(&[
        ("project_creation_level", &fields.projects),
        ("subgroup_creation_level", &fields.subgroups),
        ("share_with_group_lock", locked),
    ])?;
    let saved = form.write(move |tx, found| {
        Ok::<Group, Refused>(update_group(tx, found.group.id, &edit, actor)?)
    });
    match saved.await? {
        (Ok(group), _) => Ok(form.lead_to(&path_of(&group), Notice::GroupSaved)),
        (Err(refused), found) => {
            let attempt = Attempt {
                fields: Some(fields),
                failures: refused.into_fields()?,
                ..Attempt::default()
            };
            answer(&form, &found, attempt)
        }
    }
}

fn wanted(edit: &GroupEdit, parent: Option<NamespaceId>, actor: Actor) -> CreateGroup {
    CreateGroup {
        content: edit.apply(GroupContent::default()),
        parent,
        viewer: actor.viewer,
        owner: actor.id,
        now: actor.now,
    }
}

fn path_of(group: &Group) -> String {
    path_of_group(group.full_path.as_str())
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Self {
        Self::Whole(error.into())
    }
}
