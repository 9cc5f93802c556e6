//! `/api/v4/audit_events`: the events of the instance and of all users, groups and projects, for administrators.

use accounts::{AuditEntity, AuditFilter, AuditScope};
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::AuditEntryId;
use api_conventions::params::Params;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Parameter, ParameterKind, ResponseSpec, get};

use super::json::{AuditEventJson, KINDS, parse_kind};
use super::list::{AuditPage, AuditPaging, RESOURCE, TAG, documented, read_times};
use super::names::AuditNames;
use crate::frame::api::AsAdministrator;
use crate::frame::scopes::ReadApi;

const EVENTS: &str = "/api/v4/audit_events";
const EVENT: &str = "/api/v4/audit_events/{id}";

const ID: Parameter = Parameter::path("id", ParameterKind::ID, "ID of the event.");
pub(super) const ENTITY_TYPE: Parameter = Parameter::query(
    "entity_type",
    ParameterKind::Word(&KINDS),
    "Only events of users, of groups, of projects or of the instance.",
);
pub(super) const ENTITY_ID: Parameter = Parameter::query(
    "entity_id",
    ParameterKind::ID,
    "Only events of the entity with this ID. Requires `entity_type`.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        documented(
            get("listAuditEvents", EVENTS, list),
            "List the audit events of the instance and of all users, groups and projects",
        )
        .takes([ENTITY_TYPE, ENTITY_ID]),
        get("showAuditEvent", EVENT, show)
            .documented(TAG, "Get an audit event")
            .takes([ID])
            .response(ResponseSpec::json::<AuditEventJson>(200, "The event."))
            .response(ResponseSpec::refusal(404, "Event not found.")),
    ]
}

async fn list(request: AsAdministrator<ReadApi>) -> Result<HttpResponse, Failure> {
    let paging = AuditPaging::read(&request)?;
    let filter = AuditFilter {
        scope: read_scope(request.params())?,
        ..AuditFilter::default()
    };
    let filter = read_times(request.params(), filter)?;
    let found = request.read(move |tx| Ok(AuditPage::load(tx, &filter, paging)?));
    found.await?.respond(&request)
}

/// Parses the entity, or the kind of entities, whose events are listed.
pub(super) fn read_scope(params: &Params) -> Result<AuditScope, ApiError> {
    let mut read = params.reader();
    let kind = read.word(ENTITY_TYPE.name, parse_kind);
    let id = read.integer_within(ENTITY_ID.name, 1..=i64::MAX);
    if id.is_some() && !read.is_given(ENTITY_TYPE.name) {
        read.fault(ENTITY_ID.name, "requires entity_type");
    }
    let entity = kind
        .zip(id)
        .and_then(|(kind, id)| AuditEntity::of_kind(kind, id));
    if kind.is_some() && id.is_some() && entity.is_none() {
        read.fault(ENTITY_ID.name, "of the instance is 1");
    }
    read.finish()?;
    Ok(match (kind, entity) {
        (Some(_), Some(entity)) => AuditScope::Entity(entity),
        (Some(kind), None) => AuditScope::Kind(kind),
        (None, _) => AuditScope::All,
    })
}

async fn show(request: AsAdministrator<ReadApi>) -> Result<HttpResponse, Failure> {
    let id = AuditEntryId::new(request.number(ID.name, RESOURCE)?);
    let found = request.read(move |tx| {
        let entry = tx.find_audit_entry(id)?;
        let entry = entry.ok_or_else(|| ApiError::not_found(RESOURCE))?;
        let names = AuditNames::load(tx, std::slice::from_ref(&entry))?;
        Ok((entry, names))
    });
    let (entry, names) = found.await?;
    request.json(&AuditEventJson::new(entry, &names))
}
