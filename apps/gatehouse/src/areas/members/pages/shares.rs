//! Form actions on shares of a project with groups.

use actix_web::HttpResponse;
use api_conventions::ids::NamespaceId;
use api_conventions::reference::{FullPath, NamespaceRef};
use projects::flow::groups::find_visible_group;
use projects::flow::members::{MemberError, ShareProject, share_project, unshare_project};

use super::MemberFormError;
use super::change::member_actor;
use super::fields::{MemberFormValues, SHARE};
use super::list::{SubmittedMemberForms, answer};
use super::place::MembersPlace as _;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::notice::Notice;
use crate::frame::page::project::{ProjectForm, RoleOrForbidden};
use crate::frame::project::Projects;
use crate::frame::scopes::Maintainer;

type ShareForm = ProjectForm<RoleOrForbidden<Maintainer>>;

/// Shares the project with a group that the sender can view.
pub(super) async fn share(form: ShareForm) -> Result<HttpResponse, PageFailure> {
    let values = MemberFormValues::from_form(&form.form, &SHARE);
    let (entered, actor) = (values.clone(), member_actor(&form));
    let shared = form.write(move |tx, found| {
        let (level, expires_on) = entered.parse(&SHARE).map_err(MemberFormError::Fields)?;
        let unseen = || MemberFormError::Whole(MemberError::Unknown("Group"));
        let path = FullPath::parse(entered.who.trim_matches('/')).ok_or_else(unseen)?;
        let named = NamespaceRef::Path(path);
        let group = find_visible_group(tx, &named, actor.viewer, actor.now)?;
        let (group, _) = group.ok_or_else(unseen)?;
        let request = ShareProject {
            group_id: group.id,
            level,
            expires_on,
        };
        share_project(tx, &found.project, &request, actor)?;
        Ok::<(), MemberFormError>(())
    });
    match shared.await? {
        (Ok(()), found) => {
            Ok(form.redirect_with_notice(&Projects::list(&found), Notice::ShareAdded))
        }
        (Err(refused), _) => {
            let submitted = SubmittedMemberForms {
                failures: refused.into_fields(SHARE.who)?,
                share: Some(values),
                ..SubmittedMemberForms::default()
            };
            answer(&form, submitted).await
        }
    }
}

/// Ends the share of the project with a group.
pub(super) async fn unshare(form: ShareForm) -> Result<HttpResponse, PageFailure> {
    if form.form.method() != "delete" {
        return Err(PageFailure::bad_request(
            "The form has no known action. Reload the page and try again.",
        ));
    }
    let (group, actor) = (
        NamespaceId::new(form.number("group_id")?),
        member_actor(&form),
    );
    let ended = form.write(move |tx, found| {
        unshare_project(tx, &found.project, group, actor)?;
        Ok::<(), MemberFormError>(())
    });
    let (ended, found) = ended.await?;
    if let Err(refused) = ended {
        let failure = refused.into_fields(SHARE.who).err();
        return Err(form.sign_in_if_hidden(failure.unwrap_or_else(PageFailure::forbidden)));
    }
    Ok(form.redirect_with_notice(&Projects::list(&found), Notice::ShareEnded))
}
