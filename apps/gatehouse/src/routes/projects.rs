//! `GET /api/v4/projects` and `GET /api/v4/projects/:id` (`PATH-01`).

use actix_web::web::{Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::error::ApiError;
use api_conventions::ids::ProjectId;
use api_conventions::page::{OffsetPage, Page, SortOrder};
use api_conventions::paging::{Header, ListAddress, Paging};
use api_conventions::params::Params;
use projects::wire::{FullProject, SimpleProject};
use projects::{Project, ProjectFilter, ProjectOrder, Reader};
use serde::Serialize;
use storage::{Store as _, StoreError};

use crate::extract::caller::{Caller, READ};
use crate::extract::params::list_address;
use crate::extract::project::{ProjectRefusal, ProjectRequest};
use crate::http::answer;
use crate::http::endpoint::at;
use crate::http::failure::Failure;
use crate::state::AppState;

/// Mounts the endpoints.
pub fn configure(service: &mut ServiceConfig) {
    service.service(at("/api/v4/projects").get(list).build());
    service.service(at("/api/v4/projects/{id}").get(show).build());
}

/// A project as this reader is told of it.
#[derive(Serialize)]
#[serde(untagged)]
enum Shown {
    Simple(Box<SimpleProject>),
    Full(Box<FullProject>),
}

impl Shown {
    fn new(project: &Project, reader: Reader, simple: bool, base_url: &str) -> Self {
        if simple || reader == Reader::Anonymous {
            Self::Simple(Box::new(SimpleProject::new(project, base_url)))
        } else {
            Self::Full(Box::new(FullProject::new(project, None, base_url)))
        }
    }
}

async fn list(
    request: HttpRequest,
    state: Data<AppState>,
    caller: Caller,
) -> Result<HttpResponse, Failure> {
    let reader = caller.reader(READ)?;
    let (filter, simple) = read_filter(caller.params(), reader)?;
    let paging = Paging::by_id(caller.params(), state.settings.paging.max_offset)?;
    let (filter, page) = apply_keyset(filter, paging);
    let today = caller.now().date();
    let found = state
        .database
        .read(move |tx| tx.list_projects(&filter, today, page));
    let found: Result<Page<Project>, StoreError> = found.await;
    let found = found?;
    let headers = paging_headers(list_address(&request, &state), paging, &found);
    let shown = found.map(|project| Shown::new(&project, reader, simple, &state.base_url));
    answer::page(&request, &shown.items, headers)
}

fn paging_headers(address: ListAddress<'_>, paging: Paging, found: &Page<Project>) -> Vec<Header> {
    match paging {
        Paging::Offset(asked) => address.offset_headers(asked, found),
        Paging::Keyset { sort, .. } => {
            let last = found.items.last().filter(|_| found.has_next);
            address.keyset_headers(sort, last.map(|project| project.id.get()))
        }
    }
}

fn read_filter(params: &Params, reader: Reader) -> Result<(ProjectFilter, bool), ApiError> {
    let mut read = params.reader();
    let mut filter = ProjectFilter::new(reader);
    filter.search = read.text("search").filter(|text| !text.is_empty());
    filter.visibility = read.word("visibility", Visibility::parse);
    filter.owned = read.boolean("owned").unwrap_or_default();
    let membership = read.boolean("membership").unwrap_or_default();
    let least = read.integer("min_access_level");
    if least.is_some_and(|number| AccessLevel::from_number(number).is_none()) {
        read.fault("min_access_level", "does not have a valid value");
    }
    let member = membership.then_some(AccessLevel::Guest);
    filter.min_access_level = least.and_then(AccessLevel::from_number).or(member);
    filter.id_after = read.integer("id_after").map(ProjectId::new);
    filter.id_before = read.integer("id_before").map(ProjectId::new);
    filter.order_by = read
        .word("order_by", ProjectOrder::parse)
        .unwrap_or_default();
    filter.sort = read.word("sort", SortOrder::parse).unwrap_or_default();
    let simple = read.boolean("simple").unwrap_or_default();
    read.finish()?;
    Ok((filter, simple))
}

/// A keyset page is the first page of what comes after the last id, in the order of ids.
fn apply_keyset(mut filter: ProjectFilter, paging: Paging) -> (ProjectFilter, OffsetPage) {
    match paging {
        Paging::Offset(page) => (filter, page),
        Paging::Keyset { per_page, sort } => {
            filter.order_by = ProjectOrder::Id;
            filter.sort = sort;
            (filter, OffsetPage::new(1, per_page.into()))
        }
    }
}

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    caller: Caller,
) -> Result<HttpResponse, Failure> {
    let wanted = ProjectRequest::new(&request, &caller, READ)?;
    let found: Result<_, ProjectRefusal> = state.database.read(move |tx| wanted.find(tx)).await;
    let (project, access) = found?;
    if caller.reader(READ)? == Reader::Anonymous {
        return answer::json(&request, &SimpleProject::new(&project, &state.base_url));
    }
    answer::json(
        &request,
        &FullProject::new(&project, Some(access), &state.base_url),
    )
}
