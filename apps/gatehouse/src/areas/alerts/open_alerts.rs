//! Open alerts of all projects of the caller, and of a group, over the API.

use actix_web::HttpResponse;
use alert_intake::model::{OpenAlertFilter, OpenAlertPosition, OpenStatus, Severity};
use alert_intake::wire::AlertJson;
use api_conventions::error::ApiError;
use api_conventions::page::OffsetPage;
use api_conventions::params::Params;
use api_conventions::time::CalendarDate;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::open_alerts::{AlertScope, OpenAlertPage};
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Parameter, ParameterKind, ResponseSpec, get};

use super::api::TAG;
use crate::frame::api::{ApiRequest, AsUser};
use crate::frame::group::{GROUP, SeesGroup};
use crate::frame::project_directory::ProjectDirectory;
use crate::frame::scopes::ReadApi;

const PARAMETERS: [Parameter; 4] = [
    Parameter::query(
        "status",
        ParameterKind::Word(&OpenStatus::NAMES),
        "Filter by status.",
    ),
    Parameter::query(
        "severity",
        ParameterKind::Words(&Severity::NAMES),
        "Filter by severity.",
    ),
    Parameter::query(
        "per_page",
        ParameterKind::Integer { min: 1, max: 100 },
        "Largest number of alerts on a page.",
    ),
    Parameter::query(
        "cursor",
        ParameterKind::Matching(OpenAlertPosition::PATTERN),
        "Position at which the list continues. The link to the next page contains it.",
    ),
];

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let page = || {
        ResponseSpec::json::<Vec<AlertJson>>(
            200,
            "A page of alerts: the most severe first, and of one severity the earliest started.",
        )
    };
    vec![
        get(
            "listOpenAlerts",
            "/api/v4/alert_management_alerts",
            list_own,
        )
        .documented(TAG, "List the open alerts of your projects")
        .takes(PARAMETERS)
        .response(page()),
        get(
            "listOpenGroupAlerts",
            "/api/v4/groups/{id}/alert_management_alerts",
            list_of_group,
        )
        .documented(
            TAG,
            "List the open alerts of a group and of its descendants",
        )
        .takes([GROUP])
        .takes(PARAMETERS)
        .response(page()),
    ]
}

/// Parsed filter and length of a page.
#[derive(Debug)]
pub(super) struct OpenAlertQuery {
    pub(super) filter: OpenAlertFilter,
    limit: usize,
}

impl OpenAlertQuery {
    /// Parses the parameters of a list.
    ///
    /// # Errors
    /// 400 for an invalid value.
    pub(super) fn read(params: &Params) -> Result<Self, ApiError> {
        let [status, severity, per_page, cursor] = PARAMETERS.map(|one| one.name);
        let mut read = params.reader();
        let filter = OpenAlertFilter {
            projects: Vec::new(),
            status: read.word(status, OpenStatus::parse),
            severities: read.words(severity, Severity::parse),
            after: read.word(cursor, OpenAlertPosition::parse),
        };
        let limit = read.integer_within(per_page, 1..=100);
        read.finish()?;
        let limit = limit.and_then(|number| usize::try_from(number).ok());
        Ok(Self {
            filter,
            limit: limit.unwrap_or_else(|| usize::from(OffsetPage::default().per_page())),
        })
    }

    /// Lists the alerts of a page, with the projects that they name.
    ///
    /// # Errors
    /// Failures of the store.
    pub(super) fn list(
        self,
        tx: &mut dyn ReadTransaction,
        scope: AlertScope,
        today: CalendarDate,
    ) -> Result<(OpenAlertPage, ProjectDirectory), StoreError> {
        let page = scope.list(tx, self.filter, self.limit, today)?;
        let projects = page.alerts.iter().map(|alert| alert.project_id);
        let projects = ProjectDirectory::of(tx, projects)?;
        Ok((page, projects))
    }
}

async fn list_own(request: AsUser<ReadApi>) -> Result<HttpResponse, Failure> {
    let query = OpenAlertQuery::read(request.params())?;
    let (scope, today) = (AlertScope::User(request.actor().id), request.now().date());
    let found = request.read(move |tx| Ok(query.list(tx, scope, today)?));
    let (page, projects) = found.await?;
    answer(&request, page, &projects)
}

async fn list_of_group(request: SeesGroup<ReadApi>) -> Result<HttpResponse, Failure> {
    let query = OpenAlertQuery::read(request.params())?;
    let (viewer, today) = (request.viewer().user_id(), request.now().date());
    let found = request.read(move |tx, group, access| {
        let id = group.id;
        let scope = AlertScope::Group { id, access, viewer };
        Ok(query.list(tx, scope, today)?)
    });
    let (page, projects) = found.await?;
    answer(&request, page, &projects)
}

/// Answers with a page of alerts.
fn answer(
    request: &ApiRequest,
    page: OpenAlertPage,
    projects: &ProjectDirectory,
) -> Result<HttpResponse, Failure> {
    let next = page.next.map(|position| position.to_string());
    let headers = request.list_address().cursor_headers(None, next.as_deref());
    let json = page.alerts.into_iter().filter_map(|alert| {
        let (_, path) = projects.get(alert.project_id)?;
        Some(AlertJson::new(alert, request.base_url(), path))
    });
    request.json_with(&json.collect::<Vec<_>>(), headers)
}
