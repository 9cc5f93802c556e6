//! `GET /api/v4/events/stream` and `GET /api/v4/projects/:id/events/stream`: the feed as server-sent events.
//!
//! The messages of a stream are the events that the list of the same feed would show, in the order of their ids. ADR 51
//! has the rules.

mod batch;
mod follower;
mod reader;

use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::header::HeaderName;
use api_conventions::error::ApiError;
use api_conventions::ids::EventId;
use events::rules::cursor::FeedCursor;
use gatehouse_core::feed_watch::SubscribeError;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::json;
use web_conventions::event_stream;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Body, Content, MAX_ID, Operation, Parameter, ParameterKind, ResponseSpec, get,
};

use self::batch::StreamScope;
use self::follower::{FeedFollower, StreamPlan, messages};
pub use self::reader::StreamReader;
use crate::frame::api::{ApiRequest, AsUser};
use crate::frame::followed_caller::FollowedCaller;
use crate::frame::project::{PROJECT, SeesProject};
use crate::frame::scopes::{ReadApi, ReadUser};

/// Header with which clients continue a stream (HTML Living Standard, section 9.2.4).
const LAST_EVENT_ID_HEADER: HeaderName = HeaderName::from_static("last-event-id");

const LAST_EVENT_ID: Parameter = Parameter::query(
    "last_event_id",
    ParameterKind::Integer {
        min: 0,
        max: MAX_ID,
    },
    "ID of the last known event. The stream begins with the next one; without it, with events that are new. The header \
     Last-Event-ID, which browsers send when they reconnect, takes precedence.",
);

/// Longest duration that a request may set, in seconds.
const MAX_DURATION: i64 = 86_400;

const DURATION: Parameter = Parameter::query(
    "duration",
    ParameterKind::Integer {
        min: 0,
        max: MAX_DURATION,
    },
    "Seconds after which the stream ends, if that is sooner than the limit of the server. 0 ends it once all known \
     events were sent.",
);

/// Seconds after which a refused client may try again.
const RETRY_SECONDS: u32 = 10;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let stream = || ResponseSpec {
        status: 200,
        about: "The events as they happen, each as a message `activity` with its JSON. The response does not end by itself.",
        content: Content::Of(Body {
            media_type: event_stream::MEDIA_TYPE,
            schema: text,
        }),
    };
    let too_many = || ResponseSpec::refusal(429, "The caller has too many open streams.");
    let full = || ResponseSpec::refusal(503, "The server has too many open streams, or stops.");
    vec![
        get("streamEvents", "/api/v4/events/stream", of_user)
            .documented("events", "Follow the events of all projects of the caller")
            .takes([LAST_EVENT_ID, DURATION])
            .response(stream())
            .response(too_many())
            .response(full()),
        get(
            "streamProjectEvents",
            "/api/v4/projects/{id}/events/stream",
            of_project,
        )
        .documented("events", "Follow the events of a project")
        .takes([PROJECT])
        .takes([LAST_EVENT_ID, DURATION])
        .response(stream())
        .response(too_many())
        .response(full()),
    ]
}

fn text(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string"})
}

async fn of_user(request: AsUser<ReadUser>) -> Result<HttpResponse, Failure> {
    let stream = StreamRequest::read(&request)?;
    let last_assigned = request.read(|tx| Ok(tx.event_id_state()?.last_assigned));
    let last_assigned = last_assigned.await?;
    let scope = StreamScope::ProjectsOf(request.actor().id);
    stream.open(
        &request,
        request.follow_caller::<ReadUser>(),
        scope,
        last_assigned,
    )
}

async fn of_project(request: SeesProject<ReadApi>) -> Result<HttpResponse, Failure> {
    let stream = StreamRequest::read(&request)?;
    let found = request.read(|tx, project, _| {
        let state = tx.event_id_state()?;
        Ok((StreamScope::Project(project.id), state.last_assigned))
    });
    let (scope, last_assigned) = found.await?;
    stream.open(
        &request,
        request.follow_caller::<ReadApi>(),
        scope,
        last_assigned,
    )
}

/// Parameters of a stream.
#[derive(Debug, Clone, Copy)]
struct StreamRequest {
    last_event_id: Option<EventId>,
    duration: Option<Duration>,
}

impl StreamRequest {
    fn read(request: &ApiRequest) -> Result<Self, ApiError> {
        let mut read = request.params().reader();
        let known = read.integer_within(LAST_EVENT_ID.name, 0..=MAX_ID);
        let duration = read.integer_within(DURATION.name, 0..=MAX_DURATION);
        read.finish()?;
        let in_header = request.header(&LAST_EVENT_ID_HEADER).map(|text| {
            let id = text.parse::<i64>().ok().filter(|id| *id >= 0);
            id.ok_or_else(|| ApiError::bad_request("Last-Event-ID must be the id of an event"))
        });
        Ok(Self {
            last_event_id: in_header.transpose()?.or(known).map(EventId::new),
            duration: duration
                .and_then(|seconds| Some(Duration::from_secs(seconds.try_into().ok()?))),
        })
    }

    /// Opens a stream that begins as requested, after ids up to `last_assigned` were assigned.
    fn open(
        self,
        request: &ApiRequest,
        caller: FollowedCaller,
        scope: StreamScope,
        last_assigned: EventId,
    ) -> Result<HttpResponse, Failure> {
        let subscription = request.feed().subscribe(caller.subscriber());
        let refused = |error| Failure::from(refusal(error)).because("too many open streams");
        let subscription = subscription.map_err(refused)?;
        let longest = request.settings().events.max_stream;
        let is_brief = self.duration.is_some_and(|duration| duration.is_zero());
        let duration = self.duration.filter(|_| !is_brief);
        let plan = StreamPlan {
            scope,
            cursor: FeedCursor::begin(self.last_event_id, last_assigned),
            ends_with: is_brief.then_some(last_assigned),
            duration: duration.map_or(longest, |duration| duration.min(longest)),
        };
        let http = caller.request().clone();
        let follower = FeedFollower::new(caller, plan, subscription);
        Ok(event_stream::respond(&http, messages(follower)))
    }
}

/// Converts the reason why a caller cannot subscribe to its refusal.
fn refusal(error: SubscribeError) -> ApiError {
    let (status, text) = match error {
        SubscribeError::TooManyOfCaller => (
            429,
            "too many open streams of this caller; close one, or follow all projects with one stream",
        ),
        SubscribeError::Closed => (503, "the server stops; connect again"),
        _ => (
            503,
            "the server has too many open streams; try again later, or list the events instead",
        ),
    };
    ApiError::new(status, json!({"message": text}))
        .with_header("Retry-After", RETRY_SECONDS.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use deprecations::adapt::Adaptation;

    /// The messages of a stream are not adapted to other releases, so the lists must have the same JSON in all of them.
    #[test]
    fn no_release_changes_the_json_of_events() {
        for path in [
            "/api/v4/events",
            "/api/v4/users/{id}/events",
            "/api/v4/projects/{id}/events",
        ] {
            let records = Adaptation::of(deprecations::published(), "GET", path);
            assert!(
                records.is_none(),
                "{path}: adapt the messages of its stream"
            );
        }
    }

    #[test]
    fn each_refusal_has_its_status_and_says_when_to_return() {
        for (error, status) in [
            (SubscribeError::TooManyOfCaller, 429),
            (SubscribeError::TooMany, 503),
            (SubscribeError::Closed, 503),
        ] {
            let refusal = refusal(error);
            assert_eq!(refusal.status(), status, "{error}");
            assert_eq!(refusal.headers(), [("Retry-After", "10".to_owned())]);
        }
    }
}
