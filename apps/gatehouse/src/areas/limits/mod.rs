//! `/admin/limits`: the rate limits in force and the recently limited callers, for administrators.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::time::Timestamp;
use askama::Template;
use web_conventions::operations::{Operation, get};
use web_conventions::refusals::format_client;

use crate::config::RequestLimit;
use crate::frame::page::answer::PageRequest;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::{DisplayTime, counted, grouped};
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::visitor::Administrator;
use crate::state::AppState;
use crate::state::limits::{CallerKey, LimitedCaller, MAX_LIMITED, RequestLimits};

/// The operations.
pub fn operations() -> Vec<Operation> {
    vec![get("limitsPage", "/admin/limits", show)]
}

/// A limit, as the page shows it.
struct LimitView {
    name: &'static str,
    /// Quota in words; `None` if the limit is off.
    quota: Option<String>,
    refused: String,
}

/// A limited caller, as the page shows it.
struct LimitedCallerRow {
    who: DisplayName,
    /// Path of the user's page below the root; `None` for an address.
    path: Option<String>,
    limit: &'static str,
    refused: String,
    last: DisplayTime,
}

#[derive(Template)]
#[template(path = "areas/limits/limits.html")]
struct LimitsPage {
    shell: Shell,
    limits: Vec<LimitView>,
    callers: Vec<LimitedCallerRow>,
    shown: usize,
    /// Requests that were not counted; empty if there were none.
    uncounted: String,
}

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Administrator,
) -> Result<HttpResponse, PageFailure> {
    let now = visitor.now();
    let of = |limit| LimitView::new(limit, &state.limits);
    let callers = state.limits.limited().into_iter();
    let uncounted = state.limits.uncounted();
    let page = PageRequest::new(&request, &state, &visitor);
    page.show(&LimitsPage {
        shell: page.shell(SiteArea::Administration, "Rate limits"),
        limits: RequestLimit::ALL.into_iter().map(of).collect(),
        callers: callers
            .map(|caller| LimitedCallerRow::new(caller, now))
            .collect(),
        shown: MAX_LIMITED,
        uncounted: match uncounted {
            0 => String::new(),
            number => counted(number, "request", "requests"),
        },
    })
}

impl LimitView {
    fn new(limit: RequestLimit, limits: &RequestLimits) -> Self {
        let quota = limits.quota(limit).map(|quota| {
            let requests = counted(quota.requests.into(), "request", "requests");
            let seconds = counted(quota.seconds.into(), "second", "seconds");
            format!("{requests} in {seconds}")
        });
        Self {
            name: limit.name(),
            quota,
            refused: grouped(limits.refused(limit)),
        }
    }
}

impl LimitedCallerRow {
    fn new(caller: LimitedCaller, now: Timestamp) -> Self {
        let path = caller.username.as_ref().map(|name| format!("/{name}"));
        let who = match (caller.caller, caller.username) {
            (CallerKey::User(_), Some(username)) => format!("@{username}"),
            (CallerKey::User(id), None) => format!("user {id}"),
            (CallerKey::Address(address), _) => format_client(address),
        };
        Self {
            who: DisplayName::of(&who),
            path,
            limit: caller.limit.name(),
            refused: grouped(caller.refused),
            last: DisplayTime::at(caller.last_at, now),
        }
    }
}
