//! `GET /api/v4/events` and `GET /api/v4/users/:id/events`: the activity of a user (`EVT-01`, `EVT-02`).

use accounts::flow::find_user::find_user_named;
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::page::{OffsetPage, Page};
use api_conventions::paging::Paging;
use api_conventions::time::Timestamp;
use events::{EventFilter, FeedEvent};
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::account::sees_profile;
use projects::Viewer;
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Pages, Parameter, ParameterKind, ResponseSpec, get};

use super::api::{CURSOR, EventContext, FeedEventJson, filters, read_filter};
use super::batches::ActivityScope;
use super::user_activity::list_activity;
use crate::frame::api::{ApiRequest, AsCaller, AsUser};
use crate::frame::scopes::ReadUser;

const USER: Parameter = Parameter::path(
    "id",
    ParameterKind::Text { min: 1, max: 255 },
    "ID or username of the user.",
);

const SCOPE: Parameter = Parameter::query(
    "scope",
    ParameterKind::ANY_TEXT,
    "`all` lists the events of all users in the projects of which the caller is a member. Any other value means the events of the caller.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let page = || ResponseSpec::json::<Vec<FeedEventJson>>(200, "A page of events.");
    vec![
        get("listEvents", "/api/v4/events", own)
            .documented("events", "List the events of the caller, or of all projects of the caller")
            .takes(filters())
            .takes([SCOPE, CURSOR])
            .paged(Pages::Offset)
            .response(page()),
        get("listUserEvents", "/api/v4/users/{id}/events", of_user)
            .documented(
                "events",
                "List the events of a user that the caller may see (none if the profile is private)",
            )
            .takes([USER])
            .takes(filters())
            .takes([CURSOR])
            .paged(Pages::Offset)
            .response(page())
            .response(ResponseSpec::refusal(404, "User not found.")),
    ]
}

async fn own(request: AsUser<ReadUser>) -> Result<HttpResponse, Failure> {
    let mut read = request.params().reader();
    let user = request.actor().id;
    // Other values have no effect.
    let scope = match read.text(SCOPE.name).as_deref() {
        Some("all") => ActivityScope::ProjectsOf(user),
        _ => ActivityScope::Author(user),
    };
    read.finish()?;
    let query = UserFeedQuery::of(&request, request.actor().viewer)?;
    let found = request.read(move |tx| {
        let page = query.list(tx, scope)?;
        let context = EventContext::read(tx, &page.items)?;
        Ok((page, context))
    });
    let (page, context) = found.await?;
    answer(&request, query.page, page, &context)
}

async fn of_user(request: AsCaller<ReadUser>) -> Result<HttpResponse, Failure> {
    let name = request.segment(USER.name, "User")?;
    let query = UserFeedQuery::of(&request, *request.caller())?;
    let found = request.read(move |tx| {
        let user = find_user_named(tx, &name)?.ok_or_else(|| ApiError::not_found("User"))?;
        let page = if sees_profile(query.viewer, &user) {
            query.list(tx, ActivityScope::Author(user.id))?
        } else {
            // A private profile has no entries for other users.
            Page::from_fetched(Vec::new(), query.page, 0)
        };
        let context = EventContext::read(tx, &page.items)?;
        Ok((page, context))
    });
    let (page, context) = found.await?;
    answer(&request, query.page, page, &context)
}

/// Parameters of the list, with the viewer and the time.
#[derive(Debug, Clone, Copy)]
struct UserFeedQuery {
    filter: EventFilter,
    page: OffsetPage,
    viewer: Viewer,
    now: Timestamp,
}

impl UserFeedQuery {
    fn of(request: &ApiRequest, viewer: Viewer) -> Result<Self, ApiError> {
        Ok(Self {
            filter: read_filter(request.params())?,
            page: Paging::offset(request.params())?,
            viewer,
            now: request.now(),
        })
    }

    /// Lists a page of the activity in a scope.
    fn list(
        &self,
        tx: &mut dyn ReadTransaction,
        scope: ActivityScope,
    ) -> Result<Page<FeedEvent>, StoreError> {
        list_activity(tx, &self.filter, scope, self.viewer, self.now, self.page)
    }
}

fn answer(
    request: &ApiRequest,
    page: OffsetPage,
    found: Page<FeedEvent>,
    context: &EventContext,
) -> Result<HttpResponse, Failure> {
    request.page(page, found, |event| {
        context.show(event, request.base_url()).for_user_feed()
    })
}
