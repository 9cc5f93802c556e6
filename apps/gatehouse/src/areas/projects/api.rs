//! `GET /api/v4/projects` and `GET /api/v4/projects/:id` (`PATH-01`).

use actix_web::HttpResponse;
use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::page::{KeysetPage, OffsetPage, Page, SortOrder, Stretch};
use api_conventions::paging::{Header, ListAddress, Paging};
use api_conventions::time::CalendarDate;
use gatehouse_core::database::ReadTransaction;
use projects::flow::full_names::full_names;
use projects::wire::{FullProject, SimpleProject};
use projects::{FullNames, Project, ProjectFilter, ProjectOrder, Viewer};
use schemars::JsonSchema;
use serde::Serialize;
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Kind, Operation, Pages, Parameter, get};

use super::filter::read_filter;
use crate::frame::api::AsAnybody;
use crate::frame::project::{PROJECT, SeesProject};
use crate::frame::scopes::Read;

const ROLES: Kind = Kind::Number(&AccessLevel::NUMBERS);

/// The operations.
pub fn operations() -> Vec<Operation> {
    vec![
        get("listProjects", "/api/v4/projects", list)
            .documented("projects", "List the projects that the caller sees")
            .takes(filters())
            .paged(Pages::OffsetAndKeyset)
            .answers(Answer::json::<Vec<Shown>>(200, "A page of the projects.")),
        get("showProject", "/api/v4/projects/{id}", show)
            .documented("projects", "Show a project")
            .takes([PROJECT])
            .answers(Answer::json::<Shown>(200, "The project.")),
    ]
}

fn filters() -> [Parameter; 13] {
    [
        Parameter::query(
            "search",
            Kind::ANY_TEXT,
            "Only projects whose name, path or description contains this.",
        ),
        Parameter::query(
            "visibility",
            Kind::Word(&Visibility::NAMES),
            "Only projects of this visibility.",
        ),
        Parameter::query(
            "owned",
            Kind::Boolean,
            "Only projects in the caller's own namespace.",
        ),
        Parameter::query(
            "membership",
            Kind::Boolean,
            "Only projects that the caller is a member of.",
        ),
        Parameter::query(
            "min_access_level",
            ROLES,
            "Only projects in which the caller has this role or a higher one.",
        ),
        Parameter::query(
            "id_after",
            Kind::ANY_INTEGER,
            "Only projects with a greater number.",
        ),
        Parameter::query(
            "id_before",
            Kind::ANY_INTEGER,
            "Only projects with a smaller number.",
        ),
        Parameter::query(
            "last_activity_after",
            Kind::Timestamp,
            "Only projects with activity after this time.",
        ),
        Parameter::query(
            "last_activity_before",
            Kind::Timestamp,
            "Only projects without activity after this time.",
        ),
        Parameter::query(
            "order_by",
            Kind::Word(&ProjectOrder::NAMES),
            "By what the list is ordered.",
        ),
        Parameter::query("sort", Kind::Word(&SortOrder::NAMES), "In which direction."),
        Parameter::query(
            "simple",
            Kind::Boolean,
            "Only the fields that everybody is shown.",
        ),
        Parameter::query(
            "archived",
            Kind::False,
            "No project is archived: `true` is refused.",
        ),
    ]
}

/// A project as this viewer sees it.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Project")]
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

async fn list(asked: AsAnybody<Read>) -> Result<HttpResponse, Failure> {
    let viewer = *asked.who();
    let (filter, simple) = read_filter(asked.params(), viewer)?;
    let paging = Paging::by_id(asked.params(), asked.settings().paging.max_offset)?;
    let today = asked.now().date();
    let found = asked.read(move |tx| Ok(list_page(tx, &filter, today, paging)?));
    let (found, names) = found.await?;
    let headers = found.headers(asked.list_address());
    let is_short = simple || viewer == Viewer::Anonymous;
    let show = |project: &Project| Shown::new(project, &names, is_short, asked.base_url());
    let shown: Vec<Shown> = found.items().iter().map(show).collect();
    asked.json_with(&shown, headers)
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

async fn show(asked: SeesProject<Read>) -> Result<HttpResponse, Failure> {
    let found = asked.read(|tx, project, access| {
        let names = full_names(tx, std::slice::from_ref(&project))?;
        Ok((project, names, access))
    });
    let (project, names, access) = found.await?;
    if asked.viewer() == Viewer::Anonymous {
        return asked.json(&SimpleProject::new(&project, &names, asked.base_url()));
    }
    asked.json(&FullProject::new(
        &project,
        &names,
        Some(access),
        asked.base_url(),
    ))
}
