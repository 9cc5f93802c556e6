//! `GET /api/v4/projects` and `GET /api/v4/projects/:id` (`PATH-01`).

use actix_web::web::{Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::page::{KeysetPage, OffsetPage, Page, Stretch};
use api_conventions::paging::{Header, ListAddress, Paging};
use api_conventions::time::CalendarDate;
use projects::flow::full_names::full_names;
use projects::wire::{FullProject, SimpleProject};
use projects::{FullNames, Project, ProjectFilter, Viewer};
use serde::Serialize;
use storage::StoreError;

use crate::extract::caller::{Caller, READ};
use crate::extract::params::list_address;
use crate::extract::project::ProjectRequest;
use crate::http::answer;
use crate::http::endpoint::at;
use crate::http::failure::Failure;
use crate::routes::project_filter::read_filter;
use crate::state::AppState;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::project::ProjectRefusal;

/// Mounts the endpoints.
pub fn configure(service: &mut ServiceConfig) {
    service.service(at("/api/v4/projects").get(list).build());
    service.service(at("/api/v4/projects/{id}").get(show).build());
}

/// A project as this viewer is told of it.
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
    let viewer = caller.viewer(READ)?;
    let (filter, simple) = read_filter(caller.params(), viewer)?;
    let paging = Paging::by_id(caller.params(), state.settings.paging.max_offset)?;
    let today = caller.now().date();
    let found = state.database.read(caller.lane(), move |tx| {
        list_page(tx, &filter, today, paging)
    });
    let found: Result<(Found, FullNames), StoreError> = found.await;
    let (found, names) = found?;
    let headers = found.headers(list_address(&request, &state));
    let is_short = simple || viewer == Viewer::Anonymous;
    let show = |project: &Project| Shown::new(project, &names, is_short, &state.base_url);
    let shown: Vec<Shown> = found.items().iter().map(show).collect();
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

    fn items(&self) -> &[Project] {
        match self {
            Self::Offset(_, page) => &page.items,
            Self::Keyset(_, stretch) => &stretch.items,
        }
    }
}

/// A page of projects, and what their namespaces are called in full.
fn list_page(
    tx: &mut dyn ReadTransaction,
    filter: &ProjectFilter,
    today: CalendarDate,
    paging: Paging,
) -> Result<(Found, FullNames), StoreError> {
    let found = match paging {
        Paging::Offset(asked) => Found::Offset(asked, tx.list_projects(filter, today, asked)?),
        Paging::Keyset { per_page, sort } => {
            let asked = KeysetPage::new(per_page, sort);
            Found::Keyset(asked, tx.list_projects_by_key(filter, today, asked)?)
        }
    };
    let names = full_names(tx, found.items())?;
    Ok((found, names))
}

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    caller: Caller,
) -> Result<HttpResponse, Failure> {
    let wanted = ProjectRequest::new(&request, &caller, READ)?;
    let found = state.database.read(caller.lane(), move |tx| {
        let (project, access) = wanted.find(tx)?;
        let names = full_names(tx, std::slice::from_ref(&project))?;
        Ok::<_, ProjectRefusal>((project, names, access))
    });
    let (project, names, access) = found.await?;
    if caller.viewer(READ)? == Viewer::Anonymous {
        let shown = SimpleProject::new(&project, &names, &state.base_url);
        return answer::json(&request, &shown);
    }
    let shown = FullProject::new(&project, &names, Some(access), &state.base_url);
    answer::json(&request, &shown)
}
