//! `GET /api/v4/runners` and `GET /api/v4/runners/all`, and the filters of all lists of runners.

use ::pipelines::model::{ContactState, Runner, RunnerFilter, RunnerPlace, RunnerType, RunnersOf};
use ::pipelines::rules::StatusForm;
use ::pipelines::wire::RunnerSummaryJson;
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::page::{OffsetPage, Page};
use api_conventions::paging::Paging;
use gatehouse_core::flows::runners::list_own_places;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Pages, Parameter, ParameterKind, ResponseSpec, get};

use super::fields::{TAG, read_tags};
use super::view::{form_of, summary};
use crate::frame::api::{ApiRequest, AsAdministrator, AsUser};
use crate::frame::scopes::ReadApi;

/// Values of the filter by status, over all versions of the API.
const STATUSES: &[&str] = &[
    "active",
    "paused",
    "online",
    "offline",
    "not_connected",
    "never_contacted",
    "stale",
];

/// Values of the filter by status that remain in version 5.
const CONTACT_STATUSES: [&str; 3] = ["online", "offline", "not_connected"];

/// Values of the deprecated filter.
const SCOPES: &[&str] = &["active", "paused", "online", "shared", "specific"];

/// Filters of a list of runners.
pub(super) fn filters() -> [Parameter; 5] {
    [
        Parameter::query(
            "scope",
            ParameterKind::Word(SCOPES),
            "Deprecated: use `type`, `paused` or `status`. Cannot be combined with them.",
        ),
        Parameter::query(
            "type",
            ParameterKind::Word(RunnerType::NAMES),
            "Filter by kind.",
        ),
        Parameter::query(
            "status",
            ParameterKind::Word(STATUSES),
            "Filter by status. `active` is the same as `paused=false`, and `paused` the same as `paused=true`.",
        ),
        Parameter::query(
            "paused",
            ParameterKind::Boolean,
            "True to list only paused runners, false to list only others.",
        ),
        Parameter::query(
            "tag_list",
            ParameterKind::Texts,
            "Only runners with each of these tags, as an array or separated by commas.",
        ),
    ]
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listOwnRunners", "/api/v4/runners", own)
            .documented(TAG, "List the runners of your groups and projects")
            .takes(filters())
            .paged(Pages::Offset)
            .response(page_of_runners()),
        get("listRunners", "/api/v4/runners/all", all)
            .documented(TAG, "List all runners")
            .takes(filters())
            .paged(Pages::Offset)
            .response(page_of_runners()),
    ]
}

/// Response with a page of runners.
pub(super) fn page_of_runners() -> ResponseSpec {
    ResponseSpec::json::<Vec<RunnerSummaryJson>>(
        200,
        "A page of runners, in the order of their ids.",
    )
}

async fn own(request: AsUser<ReadApi>) -> Result<HttpResponse, Failure> {
    let filter = read_filter(&request)?;
    let paging = Paging::offset(request.params())?;
    let (user, now) = (request.caller().user.id, request.now());
    let found = request.read(move |tx| {
        let places = list_own_places(tx, user, now)?;
        Ok(tx.list_runners(&within(filter, places), paging)?)
    });
    let page = found.await?;
    respond(&request, paging, page)
}

async fn all(request: AsAdministrator<ReadApi>) -> Result<HttpResponse, Failure> {
    let filter = read_filter(&request)?;
    let paging = Paging::offset(request.params())?;
    let found = request.read(move |tx| Ok(tx.list_runners(&filter, paging)?));
    let page = found.await?;
    respond(&request, paging, page)
}

/// Responds with a page of runners.
pub(super) fn respond(
    request: &ApiRequest,
    paging: OffsetPage,
    page: Page<Runner>,
) -> Result<HttpResponse, Failure> {
    request.page(paging, page, |runner| summary(request, runner))
}

/// Parses the filter of a list of all runners.
///
/// # Errors
/// 400 for invalid values, and for those that contradict each other.
pub(super) fn read_filter(request: &ApiRequest) -> Result<RunnerFilter, ApiError> {
    let mut read = request.params().reader();
    let known = |word: &str, words: &[&'static str]| words.iter().copied().find(|one| *one == word);
    let scope = read.word("scope", |word| known(word, SCOPES));
    let status = read.word("status", |word| {
        let is_contact = CONTACT_STATUSES.contains(&word);
        let is_known = is_contact || form_of(request) == StatusForm::WithPaused;
        known(word, STATUSES).filter(|_| is_known)
    });
    let mut filter = RunnerFilter::new(RunnersOf::Everything);
    filter.runner_type = read.word("type", RunnerType::parse);
    let paused = read.boolean("paused");
    filter.tags = read_tags(&mut read).unwrap_or_default();
    read.finish()?;
    let others = paused.is_some() || status.is_some() || filter.runner_type.is_some();
    if scope.is_some() && others {
        let reason = "leave out scope, which cannot be combined with type, status and paused";
        return Err(ApiError::bad_request(reason));
    }
    match scope {
        Some("shared") => filter.runner_type = Some(RunnerType::Instance),
        Some("specific") => filter.runner_type = Some(RunnerType::Project),
        _ => {}
    }
    let word = status.or(scope);
    let from_word = match word {
        Some("active") => Some(false),
        Some("paused") => Some(true),
        _ => None,
    };
    if paused
        .zip(from_word)
        .is_some_and(|(one, other)| one != other)
    {
        return Err(ApiError::bad_request(
            "paused and status contradict each other",
        ));
    }
    filter.paused = paused.or(from_word);
    let state = word.and_then(contact_state);
    filter.contact = state.map(|state| request.runner_contacts().filter(state, request.now()));
    Ok(filter)
}

fn contact_state(word: &str) -> Option<ContactState> {
    match word {
        "online" => Some(ContactState::Online),
        "offline" => Some(ContactState::Offline),
        "not_connected" | "never_contacted" => Some(ContactState::NotConnected),
        "stale" => Some(ContactState::Stale),
        _ => None,
    }
}

/// Limits a filter to these places.
pub(super) fn within(mut filter: RunnerFilter, places: Vec<RunnerPlace>) -> RunnerFilter {
    filter.of = RunnersOf::Places(places);
    filter
}
