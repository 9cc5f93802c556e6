//! `GET /api/v4/projects/:id/events` (`EVT-03` to `EVT-05`).

use std::collections::HashMap;

use accounts::User;
use accounts::wire::UserSummary;
use actix_web::web::{Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::access::AccessLevel;
use api_conventions::error::ApiError;
use api_conventions::ids::{ProjectId, UserId};
use api_conventions::page::{Page, SortOrder};
use api_conventions::paging::Paging;
use api_conventions::params::Params;
use events::wire::ProjectEventJson;
use events::{Action, Audience, Event, EventFilter, TargetType};
use projects::ProjectAccess;

use crate::extract::caller::{Caller, READ};
use crate::extract::params::list_address;
use crate::extract::project::ProjectRequest;
use crate::http::answer;
use crate::http::endpoint::at;
use crate::http::failure::Failure;
use crate::state::AppState;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::project::ProjectRefusal;

/// Mounts the endpoint.
pub fn configure(service: &mut ServiceConfig) {
    service.service(at("/api/v4/projects/{id}/events").get(list).build());
}

async fn list(
    request: HttpRequest,
    state: Data<AppState>,
    caller: Caller,
) -> Result<HttpResponse, Failure> {
    let wanted = ProjectRequest::new(&request, &caller, READ)?;
    let filter = read_filter(caller.params())?;
    let asked = Paging::offset(caller.params())?;
    let found = state.database.read(caller.lane(), move |tx| {
        let (project, access) = wanted.find(tx)?;
        let page = tx.list_project_events(&narrow(filter, project.id, access), asked)?;
        let authors = authors_of(tx, &page)?;
        Ok::<_, ProjectRefusal>((page, authors))
    });
    let (page, authors) = found.await?;
    let headers = list_address(&request, &state).offset_headers(asked, &page);
    let shown = page.map(|event| {
        let author = authors.get(&event.author_id);
        ProjectEventJson::new(event, author.map(|author| shown_author(author, &state)))
    });
    answer::page(&request, &shown.items, headers)
}

/// The filter for one project, with what this viewer may read of it.
fn narrow(filter: EventFilter, project_id: ProjectId, access: ProjectAccess) -> EventFilter {
    let audience = if access.allows(AccessLevel::Developer) {
        Audience::Developers
    } else {
        Audience::Everyone
    };
    EventFilter {
        project_id,
        audience,
        ..filter
    }
}

fn shown_author(author: &User, state: &AppState) -> (UserSummary, String) {
    let summary = UserSummary::new(author, &state.base_url);
    (summary, author.username.as_str().to_owned())
}

fn authors_of(
    tx: &mut dyn ReadTransaction,
    page: &Page<Event>,
) -> Result<HashMap<UserId, User>, storage::StoreError> {
    let mut ids: Vec<UserId> = page.items.iter().map(|event| event.author_id).collect();
    ids.sort_unstable();
    ids.dedup();
    let users = if ids.is_empty() {
        Vec::new()
    } else {
        tx.list_users_by_id(&ids)?
    };
    Ok(users.into_iter().map(|user| (user.id, user)).collect())
}

/// The conditions that the request sets. The project and the audience are filled in when the project is known.
fn read_filter(params: &Params) -> Result<EventFilter, ApiError> {
    let mut read = params.reader();
    let mut filter = EventFilter::new(ProjectId::new(0), Audience::Everyone);
    filter.action = read.word("action", Action::parse);
    filter.target_type = read.word("target_type", TargetType::parse);
    filter.before = read.date("before");
    filter.after = read.date("after");
    filter.sort = read.word("sort", SortOrder::parse).unwrap_or_default();
    read.finish()?;
    Ok(filter)
}
