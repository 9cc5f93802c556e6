//! Form actions on members.

use actix_web::HttpResponse;
use api_conventions::ids::UserId;
use gatehouse_core::flows::members::{NamedUser, add_named};
use projects::Member;
use projects::flow::members::{
    AddMember, MemberActor, MemberEdit, MemberError, RemoveMember, remove_member, update_member,
};

use super::MemberFormError;
use super::fields::{MEMBER, MemberFormValues};
use super::form::{find, show_with};
use super::list::{SubmittedMemberForms, answer};
use super::place::MembersPlace;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::notice::Notice;
use crate::frame::page::place::{PlaceForm, PlacePage};
use crate::frame::page::project::{Account, Need, RoleOrForbidden};

/// Start page for users who left a place, because they may no longer view it.
const HOME: &str = "/";

/// Actor and time of a form.
pub(super) fn member_actor<P: MembersPlace, N: Need>(page: &PlacePage<P, N>) -> MemberActor {
    MemberActor {
        viewer: page.viewer(),
        now: page.now(),
    }
}

/// Adds a user as a member, by username.
pub(super) async fn add<P: MembersPlace>(
    form: PlaceForm<P, RoleOrForbidden<P::Manager>>,
) -> Result<HttpResponse, PageFailure> {
    let values = MemberFormValues::from_form(&form.form, &MEMBER);
    let (entered, actor) = (values.clone(), member_actor(&form));
    let added = form.write(move |tx, found| {
        let (level, expires_on) = entered.parse(&MEMBER).map_err(MemberFormError::Fields)?;
        let new = |user_id| AddMember {
            user_id,
            level,
            expires_on,
        };
        let user = NamedUser::Username(entered.who.clone());
        add_named(tx, P::members_of(found), &user, new, actor)?;
        Ok::<(), MemberFormError>(())
    });
    match added.await? {
        (Ok(()), found) => Ok(form.redirect_with_notice(&P::list(&found), Notice::MemberAdded)),
        (Err(refused), _) => {
            let submitted = SubmittedMemberForms {
                failures: refused.into_fields(MEMBER.who)?,
                member: Some(values),
                ..SubmittedMemberForms::default()
            };
            answer(&form, submitted).await
        }
    }
}

/// Changes or removes a role, or gives up the sender's own.
pub(super) async fn change<P: MembersPlace>(
    form: PlaceForm<P, Account>,
) -> Result<HttpResponse, PageFailure> {
    let user = UserId::new(form.number("user_id")?);
    match &*form.form.method() {
        "put" => save(&form, user).await,
        "delete" => remove(&form, user).await,
        _ => Err(PageFailure::bad_request(
            "The form has no known action. Reload the page and try again.",
        )),
    }
}

async fn save<P: MembersPlace>(
    form: &PlaceForm<P, Account>,
    user: UserId,
) -> Result<HttpResponse, PageFailure> {
    let values = MemberFormValues::from_form(&form.form, &MEMBER);
    let (entered, actor, now) = (values.clone(), member_actor(form), form.now());
    let saved = form.write(move |tx, found| {
        check_manages::<P>(found)?;
        let (level, expires_on) = entered.parse(&MEMBER).map_err(MemberFormError::Fields)?;
        let edit = MemberEdit {
            user_id: user,
            level,
            expires_on: Some(expires_on),
        };
        let member = update_member(tx, P::members_of(found), &edit, actor)?;
        Ok::<Member, MemberFormError>(member)
    });
    match saved.await? {
        (Ok(_), found) => Ok(form.redirect_with_notice(&P::list(&found), Notice::MemberSaved)),
        (Err(refused), _) => {
            let failures = refused.into_fields(MEMBER.level)?;
            let read = form.read(move |tx, found| find::<P>(tx, found, user, now));
            let (editable, found) = read.await?;
            show_with(form, &found, &editable, values, &failures)
        }
    }
}

async fn remove<P: MembersPlace>(
    form: &PlaceForm<P, Account>,
    user: UserId,
) -> Result<HttpResponse, PageFailure> {
    let (actor, leaves) = (member_actor(form), form.actor_id()? == user);
    let remove = RemoveMember {
        user_id: user,
        skips_subresources: form.form.is_ticked("skip_subresources"),
    };
    let removed = form.write(move |tx, found| {
        if !leaves {
            check_manages::<P>(found)?;
        }
        remove_member(tx, P::members_of(found), remove, actor)?;
        Ok::<(), MemberFormError>(())
    });
    let (removed, found) = removed.await?;
    if let Err(refused) = removed {
        // The form has no field that could show the reason.
        let failure = refused.into_fields(MEMBER.level).err();
        return Err(form.sign_in_if_hidden(failure.unwrap_or_else(PageFailure::forbidden)));
    }
    Ok(if leaves {
        form.redirect_with_notice(HOME, Notice::PlaceLeft)
    } else {
        form.redirect_with_notice(&P::list(&found), Notice::MemberRemoved)
    })
}

/// Refuses senders who do not manage the members, before the response reveals who is a member.
fn check_manages<P: MembersPlace>(found: &P::Context) -> Result<(), MemberFormError> {
    P::manages(found)
        .then_some(())
        .ok_or(MemberFormError::Whole(MemberError::Forbidden))
}
