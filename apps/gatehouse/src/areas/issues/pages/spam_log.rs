//! Spam log for administrators: issues held as spam.

use accounts::User;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::ids::{ProjectId, UserId};
use api_conventions::time::Timestamp;
use askama::Template;
use gatehouse_core::database::ReadTransaction;
use projects::{Project, SpamLog, SpamReason};
use storage::StoreError;

use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::{DisplayTime, grouped};
use crate::frame::page::shell::{Place, Shell};
use crate::frame::page::shown_name::ShownName;
use crate::frame::visitor::Administrator;
use crate::state::AppState;

/// Path of the page.
pub(super) const PATH: &str = "/admin/spam_logs";

/// Maximum number of entries on the page.
const SHOWN: usize = 200;

/// An entry of the spam log.
struct Row {
    title: ShownName,
    excerpt: String,
    who: ShownName,
    /// Project name, and the path of its issues below the root if the project still exists.
    project: (ShownName, Option<String>),
    reason: &'static str,
    held: String,
    last: DisplayTime,
    solved: Option<DisplayTime>,
}

#[derive(Template)]
#[template(path = "areas/issues/spam_log.html")]
struct SpamLogPage {
    shell: Shell,
    rows: Vec<Row>,
    shown: usize,
}

/// Answers with the latest entries of the spam log.
pub(super) async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Administrator,
) -> Result<HttpResponse, PageFailure> {
    let read = state.database.read(visitor.lane(), |tx| read(tx));
    let (logs, users, projects) = read.await?;
    let now = visitor.now();
    let rows = logs
        .into_iter()
        .map(|log| Row::new(log, (&users, &projects), now));
    let page = PageRequest::new(&request, &state, &visitor);
    page.show(&SpamLogPage {
        shell: page.shell(Place::Administration, "Held as spam"),
        rows: rows.collect(),
        shown: SHOWN,
    })
}

type Read = (Vec<SpamLog>, Vec<User>, Vec<Project>);

fn read(tx: &mut dyn ReadTransaction) -> Result<Read, StoreError> {
    let logs = tx.list_spam_logs(SHOWN)?;
    let users: Vec<UserId> = logs.iter().map(|log| log.user_id).collect();
    let projects: Vec<ProjectId> = logs.iter().map(|log| log.project_id).collect();
    let users = tx.list_users_by_id(&users)?;
    let projects = tx.list_projects_by_id(&projects)?;
    Ok((logs, users, projects))
}

impl Row {
    fn new(log: SpamLog, (users, projects): (&[User], &[Project]), now: Timestamp) -> Self {
        let user = users.iter().find(|user| user.id == log.user_id);
        let who = user.map_or_else(
            || format!("user {}, deleted", log.user_id),
            |user| format!("@{}", user.username.as_str()),
        );
        let project = projects.iter().find(|one| one.id == log.project_id);
        let name = project.map_or_else(
            || format!("project {}, deleted", log.project_id),
            |project| project.full_path.as_str().to_owned(),
        );
        let path = project.map(|project| {
            let issues = format!("/{}/-/issues", project.full_path.as_str());
            log.issue
                .map_or(issues.clone(), |iid| format!("{issues}/{iid}"))
        });
        Self {
            title: ShownName::of(&log.title),
            excerpt: log.excerpt,
            who: ShownName::of(&who),
            project: (ShownName::of(&name), path),
            reason: match log.reason {
                SpamReason::Pattern => "a pattern matches",
                SpamReason::Links => "too many links",
                SpamReason::Service => "the service says so",
            },
            held: grouped(log.held),
            last: DisplayTime::at(log.last_at, now),
            solved: log.solved_at.map(|at| DisplayTime::at(at, now)),
        }
    }
}
