//! Projects of the caller, and errors of a project.

use actix_web::HttpResponse;
use api_conventions::access::AccessLevel;
use api_conventions::error::ApiError;
use api_conventions::page::{OffsetPage, Total};
use api_conventions::params::Params;
use error_tracking::external::{ExternalIssue, IssueProject, link_header, offset_of, read_query};
use error_tracking::model::{ErrorFilter, ErrorOrder, StatusName, TrackedError};
use error_tracking::rules::tags::ENVIRONMENT;
use error_tracking::store::HourCount;
use projects::{Project, ProjectFilter};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use url::Url;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Parameter, ParameterKind, ResponseSpec, get};

use super::super::errors::{DAY, hours_of, list_matching};
use super::TAG;
use crate::frame::api::{ApiRequest, AsUser};
use crate::frame::scopes::{ReadApi, Reporter};
use crate::frame::tracked_error::{InNamedProject, ORGANIZATION, SLUG};

/// Rows per page: the default, and the maximum.
const DEFAULT_LIMIT: i64 = 25;
const MAX_LIMIT: i64 = 100;
/// Last row that a cursor can reach.
const LAST_ROW: u64 = 10_000;

/// Sort columns of a list.
const ORDERS: [&str; 4] = ["date", "new", "freq", "user"];

const LIMIT: Parameter = Parameter::query(
    "limit",
    ParameterKind::Integer {
        min: 1,
        max: MAX_LIMIT,
    },
    "Number of rows per page.",
);
const CURSOR: Parameter = Parameter::query(
    "cursor",
    ParameterKind::Matching("^([0-9]{1,9}:[0-9]{1,5}:[01])?$"),
    "Cursor from the `Link` header of the previous page.",
);

/// A project in the web API.
#[derive(Debug, Serialize, JsonSchema)]
struct ProjectJson {
    id: String,
    name: String,
    slug: String,
    status: &'static str,
    organization: OrganizationJson,
}

/// Organization of a project: its namespace.
#[derive(Debug, Serialize, JsonSchema)]
struct OrganizationJson {
    id: String,
    name: String,
    /// Slug for use in addresses, with slashes percent-encoded.
    slug: String,
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listTrackerProjects", "/api/0/projects/", projects)
            .also_at(&["/api/0/projects"])
            .documented(TAG, "List the projects whose errors the caller can read")
            .takes([LIMIT, CURSOR])
            .response(ResponseSpec::json::<Vec<ProjectJson>>(
                200,
                "A page of projects.",
            )),
        get(
            "listTrackerIssues",
            "/api/0/projects/{organization}/{project}/issues/",
            issues,
        )
        .also_at(&["/api/0/projects/{organization}/{project}/issues"])
        .documented(
            TAG,
            "List the errors of a project, by default the unresolved ones",
        )
        .takes([ORGANIZATION, SLUG, LIMIT, CURSOR])
        .takes([
            Parameter::query(
                "query",
                ParameterKind::ANY_TEXT,
                "Search terms, and conditions such as `is:resolved level:error environment:production`.",
            ),
            Parameter::query("sort", ParameterKind::Word(&ORDERS), "Sort order."),
            Parameter::query(
                "environment",
                ParameterKind::ANY_TEXT,
                "Filter by environment.",
            ),
        ])
        .response(ResponseSpec::json::<Vec<Map<String, Value>>>(
            200,
            "A page of errors.",
        )),
    ]
}

async fn projects(request: AsUser<ReadApi>) -> Result<HttpResponse, Failure> {
    let page = page_of(request.params())?;
    let mut filter = ProjectFilter::new(request.caller().viewer());
    filter.min_access_level = Some(AccessLevel::Reporter);
    let today = request.now().date();
    let found = request
        .read(move |tx| Ok(tx.list_projects(&filter, today, page)?))
        .await?;
    let rows: Vec<ProjectJson> = found.items.iter().map(project_json).collect();
    answer(&request, page, found.has_next, &rows)
}

fn project_json(project: &Project) -> ProjectJson {
    let namespace = &project.namespace;
    ProjectJson {
        id: project.id.to_string(),
        name: project.name.clone(),
        slug: project.path.clone(),
        status: "active",
        organization: OrganizationJson {
            id: namespace.id.to_string(),
            name: namespace.name.clone(),
            slug: namespace.full_path.as_str().replace('/', "%2F"),
        },
    }
}

