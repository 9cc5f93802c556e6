//! Form actions for creating and changing groups.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::ids::NamespaceId;
use gatehouse_core::flows::groups::{Actor, create_group, update_group};
use projects::flow::groups::CreateGroup;
use projects::{Group, GroupContent, GroupEdit};
use storage::StoreError;

use super::GroupFormError;
use super::form::{GroupFormValues, show_subgroup, show_top_level};
use super::settings::{GroupSettingsValues, SubmittedGroupForms, answer};
use crate::frame::form::SignedInForm;
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::group::{GroupForm, path_of_group};
use crate::frame::page::notice::Notice;
use crate::frame::page::project::{Account, RoleOrForbidden};
use crate::frame::scopes::Owner;
use crate::state::AppState;

/// Creates a top-level group, and redirects to its page.
pub(super) async fn create(
    request: HttpRequest,
    state: Data<AppState>,
    form: SignedInForm,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &form.visitor);
    let member = form.visitor.member(&request)?;
    let actor = Actor {
        id: member.user.id,
        viewer: form.visitor.viewer(),
        now: form.visitor.now(),
    };
    let values = GroupFormValues::from_form(&form);
    let creation = new_group(&values.edit(&[])?, None, actor);
    let created: Result<Group, GroupFormError> = state
        .write(move |tx| Ok(create_group(tx, &creation)?))
        .await;
    match created {
        Ok(group) => Ok(page.redirect_with_notice(&path_of(&group), Notice::GroupCreated)),
        Err(refused) => show_top_level(&page, &values, &refused.into_fields()?),
    }
}

/// Creates a subgroup, and redirects to its page.
/// The flow checks the sender's permission.
pub(super) async fn create_subgroup(form: GroupForm<Account>) -> Result<HttpResponse, PageFailure> {
    let actor = form.actor()?;
    let values = GroupFormValues::from_form(&form.form);
    let edit = values.edit(&[])?;
    let created = form.write(move |tx, found| {
        let creation = new_group(&edit, Some(found.group.id), actor);
        Ok::<Group, GroupFormError>(create_group(tx, &creation)?)
    });
    match created.await? {
        (Ok(group), _) => Ok(form.redirect_with_notice(&path_of(&group), Notice::GroupCreated)),
        (Err(refused), found) => show_subgroup(&form, &found, &values, &refused.into_fields()?),
    }
}

/// Saves the group, and redirects to its page, whose path may have changed.
pub(super) async fn save(
    form: GroupForm<RoleOrForbidden<Owner>>,
) -> Result<HttpResponse, PageFailure> {
    let actor = form.actor()?;
    let fields = GroupSettingsValues::from_form(&form.form);
    let locked = if fields.is_locked { "true" } else { "false" };
    let edit = fields.written.edit(&[
        ("project_creation_level", &fields.projects),
        ("subgroup_creation_level", &fields.subgroups),
        ("share_with_group_lock", locked),
    ])?;
    let saved = form.write(move |tx, found| {
        Ok::<Group, GroupFormError>(update_group(tx, found.group.id, &edit, actor)?)
    });
    match saved.await? {
        (Ok(group), _) => Ok(form.redirect_with_notice(&path_of(&group), Notice::GroupSaved)),
        (Err(refused), found) => {
            let submitted = SubmittedGroupForms {
                fields: Some(fields),
                failures: refused.into_fields()?,
                ..SubmittedGroupForms::default()
            };
            answer(&form, &found, submitted)
        }
    }
}

fn new_group(edit: &GroupEdit, parent: Option<NamespaceId>, actor: Actor) -> CreateGroup {
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

impl From<StoreError> for GroupFormError {
    fn from(error: StoreError) -> Self {
        Self::Whole(error.into())
    }
}
