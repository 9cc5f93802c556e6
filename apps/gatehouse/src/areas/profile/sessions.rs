//! `/profile/sessions`: the user's sessions, and how to end them.

use accounts::Session;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::ids::SessionId;

use crate::frame::cookies;
use crate::frame::form::SignedInForm;
use crate::frame::page::answer::{PageRequest, append_cookie, id_in_path};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::{DisplayTime, browser_name};
use crate::frame::page::notice::Notice;
use crate::frame::return_to::SIGN_IN;
use crate::state::AppState;
use gatehouse_core::flows::sign_in::{sign_out_everywhere_else, sign_out_own};
use web_conventions::operations::{Operation, post, unconditional_delete};

/// Sessions per page.
/// Some scripts sign in on every run, so there can be thousands.
const PER_PAGE: usize = 20;

/// Operations behind the forms of the profile.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        post("endOtherSessions", "/profile/sessions/others", end_others),
        post("endSessionByForm", "/profile/sessions/{id}", end),
        unconditional_delete("endSession", "/profile/sessions/{id}", end),
    ]
}

/// Session as its owner sees it.
#[derive(Debug, Clone)]
pub(super) struct SessionEntry {
    pub(super) id: SessionId,
    /// Name of the browser.
    pub(super) browser: String,
    /// User-Agent header of the browser.
    pub(super) user_agent: String,
    /// Address from which the user signed in.
    pub(super) address: String,
    /// Time of the sign-in.
    pub(super) since: DisplayTime,
    /// Time of the last use.
    pub(super) last_seen: DisplayTime,
    /// True for the session of the current request.
    pub(super) is_current: bool,
}

/// Sessions of a user, as listed on the page.
#[derive(Debug, Clone)]
pub(super) struct SessionList {
    /// Current session, then the most recently used ones.
    pub(super) shown: Vec<SessionEntry>,
    /// Number of all sessions.
    pub(super) count: usize,
    /// Number of the page before this one.
    pub(super) previous: Option<usize>,
    /// Number of the page after this one.
    pub(super) next: Option<usize>,
}

impl SessionList {
    /// Returns a page of a user's sessions, the most recently used first, as seen in the session `current`.
    /// A page past the end, which can happen after sessions ended, becomes the last page.
    pub(super) fn of(mut sessions: Vec<Session>, current: SessionId, page: usize) -> Self {
        sessions.sort_by_key(|session| session.id != current);
        let count = sessions.len();
        let last = count.div_ceil(PER_PAGE).max(1);
        let page = page.clamp(1, last);
        let shown = sessions.into_iter().skip((page - 1) * PER_PAGE);
        let shown = shown.take(PER_PAGE);
        Self {
            shown: shown
                .map(|session| SessionEntry::of(session, current))
                .collect(),
            count,
            previous: (page > 1).then(|| page - 1),
            next: (page < last).then_some(page + 1),
        }
    }
}

impl SessionEntry {
    fn of(session: Session, current: SessionId) -> Self {
        Self {
            id: session.id,
            browser: browser_name(&session.user_agent),
            user_agent: session.user_agent,
            address: session.address,
            since: DisplayTime::of(session.authenticated_at),
            last_seen: DisplayTime::of(session.last_seen_at),
            is_current: session.id == current,
        }
    }
}

async fn end(
    request: HttpRequest,
    state: Data<AppState>,
    form: SignedInForm,
) -> Result<HttpResponse, PageFailure> {
    let member = form.visitor.member(&request)?;
    let (user_id, session) = (member.user.id, SessionId::new(id_in_path(&request)?));
    let (current, now) = (member.session.id, form.visitor.now());
    let ended = state.write(move |tx| sign_out_own(tx, user_id, session, current, now));
    if !ended.await? {
        return Err(PageFailure::not_found());
    }
    let page = PageRequest::new(&request, &state, &form.visitor);
    if session != current {
        return Ok(page.redirect_with_notice("/profile", Notice::SessionEnded));
    }
    let mut answer = page.redirect_with_notice(SIGN_IN, Notice::SignedOut);
    append_cookie(&mut answer, &cookies::clear_session(&state))?;
    Ok(answer)
}

async fn end_others(
    request: HttpRequest,
    state: Data<AppState>,
    form: SignedInForm,
) -> Result<HttpResponse, PageFailure> {
    let member = form.visitor.member(&request)?;
    let (user_id, current) = (member.user.id, member.session.id);
    let now = form.visitor.now();
    let ended = state.write(move |tx| sign_out_everywhere_else(tx, user_id, current, now));
    ended.await?;
    let page = PageRequest::new(&request, &state, &form.visitor);
    Ok(page.redirect_with_notice("/profile", Notice::OtherSessionsEnded))
}
