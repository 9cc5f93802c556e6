//! Lists of the alerts of a project over the API, and their counts by status.

use actix_web::HttpResponse;
use alert_intake::flow::set_status::RequestedStatus;
use alert_intake::model::{AlertFilter, AlertOrder, Severity};
use alert_intake::wire::{AlertCountsJson, AlertJson};
use api_conventions::error::ApiError;
use api_conventions::ids::{AlertIid, ProjectId, UserId};
use api_conventions::page::{KeysetPage, OffsetPage, Position, SortOrder, Total};
use api_conventions::paging::Paging;
use api_conventions::params::{ParamReader, Params};
use gatehouse_core::database::ReadTransaction;
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    MAX_ID, Operation, Pages, Parameter, ParameterKind, ResponseSpec, get,
};

use super::api::{ALERTS, TAG};
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Developer, ReadApi};

const COUNTS: &str = "/api/v4/projects/{id}/alert_management_alerts/status_counts";

/// Words of the status filter: all statuses, and `open` for triggered and acknowledged.
const STATUSES: [&str; 5] = ["open", "triggered", "acknowledged", "resolved", "ignored"];

/// Sort columns. `id` is the order of storage, as is `created_at`, and the only column for keyset pagination.
const ORDERS: [&str; 7] = [
    "created_at",
    "started_at",
    "updated_at",
    "severity",
    "event_count",
    "urgency",
    "id",
];

const CURSOR: Parameter = Parameter::query(
    "cursor",
    ParameterKind::Matching(Position::PATTERN),
    "Position at which the list continues. The link to the next page contains it if a search could examine only some of the alerts.",
);
const AFTER: Parameter = Parameter::query(
    "id_after",
    ParameterKind::ID,
    "With keyset pagination: only alerts with an IID greater than this.",
);
const BEFORE: Parameter = Parameter::query(
    "id_before",
    ParameterKind::ID,
    "With keyset pagination: only alerts with an IID less than this.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listAlerts", ALERTS, list)
            .documented(TAG, "List the alerts of a project")
            .takes([PROJECT])
            .takes(filter_parameters())
            .takes([CURSOR, AFTER, BEFORE])
            .paged(Pages::OffsetAndKeyset)
            .response(ResponseSpec::json::<Vec<AlertJson>>(
                200,
                "A page of alerts.",
            )),
        get("showAlertStatusCounts", COUNTS, counts)
            .documented(TAG, "Count the alerts of a project by status")
            .takes([PROJECT])
            .response(ResponseSpec::json::<AlertCountsJson>(
                200,
                "The counts. A count above 10,000 is null.",
            )),
    ]
}

fn filter_parameters() -> [Parameter; 7] {
    [
        Parameter::query(
            "status",
            ParameterKind::Words(&STATUSES),
            "Filter by status; `open` is triggered and acknowledged.",
        ),
        Parameter::query(
            "severity",
            ParameterKind::Words(&Severity::NAMES),
            "Filter by severity.",
        ),
        Parameter::query(
            "assignee_id",
            ParameterKind::Integer {
                min: 1,
                max: MAX_ID,
            },
            "Filter by assignee. The list must be ordered by created_at, severity or urgency.",
        ),
        Parameter::query(
            "environment",
            ParameterKind::ANY_TEXT,
            "Filter by the exact name of the environment.",
        ),
        Parameter::query("search", ParameterKind::ANY_TEXT, "Text to search for."),
        Parameter::query(
            "order_by",
            ParameterKind::Word(&ORDERS),
            "Sort column. `urgency` lists open alerts first, by severity, then the oldest first.",
        ),
        Parameter::query(
            "sort",
            ParameterKind::Word(&SortOrder::NAMES),
            "Sort direction.",
        ),
    ]
}

async fn list(request: InProject<Developer, ReadApi>) -> Result<HttpResponse, Failure> {
    let max_offset = request.settings().paging.max_offset;
    let filter = read_filter(request.params())?;
    let [after, before] = ends(request.params())?;
    match Paging::by_id(request.params(), max_offset)? {
        Paging::Offset(page) => list_offset_page(&request, filter, page).await,
        Paging::Keyset { per_page, sort } => {
            refuse_with_keyset(&filter)?;
            let beyond = match sort {
                SortOrder::Ascending => after,
                SortOrder::Descending => before,
            };
            list_keyset_page(&request, filter, KeysetPage::new(per_page, sort), beyond).await
        }
    }
}

/// Answers with a page of offset pagination.
async fn list_offset_page(
    request: &InProject<Developer, ReadApi>,
    mut filter: AlertFilter,
    page: OffsetPage,
) -> Result<HttpResponse, Failure> {
    let found = request.read(move |tx, project| {
        filter.project_id = project.id;
        Ok(tx.list_alerts(&filter, page)?)
    });
    let (alerts, project) = found.await?;
    let path = project.full_path.as_str();
    request.page(page, alerts, |alert| {
        AlertJson::new(alert, request.base_url(), path)
    })
}

