//! Form actions on shares of a project with groups.

use actix_web::HttpResponse;
use api_conventions::ids::NamespaceId;
use api_conventions::reference::{FullPath, NamespaceRef};
use projects::flow::groups::find_visible_group;
use projects::flow::members::{MemberError, ShareProject, share_project, unshare_project};

use super::Refused;
use super::change::acting;
use super::fields::{SHARE, Written};
use super::list::{Attempt, answer};
use super::place::MembersPlace as _;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::notice::Notice;
use crate::frame::page::project::{Allowed, ProjectForm};
use crate::frame::project::Projects;
use crate::frame::scopes::Maintainer;

type Form = ProjectForm<Allowed<Maintainer>>;

/// Shares the project with a group that the sender can view.
pub(super) async fn share(form: Form) -> Result<HttpResponse, PageFailure> {
    let written = Written::from_form(&form.form, &SHARE);
    let (asked, acting) = (written.clone(), acting(&form));
    let shared = form.write(move |tx, found| {
        let (level, expires_on) = asked.read(&SHARE).map_err(Refused::Fields)?;
        let unseen = || Refused::Whole(MemberError::Unknown("Group"));
        let path = FullPath::parse(asked.who.trim_matches('/')).ok_or_else(unseen)?;
        let named = NamespaceRef::Path(path);
        let group = find_visible_group(tx, &named, acting.viewer, acting.now)?;
        let (group, _) = group.ok_or_else(unseen)?;
        let request = ShareProject {
            group_id: group.id,
            level,
            expires_on,
        };
        share_project(tx, &found.project, &request, acting)?;
        Ok::<(), Refused>(())
    });
    match shared.await? {
        (Ok(()), found) => Ok(form.lead_to(&Projects::list(&found), Notice::ShareAdded)),
        (Err(refused), _) => {
            let attempt = Attempt {
                failures: refused.into_fields(SHARE.who)?,
                share: Some(written),
                ..Attempt::default()
            };
            answer(&form, attempt).await
        }
    }
}

/// Ends the share of the project with a group.
pub(super) async fn unshare(form: Form) -> Result<HttpResponse, PageFailure> {
    if form.form.method() != "delete" {
        return Err(PageFailure::bad_request(
            "The form does not say what to do with the share.",
        ));
    }
    let (group, acting) = (NamespaceId::new(form.number("group_id")?), acting(&form));
    let ended = form.write(move |tx, found| {
        unshare_project(tx, &found.project, group, acting)?;
        Ok::<(), Refused>(())
    });
    let (ended, found) = ended.await?;
    if let Err(refused) = ended {
        let failure = refused.into_fields(SHARE.who).err();
        return Err(form.as_seen(failure.unwrap_or_else(PageFailure::forbidden)));
    }
    Ok(form.lead_to(&Projects::list(&found), Notice::ShareEnded))
}
