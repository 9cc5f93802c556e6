//! `GET /api/v4/projects` and `GET /api/v4/projects/:id` (`PATH-01`).

use actix_web::web::{Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::error::ApiError;
use api_conventions::ids::ProjectId;
use api_conventions::page::{KeysetPage, OffsetPage, Page, SortOrder, Stretch};
use api_conventions::paging::{Header, ListAddress, Paging};
use api_conventions::params::Params;
use api_conventions::time::CalendarDate;
use projects::wire::{FullProject, SimpleProject};
use projects::{Project, ProjectFilter, ProjectOrder, Reader};
use serde::Serialize;
use storage::{Store as _, StoreError};

use crate::database::ReadTransaction;
use crate::extract::caller::{Caller, READ};
use crate::extract::params::{RequestParams, list_address};
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
    RequestParams(params): RequestParams,
) -> Result<HttpResponse, Failure> {
    let reader = caller.reader(READ)?;
    let (filter, simple) = read_filter(&params, reader)?;
    let paging = Paging::by_id(&params, state.settings.paging.max_offset)?;
    let today = caller.now().date();
    let found = state
        .database
        .read(move |tx| list_page(tx, &filter, today, paging));
    let found: Result<Found, StoreError> = found.await;
    let found = found?;
    let headers = found.headers(list_address(&request, &state));
    let shown = found.into_items().into_iter();
    let shown: Vec<Shown> = shown
        .map(|project| Shown::new(&project, reader, simple, &state.base_url))
        .collect();
    answer::page(&request, &shown, headers)
}

/// What was found, by the kind of paging that was asked for.
enum Found {
    Offset(OffsetPage, Page<Project>),
    Keyset(KeysetPage, Stretch<Project>),
}

impl Found {
    fn headers(&self, address: ListAddress<'_>) -> Vec<Header> {
        match self {
            Self::Offset(asked, page) => address.offset_headers(*asked, page),
            Self::Keyset(asked, stretch) => {
                let last = stretch.items.last().filter(|_| stretch.has_next);
                address.keyset_headers(asked.sort(), last.map(|project| project.id.get()))
            }
        }
    }

    fn into_items(self) -> Vec<Project> {
        match self {
            Self::Offset(_, page) => page.items,
            Self::Keyset(_, stretch) => stretch.items,
        }
    }
}

fn list_page(
    tx: &mut dyn ReadTransaction,
    filter: &ProjectFilter,
    today: CalendarDate,
    paging: Paging,
) -> Result<Found, StoreError> {
    match paging {
        Paging::Offset(asked) => {
            let page = tx.list_projects(filter, today, asked)?;
            Ok(Found::Offset(asked, page))
        }
        Paging::Keyset { per_page, sort } => {
            let asked = KeysetPage::new(per_page, sort);
            let stretch = tx.list_projects_by_key(filter, today, asked)?;
            Ok(Found::Keyset(asked, stretch))
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
