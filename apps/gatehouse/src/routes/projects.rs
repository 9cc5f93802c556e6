//! `GET /api/v4/projects` and `GET /api/v4/projects/:id` (`PATH-01`).

use actix_web::web::{Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::paging::{Header, ListAddress, Paging};
use api_conventions::time::CalendarDate;
use projects::flow::full_names::full_names;
use projects::wire::{FullProject, SimpleProject};
use projects::{FullNames, Project, ProjectFilter, ProjectOrder, Reader};
use serde::Serialize;
use storage::{Store as _, StoreError};

use crate::database::ReadTransaction;
use crate::extract::caller::{Caller, READ};
use crate::extract::params::list_address;
use crate::extract::project::{ProjectRefusal, ProjectRequest};
use crate::http::answer;
use crate::http::endpoint::at;
use crate::http::failure::Failure;
use crate::routes::project_filter::read_filter;
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
    fn new(project: &Project, names: &FullNames, is_short: bool, base_url: &str) -> Self {
        if is_short {
            Self::Simple(Box::new(SimpleProject::new(project, names, base_url)))
        } else {
            Self::Full(Box::new(FullProject::new(project, names, None, base_url)))
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
        .read(move |tx| list_named(tx, &filter, today, page));
    let (found, names) = found.await?;
    let headers = paging_headers(list_address(&request, &state), paging, &found);
    let is_short = simple || reader == Reader::Anonymous;
    let shown = found.map(|project| Shown::new(&project, &names, is_short, &state.base_url));
    answer::page(&request, &shown.items, headers)
}

/// A page of projects, and what their namespaces are called in full.
fn list_named(
    tx: &mut dyn ReadTransaction,
    filter: &ProjectFilter,
    today: CalendarDate,
    page: OffsetPage,
) -> Result<(Page<Project>, FullNames), StoreError> {
    let found = tx.list_projects(filter, today, page)?;
    let names = full_names(tx, &found.items)?;
    Ok((found, names))
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
    let found = state.database.read(move |tx| {
        let (project, access) = wanted.find(tx)?;
        let names = full_names(tx, std::slice::from_ref(&project))?;
        Ok::<_, ProjectRefusal>((project, names, access))
    });
    let (project, names, access) = found.await?;
    if caller.reader(READ)? == Reader::Anonymous {
        let shown = SimpleProject::new(&project, &names, &state.base_url);
        return answer::json(&request, &shown);
    }
    let shown = FullProject::new(&project, &names, Some(access), &state.base_url);
    answer::json(&request, &shown)
}
