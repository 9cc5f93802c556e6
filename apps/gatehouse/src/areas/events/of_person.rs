//! `GET /api/v4/events` and `GET /api/v4/users/:id/events`: the activity of a user (`EVT-01`, `EVT-02`).

use accounts::flow::find_user::find_user_named;
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::page::{OffsetPage, Page, Position};
use api_conventions::paging::Paging;
use api_conventions::time::Timestamp;
use events::{Event, EventFilter};
use gatehouse_core::flows::account::sees_profile;
use projects::Viewer;
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Kind, Operation, Pages, Parameter, get};

use super::api::{CURSOR, Described, Shown, filters, read_filter};
use super::walk::walk;
use crate::frame::api::{ApiRequest, AsAnybody, AsUser};
use crate::frame::scopes::ReadUser;

const USER: Parameter = Parameter::path(
    "id",
    Kind::Text { min: 1, max: 255 },
    "The number of the user, or the username.",
);

const SCOPE: Parameter = Parameter::query(
    "scope",
    Kind::ANY_TEXT,
    "Whose entries. `all` is refused, and every other value means those of the caller.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let page = || Answer::json::<Vec<Shown>>(200, "A page of the entries.");
    vec![
        get("listEvents", "/api/v4/events", own)
            .documented("events", "List what the caller did")
            .takes(filters())
            .takes([SCOPE, CURSOR])
            .paged(Pages::Offset)
            .answers(page()),
        get("listUserEvents", "/api/v4/users/{id}/events", of_user)
            .documented(
                "events",
                "List what a user did, as far as the caller sees it; nothing where the profile is private",
            )
            .takes([USER])
            .takes(filters())
            .takes([CURSOR])
            .paged(Pages::Offset)
            .answers(page())
            .answers(Answer::refusal(404, "There is no such user.")),
    ]
}

async fn own(asked: AsUser<ReadUser>) -> Result<HttpResponse, Failure> {
    let mut read = asked.params().reader();
    // Other values have no effect.
    if read.text(SCOPE.name).as_deref() == Some("all") {
        read.fault(
            SCOPE.name,
            "all is not available on this server: leave it out, or list the events of each project",
        );
    }
    read.finish()?;
    let wanted = Wanted::of(&asked, asked.by().viewer)?;
    let author = asked.by().id;
    let found = asked.read(move |tx| {
        let page = walk(tx, &wanted.filter, author, wanted.sight(), wanted.place())?;
        let described = Described::read(tx, &page)?;
        Ok((page, described))
    });
    answer(&asked, wanted.page, found.await?)
}

async fn of_user(asked: AsAnybody<ReadUser>) -> Result<HttpResponse, Failure> {
    let name = asked.segment(USER.name, "User")?;
    let wanted = Wanted::of(&asked, *asked.who())?;
    let found = asked.read(move |tx| {
        let user = find_user_named(tx, &name)?.ok_or_else(|| ApiError::not_found("User"))?;
        let page = if sees_profile(wanted.viewer, &user) {
            walk(tx, &wanted.filter, user.id, wanted.sight(), wanted.place())?
        } else {
            // A private profile has no entries for other users.
            Page::from_fetched(Vec::new(), wanted.page, 0)
        };
        let described = Described::read(tx, &page)?;
        Ok((page, described))
    });
    answer(&asked, wanted.page, found.await?)
}

/// Parameters of the list, with the viewer and the time.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    filter: EventFilter,
    page: OffsetPage,
    after: Option<Position>,
    viewer: Viewer,
    now: Timestamp,
}

impl Wanted {
    fn of(asked: &ApiRequest, viewer: Viewer) -> Result<Self, ApiError> {
        Ok(Self {
            filter: read_filter(asked.params())?,
            page: Paging::offset(asked.params())?,
            after: Paging::cursor(asked.params())?,
            viewer,
            now: asked.now(),
        })
    }

    fn place(&self) -> (OffsetPage, Option<Position>) {
        (self.page, self.after)
    }

    fn sight(&self) -> (Viewer, Timestamp) {
        (self.viewer, self.now)
    }
}

fn answer(
    asked: &ApiRequest,
    page: OffsetPage,
    (found, described): (Page<Event>, Described),
) -> Result<HttpResponse, Failure> {
    asked.page(page, found, |event| {
        described.show(event, asked.base_url()).of_person()
    })
}
