//! Atom feeds (RFC 4287) of a project and of a user: the latest entries that the visitor may see.
//!
//! They contain what the lists of the API contain for the same viewer: everything public without a session, and more
//! with one.

use accounts::flow::find_user::find_user_named;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::conditional::{etag, none_match};
use api_conventions::ids::ProjectId;
use api_conventions::page::OffsetPage;
use api_conventions::time::Timestamp;
use askama::Template;
use events::{EventFilter, FeedEvent};
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::account::sees_profile;
use gatehouse_core::flows::feed_rights::feed_rights;
use projects::Viewer;
use storage::StoreError;
use url::Url;
use web_conventions::operations::{Operation, get};

use super::batches::ActivityScope;
use super::calendar::read_of_user;
use super::user_activity::list_latest_activity;
use crate::frame::page::activity::{ActivityContext, ActivityLine};
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::project::{CanView, ProjectContext, ProjectPage};
use crate::frame::project_directory::ProjectDirectory;
use crate::frame::visitor::Visitor;
use crate::state::AppState;

/// Most entries of a feed.
const MAX_ENTRIES: usize = 20;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("projectFeed", "/{project}/-/activity.atom", of_project),
        get("userFeed", "/users/{user}/activity.atom", of_user),
    ]
}

/// Entry of a feed.
struct AtomEntry {
    id: String,
    title: String,
    author: String,
    link: String,
    updated: String,
}

#[derive(Template)]
#[template(path = "areas/events/activity.xml")]
struct AtomFeed {
    id: String,
    title: String,
    /// Address of the page that shows the same.
    page: String,
    /// Address of the feed.
    own: String,
    updated: String,
    entries: Vec<AtomEntry>,
}

/// Subject of a feed, with its entries.
struct FeedData {
    title: String,
    /// Path of the subject among the ids of the server.
    subject: String,
    created_at: Timestamp,
    page: String,
    own: String,
    lines: Vec<(FeedEvent, ActivityLine)>,
}

async fn of_project(page: ProjectPage<CanView>) -> Result<HttpResponse, PageFailure> {
    let now = page.now();
    let read = page.read(move |tx, found| Ok(read_project(tx, found, now)?));
    let (data, _) = read.await?;
    respond(page.request(), &page.state().base_url, data)
}

fn read_project(
    tx: &mut dyn ReadTransaction,
    found: &ProjectContext,
    now: Timestamp,
) -> Result<FeedData, StoreError> {
    let project = &found.project;
    let filter = EventFilter::new(project.id, feed_rights(project, found.access));
    let newest = OffsetPage::new(1, MAX_ENTRIES as u64);
    let events = tx.list_project_events(&filter, newest)?.items;
    let context = ActivityContext::of(tx, &events)?;
    let path = project.full_path.as_str();
    let lines = events.into_iter().map(|event| {
        let line = context.line(&event, path, now);
        (event, line)
    });
    Ok(FeedData {
        title: format!("Activity of {}", DisplayName::of(&project.name).whole()),
        subject: format!("projects/{}", project.id),
        created_at: project.created_at,
        page: format!("/{path}/-/activity"),
        own: format!("/{path}/-/activity.atom"),
        lines: lines.collect(),
    })
}

