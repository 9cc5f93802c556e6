//! `/api/v4/projects/:id/error_tracking/errors`: the errors of a project (`ERR-04`).

use std::collections::BTreeMap;

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::{ErrorId, ProjectId, UserId};
use api_conventions::page::{KeysetPage, KeysetSlice, OffsetPage, Page, SortOrder, Total};
use api_conventions::paging::Paging;
use api_conventions::params::Params;
use api_conventions::time::Timestamp;
use error_tracking::model::{ErrorFilter, ErrorOrder, EventId, Level, StatusName, TrackedError};
use error_tracking::rules::tags::{ENVIRONMENT, RELEASE};
use error_tracking::store::{EventPosition, HourCount};
use error_tracking::wire::{ErrorDetailJson, ErrorJson, TagJson};
use gatehouse_core::database::ReadTransaction;
use projects::Project;
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Pages, Parameter, ParameterKind, ResponseSpec, get};

use super::TAG;
use super::external::{self, bad_gateway, external_project, gateway_timeout};
use super::lookup::{IID, NamedError};
use crate::frame::api::ApiRequest;
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{ReadApi, Reporter};

pub(super) const ERRORS: &str = "/api/v4/projects/{id}/error_tracking/errors";
pub(super) const ERROR: &str = "/api/v4/projects/{id}/error_tracking/errors/{iid}";

/// Values of the status filter: the statuses of an error, and `all`.
const STATUSES: [&str; 4] = ["unresolved", "resolved", "ignored", "all"];
pub(super) const LEVELS: [&str; 5] = ["debug", "info", "warning", "error", "fatal"];
/// Sort columns.
/// `id` is the order in which errors appeared, and the only column for keyset pagination.
const ORDERS: [&str; 5] = ["last_seen", "first_seen", "frequency", "users", "id"];
pub(super) const CURSOR: Parameter = Parameter::query(
    "cursor",
    ParameterKind::Text { min: 0, max: 200 },
    "Cursor from the `Link` header, for errors of an external tracker and for lists that are too long to search at once.",
);
pub(super) const AFTER: Parameter = Parameter::query(
    "id_after",
    ParameterKind::ID,
    "With keyset pagination: only errors with an id greater than this.",
);
pub(super) const BEFORE: Parameter = Parameter::query(
    "id_before",
    ParameterKind::ID,
    "With keyset pagination: only errors with an id less than this.",
);
/// Values shown per tag.
const VALUES: usize = 10;
/// Seconds covered by the hourly counts in a list.
pub(super) const DAY: i64 = 86_400;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listErrors", ERRORS, list)
            .documented(
                TAG,
                "List the errors of a project, by default the unresolved ones",
            )
            .takes([PROJECT])
            .takes(filters())
            .paged(Pages::OffsetAndKeyset)
            .response(ResponseSpec::json::<Vec<ErrorJson>>(
                200,
                "A page of errors.",
            ))
            .response(bad_gateway())
            .response(gateway_timeout()),
        get("showError", ERROR, show)
            .documented(TAG, "Get an error")
            .takes([PROJECT, IID])
            .response(ResponseSpec::json::<ErrorDetailJson>(200, "The error."))
            .response(bad_gateway())
            .response(gateway_timeout()),
    ]
}

fn filters() -> [Parameter; 14] {
    let text = |name, about| Parameter::query(name, ParameterKind::ANY_TEXT, about);
    [
        Parameter::query(
            "status",
            ParameterKind::Word(&STATUSES),
            "Filter by status; `all` for any.",
        ),
        text(
            "search",
            "Search in title and culprit. An event id finds the error of that event, in any status.",
        ),
        text("environment", "Filter by environment."),
        text("release", "Filter by release."),
        Parameter::query(
            "level",
            ParameterKind::Word(&LEVELS),
            "Filter by the level of the latest event.",
        ),
        Parameter::query(
            "tags",
            ParameterKind::Texts,
            "Filter by tags, each as `name:value`.",
        ),
        Parameter::query("assignee_id", ParameterKind::ID, "Filter by assignee."),
        Parameter::query(
            "last_seen_after",
            ParameterKind::Timestamp,
            "Only errors seen at or after this time.",
        ),
        Parameter::query(
            "first_seen_before",
            ParameterKind::Timestamp,
            "Only errors first seen before this time.",
        ),
        Parameter::query("order_by", ParameterKind::Word(&ORDERS), "Sort column."),
        Parameter::query(
            "sort",
            ParameterKind::Word(&SortOrder::NAMES),
            "Sort direction.",
        ),
        AFTER,
        BEFORE,
        CURSOR,
    ]
}

