//! Form for the role of a member.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::ids::UserId;
use askama::Template;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::members::{ListedMember, with_user};
use projects::MemberScope;
use projects::flow::members::{find_member, is_last_owner};
use web_conventions::failure::Failure;

use super::fields::{MEMBER, MemberFormErrors, MemberFormValues, roles, word_of};
use super::place::MembersPlace;
use crate::areas::members::place::refused;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::list::Choice;
use crate::frame::page::place::PlacePage;
use crate::frame::page::project::{Need, RoleOrNotFound};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use api_conventions::time::Timestamp;

#[derive(Template)]
#[template(path = "areas/members/member_form.html")]
struct MemberFormPage {
    shell: Shell,
    kind: &'static str,
    name: DisplayName,
    username: String,
    action: String,
    cancel: String,
    written: MemberFormValues,
    roles: Vec<Choice>,
    wrong: MemberFormErrors,
    is_self: bool,
    /// True if the group would be left without an Owner.
    is_needed: bool,
}

/// A member whose role the visitor may change.
pub(super) struct EditableMember {
    listed: ListedMember,
    is_needed: bool,
}

/// Answers with the form, if the visitor may change the role of the member.
pub(super) async fn show<P: MembersPlace>(
    page: PlacePage<P, RoleOrNotFound<P::Manager>>,
) -> Result<HttpResponse, PageFailure> {
    let (user, now) = (UserId::new(page.number("user_id")?), page.now());
    let read = page.read(move |tx, found| find::<P>(tx, found, user, now));
    let (editable, found) = read.await?;
    let member = &editable.listed.member;
    let written = MemberFormValues {
        who: String::new(),
        level: word_of(member.level).to_owned(),
        expires: member
            .expires_on
            .map(|day| day.to_string())
            .unwrap_or_default(),
    };
    let nothing = ValidationFailures::default();
    show_with(&page, &found, &editable, written, &nothing)
}

/// Finds a member, if the visitor's role is at least the member's.
pub(super) fn find<P: MembersPlace>(
    tx: &mut dyn ReadTransaction,
    found: &P::Context,
    user: UserId,
    now: Timestamp,
) -> Result<EditableMember, Failure> {
    let of = P::members_of(found);
    let member = find_member(tx, of, MemberScope::Direct, user, now).map_err(refused)?;
    if !P::may(found, member.level) {
        return Err(ApiError::forbidden().into());
    }
    Ok(EditableMember {
        is_needed: is_last_owner(tx, of, &member)?,
        listed: with_user(tx, member)?,
    })
}

/// Answers with the form and its validation failures.
pub(super) fn show_with<P: MembersPlace, N: Need>(
    page: &PlacePage<P, N>,
    found: &P::Context,
    editable: &EditableMember,
    written: MemberFormValues,
    failures: &ValidationFailures,
) -> Result<HttpResponse, PageFailure> {
    let (user, list) = (&editable.listed.user, P::list(found));
    let status = if failures.is_empty() {
        StatusCode::OK
    } else {
        StatusCode::UNPROCESSABLE_ENTITY
    };
    page.show_with(
        status,
        &MemberFormPage {
            shell: page.shell(found, Section::Members, "Edit the member"),
            kind: P::KIND,
            name: DisplayName::of(&user.name),
            username: user.username.as_str().to_owned(),
            action: format!("{list}/{}", user.id),
            cancel: list,
            roles: roles(|level| P::may(found, level), &written.level),
            written,
            wrong: MemberFormErrors::new(failures, &MEMBER),
            is_self: page.viewer().user_id() == Some(user.id),
            is_needed: editable.is_needed,
        },
    )
}