/// Answers with a page of keyset pagination.
async fn list_keyset_page(
    request: &InProject<Developer, ReadApi>,
    mut filter: AlertFilter,
    page: KeysetPage,
    beyond: Option<AlertIid>,
) -> Result<HttpResponse, Failure> {
    let found = request.read(move |tx, project| {
        filter.project_id = project.id;
        Ok(tx.list_alerts_after(&filter, beyond, page)?)
    });
    let (slice, project) = found.await?;
    let last = slice.items.last().filter(|_| slice.has_next);
    let last = last.map(|alert| alert.iid.get());
    let headers = request.list_address().keyset_headers(page.sort(), last);
    let path = project.full_path.as_str();
    let json = |alert| AlertJson::new(alert, request.base_url(), path);
    let rows: Vec<AlertJson> = slice.items.into_iter().map(json).collect();
    request.json_with(&rows, headers)
}

/// Refuses what keyset pages cannot do: searches, and positions of offset pages.
fn refuse_with_keyset(filter: &AlertFilter) -> Result<(), ApiError> {
    let fault = |name: &str| {
        let text = format!("{name} cannot be used with keyset pagination");
        Err(ApiError::invalid_parameters(&[text]))
    };
    match filter {
        AlertFilter {
            search: Some(_), ..
        } => fault("search"),
        AlertFilter { after: Some(_), .. } => fault(CURSOR.name),
        _ => Ok(()),
    }
}

/// Reads `id_after` and `id_before`, the possible starts of a keyset page.
fn ends(params: &Params) -> Result<[Option<AlertIid>; 2], ApiError> {
    let mut read = params.reader();
    let ends = [AFTER, BEFORE].map(|one| read.integer_within(one.name, 1..=i64::MAX));
    read.finish()?;
    Ok(ends.map(|end| end.map(AlertIid::new)))
}

/// Parses the alert filter of a request; the caller sets the project once it is resolved.
pub(super) fn read_filter(params: &Params) -> Result<AlertFilter, ApiError> {
    let mut read = params.reader();
    let mut filter = AlertFilter::new(ProjectId::new(0));
    filter.statuses = read_statuses(&mut read);
    filter.severities = read.words("severity", Severity::parse);
    let assignee = read.integer_within("assignee_id", 1..=MAX_ID);
    filter.assignee_id = assignee.map(UserId::new);
    let is_there = |text: &String| !text.is_empty();
    filter.environment = read.text("environment").filter(is_there);
    filter.search = read.text("search").filter(is_there);
    let order_by = |word: &str| match word {
        "id" => Some(AlertOrder::Created),
        word => AlertOrder::parse(word),
    };
    filter.order_by = read.word("order_by", order_by).unwrap_or_default();
    filter.sort = read.word("sort", SortOrder::parse).unwrap_or_default();
    if filter.assignee_id.is_some() && filter.environment.is_some() {
        read.fault("environment", "cannot be combined with assignee_id");
    }
    if filter.assignee_id.is_some() && !filter.order_by.is_indexed_by_assignee() {
        let problem = "must be created_at, severity or urgency with assignee_id";
        read.fault("order_by", problem);
    }
    read.finish()?;
    filter.after = Paging::cursor(params)?;
    Ok(filter)
}

fn read_statuses(read: &mut ParamReader<'_>) -> Vec<i16> {
    let numbers = |word: &str| match word {
        "open" => Some(OPEN.to_vec()),
        word => RequestedStatus::parse(word).map(|status| vec![status.number()]),
    };
    read.words("status", numbers).concat()
}

/// Statuses of open alerts, as numbers.
const OPEN: [i16; 2] = [
    RequestedStatus::Triggered.number(),
    RequestedStatus::Acknowledged.number(),
];

async fn counts(request: InProject<Developer, ReadApi>) -> Result<HttpResponse, Failure> {
    let counted = request.read(|tx, project| Ok(count_by_status(tx, project.id)?));
    let (counts, _) = counted.await?;
    request.json(&counts)
}

/// Counts the alerts of a project in each status, and those in all and in open ones.
pub(super) fn count_by_status(
    tx: &mut dyn ReadTransaction,
    project: ProjectId,
) -> Result<AlertCountsJson, StoreError> {
    let mut count = |statuses: &[i16]| -> Result<Option<u64>, StoreError> {
        let filter = AlertFilter {
            statuses: statuses.to_vec(),
            ..AlertFilter::new(project)
        };
        Ok(match tx.count_alerts(&filter)? {
            Total::Exact(count) => Some(count),
            _ => None,
        })
    };
    let triggered = count(&[RequestedStatus::Triggered.number()])?;
    let acknowledged = count(&[RequestedStatus::Acknowledged.number()])?;
    Ok(AlertCountsJson {
        all: count(&[])?,
        open: count(&OPEN)?,
        triggered,
        acknowledged,
        resolved: count(&[RequestedStatus::Resolved.number()])?,
        ignored: count(&[RequestedStatus::Ignored.number()])?,
    })
}