async fn list(request: InProject<Reporter, ReadApi>) -> Result<HttpResponse, Failure> {
    let max_offset = request.settings().paging.max_offset;
    let mut filter = read_filter(request.params())?;
    if let Some(at) = external_project(&request).await? {
        return external::list(&request, &at, filter).await;
    }
    filter.after = Paging::cursor(request.params())?;
    let [after, before] = ends(request.params())?;
    match Paging::by_id(request.params(), max_offset)? {
        Paging::Offset(page) => list_page(&request, filter, page).await,
        Paging::Keyset { per_page, sort } => {
            refuse_cursor(request.params())?;
            let beyond = match sort {
                SortOrder::Ascending => after,
                SortOrder::Descending => before,
            };
            list_keyset_page(&request, filter, KeysetPage::new(per_page, sort), beyond).await
        }
    }
}

/// Answers with a page of offset pagination.
async fn list_page(
    request: &InProject<Reporter, ReadApi>,
    mut filter: ErrorFilter,
    page: OffsetPage,
) -> Result<HttpResponse, Failure> {
    let from = request.now().plus_seconds(-DAY);
    let found = request.read(move |tx, project| {
        filter.project_id = project.id;
        let page = list_matching(tx, &filter, page)?;
        let hours = hours_of(tx, &page.items, from)?;
        Ok((page, hours))
    });
    let ((errors, hours), project) = found.await?;
    request.page(page, errors, |error| {
        error_json(request, &project, &hours, error)
    })
}

/// Answers with a page of keyset pagination.
async fn list_keyset_page(
    request: &InProject<Reporter, ReadApi>,
    mut filter: ErrorFilter,
    page: KeysetPage,
    beyond: Option<ErrorId>,
) -> Result<HttpResponse, Failure> {
    let from = request.now().plus_seconds(-DAY);
    let found = request.read(move |tx, project| {
        filter.project_id = project.id;
        let of_event = error_of_event(tx, project.id, filter.search.as_deref())?;
        let slice = match of_event {
            Some(error) => KeysetSlice {
                items: beyond.is_none().then_some(error).into_iter().collect(),
                has_next: false,
            },
            None => tx.list_errors_after(&filter, beyond, page)?,
        };
        let hours = hours_of(tx, &slice.items, from)?;
        Ok((slice, hours))
    });
    let ((slice, hours), project) = found.await?;
    let last = slice.items.last().filter(|_| slice.has_next);
    let last = last.map(|error| error.id.get());
    let headers = request.list_address().keyset_headers(page.sort(), last);
    let errors = slice.items.into_iter();
    let rows: Vec<ErrorJson> = errors
        .map(|error| error_json(request, &project, &hours, error))
        .collect();
    request.json_with(&rows, headers)
}

/// Refuses `cursor` for keyset pagination, which continues from an id instead.
fn refuse_cursor(params: &Params) -> Result<(), ApiError> {
    let mut read = params.reader();
    if read.is_given(CURSOR.name) {
        read.fault(CURSOR.name, "cannot be used with keyset pagination");
    }
    read.finish()
}

/// Reads `id_after` and `id_before`, the possible starts of a keyset page.
fn ends(params: &Params) -> Result<[Option<ErrorId>; 2], ApiError> {
    let mut read = params.reader();
    let ends = [AFTER, BEFORE].map(|one| read.integer_within(one.name, 1..=i64::MAX));
    read.finish()?;
    Ok(ends.map(|end| end.map(ErrorId::new)))
}

