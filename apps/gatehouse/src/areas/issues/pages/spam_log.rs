//! Spam log for administrators: issues and snippets held as spam.

use accounts::User;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::ids::{IssueIid, ProjectId, SnippetId, UserId};
use api_conventions::time::Timestamp;
use askama::Template;
use gatehouse_core::database::ReadTransaction;
use projects::{Project, SpamLog, SpamReason, SubmissionTarget};
use storage::StoreError;

use crate::frame::page::answer::PageRequest;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::{DisplayTime, grouped};
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::visitor::Administrator;
use crate::state::AppState;

/// Path of the page.
pub(super) const PATH: &str = "/admin/spam_logs";

/// Maximum number of entries on the page.
const MAX_ENTRIES: usize = 200;

/// An entry of the spam log.
struct SpamLogRow {
    title: DisplayName,
    excerpt: String,
    who: DisplayName,
    /// Project name, and the path of the issue or snippet, or of all, below the root if the project still exists.
    project: (DisplayName, Option<String>),
    reason: &'static str,
    held: String,
    last: DisplayTime,
    solved: Option<DisplayTime>,
}

#[derive(Template)]
#[template(path = "areas/issues/spam_log.html")]
struct SpamLogPage {
    shell: Shell,
    rows: Vec<SpamLogRow>,
    shown: usize,
}

/// Answers with the latest entries of the spam log.
pub(super) async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Administrator,
) -> Result<HttpResponse, PageFailure> {
    let read = state.database.read(visitor.lane(), |tx| load(tx));
    let (logs, users, projects) = read.await?;
    let now = visitor.now();
    let rows = logs
        .into_iter()
        .map(|log| SpamLogRow::new(log, &users, &projects, now));
    let page = PageRequest::new(&request, &state, &visitor);
    page.show(&SpamLogPage {
        shell: page.shell(SiteArea::Administration, "Held as spam"),
        rows: rows.collect(),
        shown: MAX_ENTRIES,
    })
}

type SpamLogData = (Vec<SpamLog>, Vec<User>, Vec<Project>);

fn load(tx: &mut dyn ReadTransaction) -> Result<SpamLogData, StoreError> {
    let logs = tx.list_spam_logs(MAX_ENTRIES)?;
    let users: Vec<UserId> = logs.iter().map(|log| log.user_id).collect();
    let projects: Vec<ProjectId> = logs.iter().filter_map(|log| log.project_id).collect();
    let users = tx.list_users_by_id(&users)?;
    let projects = tx.list_projects_by_id(&projects)?;
    Ok((logs, users, projects))
}

impl SpamLogRow {
    fn new(log: SpamLog, users: &[User], projects: &[Project], now: Timestamp) -> Self {
        let user = users.iter().find(|user| user.id == log.user_id);
        let who = user.map_or_else(
            || format!("user {}, deleted", log.user_id),
            |user| format!("@{}", user.username.as_str()),
        );
        let project = log.project_id;
        let project = project.and_then(|id| projects.iter().find(|one| one.id == id));
        let name = match (project, log.project_id) {
            (Some(project), _) => project.full_path.as_str().to_owned(),
            (None, Some(id)) => format!("project {id}, deleted"),
            (None, None) => "personal snippet".to_owned(),
        };
        let path = path_of(&log, project);
        Self {
            title: DisplayName::of(&log.title),
            excerpt: log.excerpt,
            who: DisplayName::of(&who),
            project: (DisplayName::of(&name), path),
            reason: match log.reason {
                SpamReason::Pattern => "matches a pattern",
                SpamReason::Links => "too many links",
                SpamReason::Service => "rejected by the spam service",
            },
            held: grouped(log.held),
            last: DisplayTime::at(log.last_at, now),
            solved: log.solved_at.map(|at| DisplayTime::at(at, now)),
        }
    }
}

/// Path of the issues or snippets of the project, or of the one to change; `None` if there is no such page.
fn path_of(log: &SpamLog, project: Option<&Project>) -> Option<String> {
    let (list, number) = match log.target {
        SubmissionTarget::Issue(iid) => ("issues", iid.map(IssueIid::get)),
        SubmissionTarget::Snippet(id) => ("snippets", id.map(SnippetId::get)),
    };
    if project.is_none() && (log.project_id.is_some() || number.is_none()) {
        return None;
    }
    let place = project.map_or_else(String::new, |one| format!("/{}", one.full_path.as_str()));
    let one = number.map_or_else(String::new, |number| format!("/{number}"));
    Some(format!("{place}/-/{list}{one}"))
}
