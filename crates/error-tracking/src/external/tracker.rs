//! Client of a tracker: its errors are listed and updated as if they were ours.

use api_conventions::ids::ErrorIid;
use api_conventions::time::Timestamp;
use serde_json::{Value, json};

use super::address::{ApiUrl, ExternalProject, TrackerRoot};
use super::entries::read_event;
use super::failure::ExternalFailure;
use super::issue::{ExternalIssue, issues};
use super::link::Cursors;
use super::transport::{Call, Transport};
use crate::event::Event;
use crate::flow::change::{IgnoreDuration, StatusEdit};
use crate::model::{ErrorFilter, EventId};
use crate::store::{EventNeighbours, EventPosition};

/// Client for the errors of a project in a tracker.
#[derive(Debug)]
pub struct Tracker<'t, T: ?Sized> {
    address: &'t ApiUrl,
    transport: &'t T,
}

/// Page of a list to request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CursorPage {
    /// Maximum number of rows.
    pub limit: u16,
    /// Cursor of the page, as the tracker gave it; `None` for the first page.
    pub cursor: Option<String>,
}

impl<'t, T: Transport + ?Sized> Tracker<'t, T> {
    /// Creates a client for the project at an address.
    /// `transport` has its token.
    pub const fn new(address: &'t ApiUrl, transport: &'t T) -> Self {
        Self { address, transport }
    }

    /// Lists the projects on the tracker at `root` that the token can see.
    ///
    /// # Errors
    /// See [`ExternalFailure`].
    pub fn projects(
        root: &TrackerRoot,
        transport: &T,
    ) -> Result<Vec<ExternalProject>, ExternalFailure> {
        let answer = transport.send(&Call::get(root.projects()));
        let answer = answer.map_err(|failure| match failure {
            ExternalFailure::NotFound => ExternalFailure::NoTracker(root.to_string()),
            failure => failure,
        })?;
        ExternalProject::list(&answer.json()?)
    }

    /// Lists the errors that match, in the order of the filter, with the cursors of the pages around them.
    ///
    /// # Errors
    /// [`ExternalFailure::Unsupported`] for a filter that a tracker does not support; [`ExternalFailure::NoProject`];
    /// for others see [`ExternalFailure`].
    pub fn list(
        &self,
        filter: &ErrorFilter,
        stretch: &CursorPage,
    ) -> Result<(Vec<ExternalIssue>, Cursors), ExternalFailure> {
        let url = self.address.issues(filter, stretch)?;
        let answer = self.transport.send(&Call::get(url));
        let answer = answer.map_err(|failure| match failure {
            ExternalFailure::NotFound => self.address.missing_project(),
            failure => failure,
        })?;
        let cursors = answer.link.as_deref().map(Cursors::of_header);
        Ok((issues(&answer.json()?)?, cursors.unwrap_or_default()))
    }

    /// Gets one error.
    /// It must belong to the project: a token may see the errors of other projects, too.
    ///
    /// # Errors
    /// [`ExternalFailure::NotFound`] if there is none, or it belongs to another project; for others see
    /// [`ExternalFailure`].
    pub fn find(&self, id: ErrorIid) -> Result<ExternalIssue, ExternalFailure> {
        let answer = self.transport.send(&Call::get(self.address.issue(id)))?;
        let issue = ExternalIssue::read(&answer.json()?)?;
        let project = issue
            .project
            .as_ref()
            .ok_or(ExternalFailure::MissingKeys("project"))?;
        if project.slug.eq_ignore_ascii_case(self.address.project()) {
            Ok(issue)
        } else {
            Err(ExternalFailure::NotFound)
        }
    }

    /// Gets an event of an error, and its neighbours.
    /// Call [`Self::find`] first, to check that the error belongs to the project. `fallback_id` is the id for an event
    /// that has none.
    ///
    /// # Errors
    /// See [`ExternalFailure`].
    pub fn event(
        &self,
        id: ErrorIid,
        position: EventPosition,
        received_at: Timestamp,
        fallback_id: EventId,
    ) -> Result<(Event, EventNeighbours), ExternalFailure> {
        let url = self.address.event(id, position);
        let answer = self.transport.send(&Call::get(url))?.json()?;
        let event = read_event(&answer, received_at, fallback_id)?;
        let near = |name: &str| EventId::parse(answer.get(name)?.as_str()?);
        let place = EventNeighbours {
            previous: near("previousEventID"),
            next: near("nextEventID"),
        };
        Ok((event, place))
    }