/// Reads the filter of a list request.
/// The caller fills in the project once it is known.
pub(super) fn read_filter(params: &Params) -> Result<ErrorFilter, ApiError> {
    let mut read = params.reader();
    let mut filter = ErrorFilter::new(ProjectId::new(0));
    let status = read.word("status", |word| match word {
        "all" => Some(None),
        word => StatusName::parse(word).map(Some),
    });
    filter.status = status.unwrap_or(Some(StatusName::Unresolved));
    let is_there = |text: &String| !text.is_empty();
    filter.search = read.text("search").filter(is_there);
    for name in [ENVIRONMENT, RELEASE] {
        let value = read.text(name).filter(is_there);
        filter
            .tags
            .extend(value.map(|value| (name.to_owned(), value)));
    }
    filter.level = read.word("level", |word| {
        LEVELS.contains(&word).then(|| Level::parse(word)).flatten()
    });
    for tag in read.texts("tags").into_iter().filter(is_there) {
        match tag.split_once(':') {
            Some((name, value)) => filter.tags.push((name.to_owned(), value.to_owned())),
            None => read.fault("tags", "does not have a valid value"),
        }
    }
    filter.assignee_id = read
        .integer_within("assignee_id", 1..=i64::MAX)
        .map(UserId::new);
    filter.seen_from = read.timestamp("last_seen_after");
    filter.seen_before = read.timestamp("first_seen_before");
    filter.order_by = read.word("order_by", ErrorOrder::parse).unwrap_or_default();
    filter.sort = read.word("sort", SortOrder::parse).unwrap_or_default();
    read.finish()?;
    Ok(filter)
}

/// Returns the error of the event whose id is `text`, if the project has one.
/// Also finds the error of an event that is no longer kept.
pub(super) fn error_of_event(
    tx: &mut dyn ReadTransaction,
    project: ProjectId,
    text: Option<&str>,
) -> Result<Option<TrackedError>, StoreError> {
    let Some(id) = text.and_then(|text| EventId::parse(text.trim())) else {
        return Ok(None);
    };
    let found = tx.list_errors_of_event(id, Some(project))?;
    match found.first() {
        Some((_, error)) => tx.find_error_by_id(*error),
        None => Ok(None),
    }
}

/// Lists the errors that match a filter.
/// A search for an event id returns the error of that event, whatever its status.
pub(super) fn list_matching(
    tx: &mut dyn ReadTransaction,
    filter: &ErrorFilter,
    page: OffsetPage,
) -> Result<Page<TrackedError>, StoreError> {
    let search = filter.search.as_deref();
    let Some(error) = error_of_event(tx, filter.project_id, search)? else {
        return tx.list_errors(filter, page);
    };
    let is_first = page.offset() == 0;
    Ok(Page {
        items: is_first.then_some(error).into_iter().collect(),
        has_next: false,
        total: Total::Exact(1),
    })
}

/// Event counts per hour, by error.
pub(super) type Hours = BTreeMap<ErrorId, Vec<HourCount>>;

/// Returns the hourly event counts of errors since a time.
pub(super) fn hours_of(
    tx: &mut dyn ReadTransaction,
    errors: &[TrackedError],
    from: Timestamp,
) -> Result<Hours, StoreError> {
    let ids: Vec<ErrorId> = errors.iter().map(|error| error.id).collect();
    let mut hours = Hours::new();
    for (error, hour) in tx.list_error_hours(&ids, from)? {
        hours.entry(error).or_default().push(hour);
    }
    Ok(hours)
}

/// Builds the list entry of an error.
pub(super) fn error_json(
    request: &ApiRequest,
    project: &Project,
    hours: &Hours,
    error: TrackedError,
) -> ErrorJson {
    let hours = hours.get(&error.id).map(Vec::as_slice).unwrap_or_default();
    ErrorJson::new(error, hours, request.base_url(), project.full_path.as_str())
}

async fn show(request: InProject<Reporter, ReadApi>) -> Result<HttpResponse, Failure> {
    let named = NamedError::of(&request)?;
    if let Some(at) = external_project(&request).await? {
        return external::show(&request, &at, named.iid).await;
    }
    let from = request.now().plus_seconds(-DAY);
    let found = request.read(move |tx, project| {
        let error = named.find(tx, project.id)?;
        let hours = hours_of(tx, std::slice::from_ref(&error), from)?;
        let keys = tx.list_error_keys(error.id)?;
        let tags = tx.list_error_tags(error.id, VALUES)?;
        let latest = tx.find_error_event(error.id, EventPosition::Latest)?;
        Ok((error, hours, keys, tags, latest))
    });
    let ((error, hours, keys, tags, latest), project) = found.await?;
    request.json(&ErrorDetailJson {
        error: error_json(&request, &project, &hours, error),
        grouping: keys.into_iter().map(Into::into).collect(),
        tags: TagJson::of(tags),
        latest_event: latest.map(|event| event.summary.into()),
    })
}
