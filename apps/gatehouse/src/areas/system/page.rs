//! `/admin/server`: the state of the server, for administrators.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::time::Timestamp;
use askama::Template;
use gatehouse_core::jobs::JobStatus;
use web_conventions::operations::{Operation, get};

use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::{DisplayTime, grouped};
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::visitor::Administrator;
use crate::state::AppState;
use crate::state::status::{ServerPart, format_bytes};

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![get("serverPage", "/admin/server", show)]
}

/// A background job, as the page shows it.
struct BackgroundJobRow {
    name: &'static str,
    is_failing: bool,
    last_success: Option<DisplayTime>,
    successes: String,
    failures: String,
}

#[derive(Template)]
#[template(path = "areas/system/server.html")]
struct ServerPage {
    shell: Shell,
    warnings: Vec<String>,
    version: &'static str,
    release: String,
    started: DisplayTime,
    database: String,
    /// Size of the file, of its write-ahead log, and the free space on its disk; `None` for PostgreSQL.
    files: Option<[String; 3]>,
    /// Size of the database on a PostgreSQL server, and the difference of the clocks.
    database_server: Option<[String; 2]>,
    /// Time and size of the newest scheduled backup; `None` if there is none.
    backup: Option<(DisplayTime, String)>,
    has_schedule: bool,
    waiting_writes: usize,
    waiting_reads: usize,
    refused_writes: String,
    has_metrics: bool,
    jobs: Vec<BackgroundJobRow>,
}

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Administrator,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &visitor);
    page.show(&ServerPage::new(&page, visitor.now()))
}

impl ServerPage {
    fn new(page: &PageRequest<'_>, now: Timestamp) -> Self {
        let state = page.state;
        let writers = state.database.writer_stats();
        let warnings = ServerPart::ALL.into_iter();
        let jobs = state.jobs.statuses().into_iter();
        let jobs = jobs.filter(|status| status.successes + status.failures > 0);
        Self {
            shell: page.shell(SiteArea::Administration, "Server"),
            warnings: warnings.filter_map(|part| state.warning_of(part)).collect(),
            version: env!("CARGO_PKG_VERSION"),
            release: state.settings.api.release.to_string(),
            started: DisplayTime::at(state.started_at, now),
            database: state.settings.database.url.to_string(),
            files: files(state),
            database_server: state
                .database_watch
                .last()
                .map(|server| [format_bytes(server.bytes), format_skew(server.skew)]),
            backup: state.backups.last().map(|last| {
                let at = DisplayTime::at(last.finished_at, now);
                (at, format_bytes(last.bytes))
            }),
            has_schedule: state.backups.schedule().is_some(),
            waiting_writes: writers.waiting,
            waiting_reads: state.database.reader_stats().waiting,
            refused_writes: grouped(writers.refused),
            has_metrics: state.settings.metrics.token.is_some(),
            jobs: jobs
                .map(|status| BackgroundJobRow::new(&status, now))
                .collect(),
        }
    }
}

/// Returns the sizes of the files of an embedded database.
fn files(state: &AppState) -> Option<[String; 3]> {
    let files = state.database_files()?;
    let journal = state.database.journal()?;
    let format = |bytes: Option<u64>| bytes.map_or_else(|| "unknown".to_owned(), format_bytes);
    Some([
        format(files.bytes),
        format(Some(journal.bytes)),
        format(files.free),
    ])
}

/// Formats the difference of two clocks, in microseconds.
fn format_skew(skew: i64) -> String {
    let millis = skew.abs() / 1000;
    if millis == 0 {
        return "no measurable difference".to_owned();
    }
    let way = if skew > 0 { "ahead" } else { "behind" };
    let (seconds, rest) = (millis / 1000, millis % 1000);
    format!("{seconds}.{rest:03} s {way}")
}

impl BackgroundJobRow {
    fn new(status: &JobStatus, now: Timestamp) -> Self {
        Self {
            name: status.job.name(),
            is_failing: status.is_failing,
            last_success: status.last_success.map(|at| DisplayTime::at(at, now)),
            successes: grouped(status.successes),
            failures: grouped(status.failures),
        }
    }
}
