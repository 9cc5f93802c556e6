//! Form actions on members.

use actix_web::HttpResponse;
use api_conventions::ids::UserId;
use gatehouse_core::flows::members::{NamedUser, add_named};
use projects::Member;
use projects::flow::members::{
    Acting, AddMember, MemberEdit, MemberError, RemoveMember, remove_member, update_member,
};

use super::Refused;
use super::fields::{MEMBER, Written};
use super::form::{find, show_with};
use super::list::{Attempt, answer};
use super::place::MembersPlace;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::notice::Notice;
use crate::frame::page::place::{PlaceForm, PlacePage};
use crate::frame::page::project::{Account, Allowed, Need};

/// Start page for users who left a place, because they may no longer view it.
const HOME: &str = "/";

/// Actor and time of a form.
pub(super) fn acting<P: MembersPlace, N: Need>(page: &PlacePage<P, N>) -> Acting {
    Acting {
        viewer: page.viewer(),
        now: page.now(),
    }
}

/// Adds a user as a member, by username.
pub(super) async fn add<P: MembersPlace>(
    form: PlaceForm<P, Allowed<P::Manager>>,
) -> Result<HttpResponse, PageFailure> {
    let written = Written::from_form(&form.form, &MEMBER);
    let (asked, acting) = (written.clone(), acting(&form));
    let added = form.write(move |tx, found| {
        let (level, expires_on) = asked.read(&MEMBER).map_err(Refused::Fields)?;
        let new = |user_id| AddMember {
            user_id,
            level,
            expires_on,
        };
        let user = NamedUser::Username(asked.who.clone());
        add_named(tx, P::members_of(found), &user, new, acting)?;
        Ok::<(), Refused>(())
    });
    match added.await? {
        (Ok(()), found) => Ok(form.lead_to(&P::list(&found), Notice::MemberAdded)),
        (Err(refused), _) => {
            let attempt = Attempt {
                failures: refused.into_fields(MEMBER.who)?,
                member: Some(written),
                ..Attempt::default()
            };
            answer(&form, attempt).await
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
            "The form does not say what to do with the member.",
        )),
    }
}

async fn save<P: MembersPlace>(
    form: &PlaceForm<P, Account>,
    user: UserId,
) -> Result<HttpResponse, PageFailure> {
    let written = Written::from_form(&form.form, &MEMBER);
    let (asked, acting, now) = (written.clone(), acting(form), form.now());
    let saved = form.write(move |tx, found| {
        check_manages::<P>(found)?;
        let (level, expires_on) = asked.read(&MEMBER).map_err(Refused::Fields)?;
        let edit = MemberEdit {
            user_id: user,
            level,
            expires_on: Some(expires_on),
        };
        let member = update_member(tx, P::members_of(found), &edit, acting)?;
        Ok::<Member, Refused>(member)
    });
    match saved.await? {
        (Ok(_), found) => Ok(form.lead_to(&P::list(&found), Notice::MemberSaved)),
        (Err(refused), _) => {
            let failures = refused.into_fields(MEMBER.level)?;
            let read = form.read(move |tx, found| find::<P>(tx, found, user, now));
            let (editable, found) = read.await?;
            show_with(form, &found, &editable, (written, &failures))
        }
    }
}

async fn remove<P: MembersPlace>(
    form: &PlaceForm<P, Account>,
    user: UserId,
) -> Result<HttpResponse, PageFailure> {
    let (acting, leaves) = (acting(form), form.actor()? == user);
    let remove = RemoveMember {
        user_id: user,
        skips_subresources: form.form.is_ticked("skip_subresources"),
    };
    let removed = form.write(move |tx, found| {
        if !leaves {
            check_manages::<P>(found)?;
        }
        remove_member(tx, P::members_of(found), remove, acting)?;
        Ok::<(), Refused>(())
    });
    let (removed, found) = removed.await?;
    if let Err(refused) = removed {
        // The form has no field that could show the reason.
        let failure = refused.into_fields(MEMBER.level).err();
        return Err(form.as_seen(failure.unwrap_or_else(PageFailure::forbidden)));
    }
    Ok(if leaves {
        form.lead_to(HOME, Notice::PlaceLeft)
    } else {
        form.lead_to(&P::list(&found), Notice::MemberRemoved)
    })
}

/// Refuses senders who do not manage the members, before the response reveals who is a member.
fn check_manages<P: MembersPlace>(found: &P::Shown) -> Result<(), Refused> {
    P::manages(found)
        .then_some(())
        .ok_or(Refused::Whole(MemberError::Forbidden))
}