    /// Updates the status of an error in the tracker.
    /// Call [`Self::find`] first, to check that the error belongs to the project.
    ///
    /// # Errors
    /// See [`ExternalFailure`].
    pub fn update(
        &self,
        id: ErrorIid,
        edit: &StatusEdit,
        now: Timestamp,
    ) -> Result<(), ExternalFailure> {
        let call = Call::put(self.address.issue(id), update_body(edit, now));
        self.transport.send(&call).map(drop)
    }
}

/// Body of an update.
fn update_body(edit: &StatusEdit, now: Timestamp) -> Value {
    match edit {
        StatusEdit::Unresolve => json!({"status": "unresolved"}),
        StatusEdit::Resolve => json!({"status": "resolved"}),
        StatusEdit::ResolveInRelease(release) => {
            json!({"status": "resolved", "statusDetails": {"inRelease": release}})
        }
        StatusEdit::ResolveInNextRelease => {
            json!({"status": "resolved", "statusDetails": {"inNextRelease": true}})
        }
        StatusEdit::Ignore(ignoring) => match ignored_for(*ignoring, now) {
            Value::Object(details) if details.is_empty() => json!({"status": "ignored"}),
            details => json!({"status": "ignored", "statusDetails": details}),
        },
    }
}

/// Duration for which an error is ignored, in minutes, events and users.
fn ignored_for(ignoring: IgnoreDuration, now: Timestamp) -> Value {
    let seconds = |until: Timestamp| until.as_unix_seconds() - now.as_unix_seconds();
    // A minute that has begun counts: an error is never ignored for a shorter time than requested.
    let minutes = ignoring
        .until
        .map(|until| (seconds(until).max(0) + 59) / 60);
    let counts = [
        (
            "ignoreDuration",
            minutes.and_then(|n| u64::try_from(n).ok()),
        ),
        ("ignoreCount", ignoring.events),
        ("ignoreUserCount", ignoring.users),
    ];
    let counts = counts.into_iter();
    counts
        .filter_map(|(name, count)| Some((name.to_owned(), count?.into())))
        .collect::<serde_json::Map<String, Value>>()
        .into()
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use api_conventions::ids::ProjectId;

    use super::*;
    use crate::external::transport::CallResponse;

    /// Transport that returns scripted answers and records the calls.
    #[derive(Default)]
    struct Script {
        answers: RefCell<Vec<Result<CallResponse, ExternalFailure>>>,
        calls: RefCell<Vec<Call>>,
    }

    impl Script {
        fn answering(answers: impl IntoIterator<Item = Value>) -> Self {
            let answer = |body: Value| {
                Ok(CallResponse {
                    body: body.to_string().into_bytes(),
                    link: None,
                })
            };
            let mut answers: Vec<_> = answers.into_iter().map(answer).collect();
            answers.reverse();
            Self {
                answers: RefCell::new(answers),
                ..Self::default()
            }
        }
    }

    impl Transport for Script {
        fn send(&self, call: &Call) -> Result<CallResponse, ExternalFailure> {
            self.calls.borrow_mut().push(call.clone());
            let next = self.answers.borrow_mut().pop();
            next.unwrap_or(Err(ExternalFailure::Unreachable))
        }
    }

    fn address() -> ApiUrl {
        ApiUrl::parse("https://t.example/api/0/projects/acme/shop").unwrap()
    }

    fn at(text: &str) -> Timestamp {
        Timestamp::parse_rfc3339(text).unwrap()
    }

    #[test]
    fn a_list_returns_its_next_cursor() {
        let link = "<https://t.example/>; rel=\"next\"; results=\"true\"; cursor=\"0:20:0\"";
        let script = Script::default();
        script.answers.borrow_mut().push(Ok(CallResponse {
            body: json!([{"id": "7", "title": "E"}]).to_string().into_bytes(),
            link: Some(link.to_owned()),
        }));
        let address = address();
        let tracker = Tracker::new(&address, &script);
        let filter = ErrorFilter::new(ProjectId::new(1));
        let stretch = CursorPage {
            limit: 20,
            cursor: None,
        };
        let (issues, cursors) = tracker.list(&filter, &stretch).unwrap();
        assert_eq!((issues.len(), issues[0].id), (1, ErrorIid::new(7)));
        assert_eq!(cursors.next.as_deref(), Some("0:20:0"));
        let failed = tracker.list(&filter, &stretch);
        assert_eq!(failed, Err(ExternalFailure::Unreachable));
    }

    #[test]
    fn an_error_of_another_project_is_not_found() {
        let issue = |slug: &str| json!({"id": "7", "project": {"id": "1", "slug": slug}});
        let bare = json!({"id": "7"});
        let script = Script::answering([issue("Shop"), issue("bank"), bare]);
        let address = address();
        let tracker = Tracker::new(&address, &script);
        let id = ErrorIid::new(7);
        assert!(tracker.find(id).is_ok());
        assert_eq!(tracker.find(id), Err(ExternalFailure::NotFound));
        let missing = ExternalFailure::MissingKeys("project");
        assert_eq!(tracker.find(id), Err(missing));
        let called_url = &script.calls.borrow()[0].url;
        assert_eq!(called_url.as_str(), "https://t.example/api/0/issues/7/");
    }

    #[test]
    fn an_event_comes_with_its_neighbours() {
        let next = "fc6d8c0c43fc4630ad850ee518f1b9d0";
        let event =
            json!({"eventID": "0".repeat(31) + "1", "nextEventID": next, "previousEventID": null});
        let script = Script::answering([event]);
        let address = address();
        let spare = EventId::from_bytes([9; 16]).unwrap();
        let found = Tracker::new(&address, &script).event(
            ErrorIid::new(7),
            EventPosition::Oldest,
            at("2026-11-20T10:00:00Z"),
            spare,
        );
        let (_, place) = found.unwrap();
        assert_eq!((place.previous, place.next), (None, EventId::parse(next)));
        let called_url = &script.calls.borrow()[0].url;
        assert_eq!(called_url.path(), "/api/0/issues/7/events/oldest/");
    }

    #[test]
    fn status_edits_are_sent_in_the_format_of_the_tracker() {
        let now = at("2026-11-20T10:00:00Z");
        let ignore = |until: Option<&str>, events| {
            StatusEdit::Ignore(IgnoreDuration {
                until: until.map(at),
                events,
                users: None,
            })
        };
        for (edit, expected) in [
            (StatusEdit::Unresolve, json!({"status": "unresolved"})),
            (StatusEdit::Resolve, json!({"status": "resolved"})),
            (
                StatusEdit::ResolveInNextRelease,
                json!({"status": "resolved", "statusDetails": {"inNextRelease": true}}),
            ),
            (
                StatusEdit::ResolveInRelease("1.2".to_owned()),
                json!({"status": "resolved", "statusDetails": {"inRelease": "1.2"}}),
            ),
            (ignore(None, None), json!({"status": "ignored"})),
            (
                ignore(Some("2026-11-20T10:59:01Z"), Some(5)),
                json!({"status": "ignored", "statusDetails": {"ignoreDuration": 60, "ignoreCount": 5}}),
            ),
        ] {
            let script = Script::answering([json!({})]);
            let address = address();
            let tracker = Tracker::new(&address, &script);
            tracker.update(ErrorIid::new(7), &edit, now).unwrap();
            assert_eq!(script.calls.borrow()[0].body, Some(expected), "{edit:?}");
        }
    }

    #[test]
    fn projects_are_those_that_the_token_sees() {
        let script = Script::answering([
            json!([{"id": "1", "slug": "shop", "organization": {"slug": "acme"}}]),
        ]);
        let root = TrackerRoot::parse("https://t.example/below/").unwrap();
        let found = Tracker::projects(&root, &script).unwrap();
        assert_eq!(found[0].slug, "shop");
        let called_url = &script.calls.borrow()[0].url;
        assert_eq!(
            called_url.as_str(),
            "https://t.example/below/api/0/projects/"
        );
    }
}