async fn issues(request: InNamedProject<Reporter, ReadApi>) -> Result<HttpResponse, Failure> {
    let page = page_of(request.params())?;
    let filter = filter_of(request.params())?;
    let from = request.now().plus_seconds(-DAY);
    let found = request.read(move |tx, project| {
        let mut filter = filter;
        filter.project_id = project.id;
        let errors = list_matching(tx, &filter, page)?;
        // Cursors of this protocol are row numbers, which cannot point into an unfinished list.
        if let Total::Unfinished(_) = errors.total {
            return Err(ApiError::too_much_work().into());
        }
        let hours = hours_of(tx, &errors.items, from)?;
        Ok((errors, hours))
    });
    let ((errors, hours), project) = found.await?;
    let none: Vec<HourCount> = Vec::new();
    let issue = |error: &TrackedError| {
        let hours = hours.get(&error.id).unwrap_or(&none);
        issue_of(&request, &project, error, hours).to_json()
    };
    let rows: Vec<Value> = errors.items.iter().map(issue).collect();
    answer(&request, page, errors.has_next, &rows)
}

/// Builds the web API's view of an error.
pub(super) fn issue_of(
    request: &ApiRequest,
    project: &Project,
    error: &TrackedError,
    hours: &[HourCount],
) -> ExternalIssue {
    let path = project.full_path.as_str();
    let page = format!(
        "{}/{path}/-/error_tracking/{}/details",
        request.base_url(),
        error.iid
    );
    let project = IssueProject {
        id: project.id.to_string(),
        name: project.name.clone(),
        slug: project.path.clone(),
    };
    ExternalIssue::of(error, hours, project, page)
}

/// Returns the page at a cursor.
fn page_of(params: &Params) -> Result<OffsetPage, ApiError> {
    let mut read = params.reader();
    let limit = read
        .integer_within(LIMIT.name, 1..=MAX_LIMIT)
        .unwrap_or(DEFAULT_LIMIT);
    let limit = limit.unsigned_abs();
    let cursor = read.text(CURSOR.name).filter(|cursor| !cursor.is_empty());
    let offset = match cursor.as_deref().map(offset_of) {
        None => 0,
        // The offset must be a multiple of the page size, because this server issues no other cursors.
        Some(Some(offset)) if offset <= LAST_ROW && offset % limit == 0 => offset,
        Some(_) => {
            read.fault(CURSOR.name, "does not have a valid value");
            0
        }
    };
    read.finish()?;
    Ok(OffsetPage::new(offset / limit + 1, limit))
}

fn filter_of(params: &Params) -> Result<ErrorFilter, ApiError> {
    let mut read = params.reader();
    let mut filter = ErrorFilter::new(api_conventions::ids::ProjectId::new(0));
    filter.status = Some(StatusName::Unresolved);
    let order = read.word("sort", |word| match word {
        "date" => Some(ErrorOrder::LastSeen),
        "new" => Some(ErrorOrder::FirstSeen),
        "freq" => Some(ErrorOrder::Frequency),
        "user" => Some(ErrorOrder::Users),
        _ => None,
    });
    filter.order_by = order.unwrap_or_default();
    // Only a request without `query` lists unresolved errors alone; an empty `query` lists all.
    let query = read.text("query");
    if let Some(Err(fault)) = query.map(|query| read_query(&query, &mut filter)) {
        read.fault("query", &format!("is invalid: {fault}"));
    }
    let environment = read.text("environment").filter(|text| !text.is_empty());
    let environment = environment.map(|value| (ENVIRONMENT.to_owned(), value));
    filter.tags.extend(environment);
    read.finish()?;
    Ok(filter)
}

/// Answers with a page, and with links to the previous and next pages.
fn answer<T: Serialize>(
    request: &ApiRequest,
    page: OffsetPage,
    has_next: bool,
    rows: &[T],
) -> Result<HttpResponse, Failure> {
    let list = request.list_address();
    let address = format!("{}{}?{}", list.base_url, list.path, list.query);
    let address =
        Url::parse(&address).map_err(|error| Failure::caused(ApiError::internal(), error))?;
    let offset = u64::try_from(page.offset()).unwrap_or_default();
    let size = u64::from(page.per_page());
    let leads_on = has_next && offset + size <= LAST_ROW;
    let link = link_header(&address, offset, size, leads_on);
    request.json_with(&rows, vec![("Link", link)])
}