async fn of_user(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, PageFailure> {
    let data = read_of_user(&request, &state, &visitor, read_user).await?;
    respond(&request, &state.base_url, data)
}

/// Reads the feed of a user; `None` if there is no such user. A private profile has no entries for others.
fn read_user(
    tx: &mut dyn ReadTransaction,
    name: &str,
    viewer: Viewer,
    now: Timestamp,
) -> Result<Option<FeedData>, StoreError> {
    let Some(user) = find_user_named(tx, name)? else {
        return Ok(None);
    };
    let events = if sees_profile(viewer, &user) {
        let scope = ActivityScope::Author(user.id);
        list_latest_activity(tx, scope, viewer, now, MAX_ENTRIES)?
    } else {
        Vec::new()
    };
    let links = ProjectDirectory::of(tx, events.iter().map(|event| event.project_id))?;
    let context = ActivityContext::of(tx, &events)?;
    let line = |event: FeedEvent| {
        let line = line_in(&context, &links, event.project_id, &event, now)?;
        Some((event, line))
    };
    let username = user.username.as_str();
    Ok(Some(FeedData {
        title: format!("Activity of {username}"),
        subject: format!("users/{}", user.id),
        created_at: user.created_at,
        page: format!("/{username}"),
        own: format!("/users/{username}/activity.atom"),
        lines: events.into_iter().filter_map(line).collect(),
    }))
}

/// Line of an entry that names its project.
fn line_in(
    context: &ActivityContext,
    links: &ProjectDirectory,
    project: ProjectId,
    event: &FeedEvent,
    now: Timestamp,
) -> Option<ActivityLine> {
    let (name, path) = links.get(project)?;
    Some(ActivityLine {
        project: Some((name.clone(), format!("/{path}"))),
        ..context.line(event, path, now)
    })
}

/// Responds with a feed, or with 304 if the reader has it already.
fn respond(
    request: &HttpRequest,
    base_url: &str,
    data: FeedData,
) -> Result<HttpResponse, PageFailure> {
    let body = AtomFeed::new(base_url, data).render()?;
    let tag = etag(body.as_bytes());
    let known = request.headers().get(IF_NONE_MATCH);
    let known = known.and_then(|value| value.to_str().ok());
    let is_known = known.is_some_and(|known| none_match(known, &tag));
    let mut answer = HttpResponse::Ok();
    answer
        .insert_header((ETAG, tag))
        .insert_header((CACHE_CONTROL, "max-age=0, private, must-revalidate"));
    if is_known {
        return Ok(answer.status(StatusCode::NOT_MODIFIED).finish());
    }
    let media_type = (CONTENT_TYPE, "application/atom+xml; charset=utf-8");
    Ok(answer.insert_header(media_type).body(body))
}

impl AtomFeed {
    fn new(base_url: &str, data: FeedData) -> Self {
        let authority = authority_of(base_url);
        let newest = data.lines.first().map(|(event, _)| event.created_at);
        let page = format!("{base_url}{}", data.page);
        let entries = data.lines.into_iter().map(|(event, line)| AtomEntry {
            id: tag_of(
                &authority,
                event.created_at,
                &format!("events/{}", event.id),
            ),
            title: xml_text(&sentence(&line)),
            author: xml_text(line.author.whole()),
            link: match &line.path {
                Some(path) => format!("{base_url}{path}"),
                None => match &line.project {
                    Some((_, path)) => format!("{base_url}{path}"),
                    None => page.clone(),
                },
            },
            updated: DisplayTime::of(event.created_at).machine,
        });
        Self {
            id: tag_of(
                &authority,
                data.created_at,
                &format!("{}/activity", data.subject),
            ),
            title: xml_text(&data.title),
            own: format!("{base_url}{}", data.own),
            updated: DisplayTime::of(newest.unwrap_or(data.created_at)).machine,
            entries: entries.collect(),
            page,
        }
    }
}

/// Sentence of an entry.
fn sentence(line: &ActivityLine) -> String {
    let title = line
        .title
        .as_ref()
        .map(|title| format!(" {}", title.whole()));
    let place = line
        .project
        .as_ref()
        .map(|(name, _)| format!(" in {}", name.whole()));
    format!(
        "{} {}{}{}",
        line.author.whole(),
        line.done,
        title.unwrap_or_default(),
        place.unwrap_or_default()
    )
}

/// Id that never changes: a tag URI (RFC 4151) with the name of the server and the day from which the subject exists.
fn tag_of(authority: &str, since: Timestamp, subject: &str) -> String {
    format!("tag:{authority},{}:/{subject}", since.date())
}

/// Name of the server in tag URIs, in which neither ports nor brackets are valid.
fn authority_of(base_url: &str) -> String {
    let url = Url::parse(base_url).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or("localhost");
    host.trim_matches(['[', ']']).replace(':', "-")
}

/// Text without the characters that XML 1.0 does not allow, not even escaped.
fn xml_text(text: &str) -> String {
    let allowed = |c: char| match c {
        '\t' | '\n' | '\r' => c,
        '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => char::REPLACEMENT_CHARACTER,
        _ => c,
    };
    text.chars().map(allowed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_tag_uris_of_the_server() {
        let since = Timestamp::parse_rfc3339("2024-02-29T12:00:00Z").unwrap();
        for (base_url, authority) in [
            ("https://gate.example", "gate.example"),
            ("https://gate.example:8443/below", "gate.example"),
            ("http://127.0.0.1:8080", "127.0.0.1"),
            ("http://[::1]:8080", "--1"),
        ] {
            let id = tag_of(&authority_of(base_url), since, "events/7");
            assert_eq!(id, format!("tag:{authority},2024-02-29:/events/7"));
        }
    }

    #[test]
    fn hostile_titles_are_escaped_and_valid() {
        let entry = AtomEntry {
            id: "tag:a,2024-01-01:/events/1".to_owned(),
            title: xml_text("]]><script>&\"'\u{1}\u{ffff}é"),
            author: xml_text("<b>Ann"),
            link: "https://a/?x=1&y=2".to_owned(),
            updated: "2024-01-01T00:00:00Z".to_owned(),
        };
        let feed = AtomFeed {
            id: "tag:a,2024-01-01:/users/1/activity".to_owned(),
            title: String::new(),
            page: String::new(),
            own: String::new(),
            updated: "2024-01-01T00:00:00Z".to_owned(),
            entries: vec![entry],
        };
        let text = feed.render().unwrap();
        for part in [
            "]]&#62;&#60;script&#62;&#38;&#34;&#39;\u{fffd}\u{fffd}é",
            "<name>&#60;b&#62;Ann</name>",
            "href=\"https://a/?x=1&#38;y=2\"",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
