//! `GET /api/v4/projects`, `GET /api/v4/projects/:id` and the projects of a group (`PATH-01`).

use ::pipelines::model::RunnerPlace;
use actix_web::HttpResponse;
use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::page::SortOrder;
use api_conventions::paging::Paging;
use projects::{ProjectOrder, ProjectsWithin};
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Pages, Parameter, ParameterKind, ResponseSpec, get};

use super::filter::{UNSUPPORTED_FILTERS, read_filter};
use super::view::{ProjectRelations, ProjectResults, ProjectView};
use crate::config::RequestLimit;
use crate::frame::api::AsCaller;
use crate::frame::group::{GROUP, SeesGroup};
use crate::frame::limits::LimitedOperation as _;
use crate::frame::project::{PROJECT, SeesProject};
use crate::frame::runners_token::RunnersToken;
use crate::frame::scopes::ReadApi;

const ROLES: ParameterKind = ParameterKind::Number(&AccessLevel::NUMBERS);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listProjects", "/api/v4/projects", list)
            .limited_by(RequestLimit::AnonymousProjectList)
            .documented("projects", "List the projects visible to the caller")
            .takes(filters())
            .without_filters(UNSUPPORTED_FILTERS)
            .paged(Pages::OffsetAndKeyset)
            .response(ResponseSpec::json::<Vec<ProjectView>>(
                200,
                "A page of projects.",
            )),
        get("showProject", "/api/v4/projects/{id}", show)
            .documented("projects", "Get a project")
            .takes([PROJECT])
            .response(ResponseSpec::json::<ProjectView>(200, "The project.")),
        get(
            "listGroupProjects",
            "/api/v4/groups/{id}/projects",
            list_of_group,
        )
        .documented(
            "groups",
            "List the projects of a group that are visible to the caller",
        )
        .takes([
            GROUP,
            Parameter::query(
                "include_subgroups",
                ParameterKind::Boolean,
                "Include projects of subgroups.",
            ),
            Parameter::query(
                "with_shared",
                ParameterKind::Boolean,
                "Include projects shared with the group (default: `true`).",
            ),
        ])
        .takes(filters())
        .without_filters(UNSUPPORTED_FILTERS)
        .paged(Pages::Offset)
        .response(ResponseSpec::json::<Vec<ProjectView>>(
            200,
            "A page of projects.",
        )),
    ]
}

pub(super) fn filters() -> [Parameter; 20] {
    let flag = |name, about| Parameter::query(name, ParameterKind::Boolean, about);
    [
        Parameter::query(
            "search",
            ParameterKind::ANY_TEXT,
            "Search in name, path and description.",
        ),
        Parameter::query(
            "visibility",
            ParameterKind::Word(&Visibility::NAMES),
            "Filter by visibility.",
        ),
        flag("owned", "Only projects that the caller owns."),
        flag(
            "membership",
            "Only projects that the caller is a member of.",
        ),
        Parameter::query(
            "min_access_level",
            ROLES,
            "Only projects in which the caller has at least this role.",
        ),
        Parameter::query(
            "id_after",
            ParameterKind::ANY_INTEGER,
            "Only projects with an id greater than this.",
        ),
        Parameter::query(
            "id_before",
            ParameterKind::ANY_INTEGER,
            "Only projects with an id less than this.",
        ),
        Parameter::query(
            "last_activity_after",
            ParameterKind::Timestamp,
            "Only projects with activity after this time.",
        ),
        Parameter::query(
            "last_activity_before",
            ParameterKind::Timestamp,
            "Only projects without activity after this time.",
        ),
        Parameter::query(
            "order_by",
            ParameterKind::Word(&ProjectOrder::NAMES),
            "Sort column.",
        ),
        Parameter::query(
            "sort",
            ParameterKind::Word(&SortOrder::NAMES),
            "Sort direction.",
        ),
        flag(
            "simple",
            "Return only the fields that are visible to everyone.",
        ),
        flag(
            "archived",
            "Only archived projects, or only projects that are not archived.",
        ),
        Parameter::query(
            "topic",
            ParameterKind::ANY_TEXT,
            "Only projects with all of these topics, separated by commas.",
        ),
        flag("search_namespaces", "Search in the full path, too."),
        Parameter::query(
            "updated_after",
            ParameterKind::Timestamp,
            "Only projects updated after this time.",
        ),
        Parameter::query(
            "updated_before",
            ParameterKind::Timestamp,
            "Only projects not updated since this time.",
        ),
        flag(
            "with_issues_enabled",
            "Only projects with issues enabled, which are all of them.",
        ),
        flag(
            "with_merge_requests_enabled",
            "Only projects with merge requests enabled.",
        ),
        flag(
            "active",
            "Only projects that are not archived, or only archived projects.",
        ),
    ]
}

async fn list(request: AsCaller<ReadApi>) -> Result<HttpResponse, Failure> {
    let viewer = *request.caller();
    let (filter, is_short) = read_filter(request.params(), viewer)?;
    let paging = Paging::by_id(request.params(), request.settings().paging.max_offset)?;
    let today = request.now().date();
    let found = request.read(move |tx| {
        let found = ProjectResults::read(tx, &filter, today, paging)?;
        let relations = ProjectRelations::read(tx, found.items(), viewer, today)?;
        Ok((found, relations))
    });
    let (found, relations) = found.await?;
    let headers = found.headers(request.list_address());
    let projects = found.items().iter();
    let views = projects.map(|project| relations.show(project, is_short, request.base_url()));
    request.json_with(&views.collect::<Vec<ProjectView>>(), headers)
}

async fn list_of_group(request: SeesGroup<ReadApi>) -> Result<HttpResponse, Failure> {
    let viewer = request.viewer();
    let (mut filter, is_short) = read_filter(request.params(), viewer)?;
    let mut read = request.params().reader();
    let with_subgroups = read.boolean("include_subgroups").unwrap_or_default();
    let with_shared = read.boolean("with_shared").unwrap_or(true);
    read.finish()?;
    let page = Paging::offset(request.params())?;
    let today = request.now().date();
    let found = request.read(move |tx, group, _| {
        filter.within = ProjectsWithin::Group {
            id: group.id,
            with_subgroups,
            with_shared,
        };
        let found = tx.list_projects(&filter, today, page)?;
        let relations = ProjectRelations::read(tx, &found.items, viewer, today)?;
        Ok((found, relations))
    });
    let (found, relations) = found.await?;
    request.page(page, found, |project| {
        relations.show(&project, is_short, request.base_url())
    })
}

async fn show(request: SeesProject<ReadApi>) -> Result<HttpResponse, Failure> {
    let (viewer, now) = (request.viewer(), request.now());
    let vault = request.vault();
    let found = request.read(move |tx, project, access| {
        let relations = ProjectRelations::read_one(tx, &project, viewer, now)?;
        let place = RunnerPlace::Project(project.id);
        let is_manager = access.allows(AccessLevel::Maintainer);
        let token = RunnersToken::read(tx, &vault, place, is_manager)?;
        Ok((project, relations.with_runners_token(token)))
    });
    let (project, relations) = found.await?;
    request.json(&relations.show(&project, false, request.base_url()))
}
