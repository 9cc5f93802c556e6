//! `/api/v4/projects/:id/audit_events` and `/api/v4/groups/:id/audit_events`.

use accounts::AuditFilter;
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::{AuditEntryId, UserId};
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Parameter, ParameterKind, ResponseSpec, get};

use super::json::AuditEventJson;
use super::list::{AuditPage, AuditPaging, RESOURCE, TAG, documented, read_times};
use super::names::AuditNames;
use super::place::HasAuditLog;
use crate::frame::group::Groups;
use crate::frame::place::In;
use crate::frame::project::Projects;
use crate::frame::scopes::{Developer, ReadApi, Role};

const ID: Parameter = Parameter::path("audit_event_id", ParameterKind::ID, "ID of the event.");

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    [
        of::<Projects>(
            get(
                "listProjectAuditEvents",
                "/api/v4/projects/{id}/audit_events",
                list::<Projects>,
            ),
            get(
                "showProjectAuditEvent",
                "/api/v4/projects/{id}/audit_events/{audit_event_id}",
                show::<Projects>,
            ),
        ),
        of::<Groups>(
            get(
                "listGroupAuditEvents",
                "/api/v4/groups/{id}/audit_events",
                list::<Groups>,
            ),
            get(
                "showGroupAuditEvent",
                "/api/v4/groups/{id}/audit_events/{audit_event_id}",
                show::<Groups>,
            ),
        ),
    ]
    .concat()
}

fn of<P: HasAuditLog>(list: Operation, show: Operation) -> Vec<Operation> {
    vec![
        documented(
            list,
            "List audit events (all for Maintainers of a project and Owners of a group; their own for other members)",
        )
        .takes([P::ID]),
        show.documented(TAG, "Get an audit event")
            .takes([P::ID, ID])
            .response(ResponseSpec::json::<AuditEventJson>(200, "The event.")),
    ]
}

/// Author whose events alone a member reads; `None` for members who read all.
pub(super) fn only_author<P: HasAuditLog>(access: P::Access, member: UserId) -> Option<UserId> {
    let reads_all = P::allows(access, <P::Manager as Role>::LEAST);
    (!reads_all).then_some(member)
}

async fn list<P: HasAuditLog>(request: In<P, Developer, ReadApi>) -> Result<HttpResponse, Failure> {
    let paging = AuditPaging::read(&request)?;
    let times = read_times(request.params(), AuditFilter::default())?;
    let member = request.actor_id();
    let found = request.read_with(move |tx, place, access| {
        let filter = AuditFilter {
            scope: AuditFilter::of(P::entity(place)).scope,
            author_id: only_author::<P>(access, member),
            ..times
        };
        Ok(AuditPage::load(tx, &filter, paging)?)
    });
    let (page, _) = found.await?;
    page.respond(&request)
}

async fn show<P: HasAuditLog>(request: In<P, Developer, ReadApi>) -> Result<HttpResponse, Failure> {
    let id = AuditEntryId::new(request.number(ID.name, RESOURCE)?);
    let member = request.actor_id();
    let found = request.read_with(move |tx, place, access| {
        let author = only_author::<P>(access, member);
        let entry = tx.find_audit_entry(id)?.filter(|entry| {
            let is_readable = author.is_none() || entry.author_id == author;
            entry.entity == P::entity(place) && is_readable
        });
        let entry = entry.ok_or_else(|| ApiError::not_found(RESOURCE))?;
        let names = AuditNames::load(tx, std::slice::from_ref(&entry))?;
        Ok((entry, names))
    });
    let ((entry, names), _) = found.await?;
    request.json(&AuditEventJson::new(entry, &names))
}
