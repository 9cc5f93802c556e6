//! `GET /api/v4/projects`, `GET /api/v4/projects/:id` and the projects of a group (`PATH-01`).

use actix_web::HttpResponse;
use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::page::SortOrder;
use api_conventions::paging::Paging;
use projects::{ProjectOrder, ProjectsWithin};
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Kind, Operation, Pages, Parameter, get};

use super::filter::{UNBUILT, read_filter};
use super::shown::{Described, Found, Shown};
use crate::frame::api::AsAnybody;
use crate::frame::group::{GROUP, SeesGroup};
use crate::frame::project::{PROJECT, SeesProject};
use crate::frame::scopes::Read;

const ROLES: Kind = Kind::Number(&AccessLevel::NUMBERS);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listProjects", "/api/v4/projects", list)
            .documented("projects", "List the projects that the caller sees")
            .takes(filters())
            .lacks(UNBUILT)
            .paged(Pages::OffsetAndKeyset)
            .answers(Answer::json::<Vec<Shown>>(200, "A page of the projects.")),
        get("showProject", "/api/v4/projects/{id}", show)
            .documented("projects", "Show a project")
            .takes([PROJECT])
            .answers(Answer::json::<Shown>(200, "The project.")),
        get(
            "listGroupProjects",
            "/api/v4/groups/{id}/projects",
            list_of_group,
        )
        .documented(
            "groups",
            "List the projects of a group that the caller sees",
        )
        .takes([
            GROUP,
            Parameter::query(
                "include_subgroups",
                Kind::Boolean,
                "Whether to list those of its subgroups, too.",
            ),
            Parameter::query(
                "with_shared",
                Kind::Boolean,
                "Whether to list those that are shared with it, as well; `true` when it is absent.",
            ),
        ])
        .takes(filters())
        .lacks(UNBUILT)
        .paged(Pages::Offset)
        .answers(Answer::json::<Vec<Shown>>(200, "A page of the projects.")),
    ]
}

pub(super) fn filters() -> [Parameter; 20] {
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
            "Only projects that the caller owns.",
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
            Kind::Boolean,
            "Only projects that are archived, or only those that are not.",
        ),
        Parameter::query(
            "topic",
            Kind::ANY_TEXT,
            "Only projects with each of these topics, separated by commas.",
        ),
        Parameter::query(
            "search_namespaces",
            Kind::Boolean,
            "Whether to search in the full path, too.",
        ),
        Parameter::query(
            "updated_after",
            Kind::Timestamp,
            "Only projects that were changed after this time.",
        ),
        Parameter::query(
            "updated_before",
            Kind::Timestamp,
            "Only projects that were not changed since this time.",
        ),
        Parameter::query(
            "with_issues_enabled",
            Kind::Boolean,
            "Only projects that have issues, as all of them do.",
        ),
        Parameter::query(
            "with_merge_requests_enabled",
            Kind::Boolean,
            "Only projects whose merge requests are on.",
        ),
        Parameter::query(
            "active",
            Kind::Boolean,
            "Only projects that are not archived, or only those that are.",
        ),
    ]
}

async fn list(asked: AsAnybody<Read>) -> Result<HttpResponse, Failure> {
    let viewer = *asked.who();
    let (filter, is_short) = read_filter(asked.params(), viewer)?;
    let paging = Paging::by_id(asked.params(), asked.settings().paging.max_offset)?;
    let today = asked.now().date();
    let found = asked.read(move |tx| {
        let found = Found::read(tx, &filter, today, paging)?;
        let described = Described::read(tx, found.items(), viewer, today)?;
        Ok((found, described))
    });
    let (found, described) = found.await?;
    let headers = found.headers(asked.list_address());
    let projects = found.items().iter();
    let shown = projects.map(|project| described.show(project, is_short, asked.base_url()));
    asked.json_with(&shown.collect::<Vec<Shown>>(), headers)
}

async fn list_of_group(asked: SeesGroup<Read>) -> Result<HttpResponse, Failure> {
    let viewer = asked.viewer();
    let (mut filter, is_short) = read_filter(asked.params(), viewer)?;
    let mut read = asked.params().reader();
    let with_subgroups = read.boolean("include_subgroups").unwrap_or_default();
    let with_shared = read.boolean("with_shared").unwrap_or(true);
    read.finish()?;
    let page = Paging::offset(asked.params())?;
    let today = asked.now().date();
    let found = asked.read(move |tx, group, _| {
        filter.within = ProjectsWithin::Group {
            id: group.id,
            with_subgroups,
            with_shared,
        };
        let found = tx.list_projects(&filter, today, page)?;
        let described = Described::read(tx, &found.items, viewer, today)?;
        Ok((found, described))
    });
    let (found, described) = found.await?;
    asked.page(page, found, |project| {
        described.show(&project, is_short, asked.base_url())
    })
}

async fn show(asked: SeesProject<Read>) -> Result<HttpResponse, Failure> {
    let (viewer, now) = (asked.viewer(), asked.now());
    let found = asked.read(move |tx, project, _| {
        let described = Described::read_one(tx, &project, viewer, now)?;
        Ok((project, described))
    });
    let (project, described) = found.await?;
    asked.json(&described.show(&project, false, asked.base_url()))
}
