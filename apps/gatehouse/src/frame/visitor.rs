//! Visitors of pages: signed-in users and anonymous visitors.

use std::rc::Rc;
use std::sync::Arc;

use accounts::{SessionStage, User};
use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest, web};
use api_conventions::error::ApiError;
use api_conventions::secret::{PlainSecret, SecretDigest};
use api_conventions::time::Timestamp;
use futures_util::future::LocalBoxFuture;
use projects::Viewer;
use storage::{Lane, StoreError};
use web_conventions::operations::{Access, Caller, PageAudience};

use crate::frame::cookies;
use crate::frame::csrf;
use crate::frame::lane;
use crate::frame::page::failure::PageFailure;
use crate::frame::restricted::restricted;
use crate::frame::return_to::sign_in_then;
use crate::state::AppState;
use gatehouse_core::auth::sessions::LiveSession;
use gatehouse_core::randomness::OsRandomness;

/// Sender of a browser request, with the time of receipt.
/// An invalid cookie is not an error: the visitor is anonymous.
#[derive(Debug, Clone)]
pub struct Visitor {
    found: Option<Arc<LiveSession>>,
    cookie: Rc<PlainSecret>,
    is_new: bool,
    now: Timestamp,
    lane: Lane,
}

impl Visitor {
    fn visitor(&self) -> &Self {
        self
    }

    /// Determines the visitor of a request.
    ///
    /// # Errors
    /// Failures of the store, which is read only if the cookie is not in the cache.
    pub async fn of(request: &HttpRequest, state: &AppState) -> Result<Self, StoreError> {
        let (mut visitor, digest) = match Self::from_cache(request, state) {
            Ok(visitor) => return Ok(visitor),
            Err(uncached) => uncached,
        };
        let check = state.sessions.check(&state.database, digest, visitor.now);
        visitor.found = check.await?;
        visitor.lane = lane_of(request, state, visitor.found.as_deref());
        Ok(visitor)
    }

    /// Returns the visitor of a request if no database access is needed.
    pub fn cached(request: &HttpRequest, state: &AppState) -> Option<Self> {
        Self::from_cache(request, state).ok()
    }

    /// Returns the visitor if no database access is needed; otherwise an anonymous visitor and the digest to look up.
    fn from_cache(request: &HttpRequest, state: &AppState) -> Result<Self, (Self, SecretDigest)> {
        let now = state.now();
        let sent = cookies::session_value(request, state);
        let is_new = sent.is_none();
        let digest = sent.as_ref().map(PlainSecret::digest);
        let value = sent.unwrap_or_else(|| cookies::fresh_value(&OsRandomness));
        let found = digest.and_then(|digest| state.sessions.cached(&digest, now));
        let visitor = Self {
            lane: lane_of(request, state, found.as_deref()),
            found,
            cookie: Rc::new(value),
            is_new,
            now,
        };
        match digest {
            Some(digest) if visitor.found.is_none() => Err((visitor, digest)),
            _ => Ok(visitor),
        }
    }

    /// Time of receipt: the only reading of the clock, used for everything in the request.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Lane for the visitor's reads: the user's own, even before the second factor.
    pub fn lane(&self) -> Lane {
        self.lane
    }

    /// Session and user, if the visitor is signed in.
    pub fn signed_in(&self) -> Option<&LiveSession> {
        let found = self.found.as_deref();
        found.filter(|found| found.session.stage == SessionStage::SignedIn)
    }

    /// Session and user of a signed-in visitor.
    ///
    /// # Errors
    /// If the visitor is not signed in: a redirect to the sign-in page, which returns to the page of a read.
    pub fn member(&self, request: &HttpRequest) -> Result<&LiveSession, PageFailure> {
        self.signed_in().ok_or_else(|| {
            let path = request
                .uri()
                .path_and_query()
                .map_or("/", |path| path.as_str());
            let back = if request.method().is_safe() {
                path
            } else {
                "/"
            };
            PageFailure::sign_in_first(sign_in_then(back))
        })
    }

    /// Session and user of an administrator.
    ///
    /// # Errors
    /// Same as [`Self::member`]; 403 for other users.
    pub fn administrator(&self, request: &HttpRequest) -> Result<&LiveSession, PageFailure> {
        let member = self.member(request)?;
        member
            .user
            .is_admin
            .then_some(member)
            .ok_or_else(PageFailure::forbidden)
    }

    /// Session of a user who has entered the password but not the second factor.
    pub fn pending_session(&self) -> Option<&LiveSession> {
        let found = self.found.as_deref();
        found.filter(|found| found.session.stage == SessionStage::SecondFactorMissing)
    }

    /// Session of the cookie, of either kind.
    pub fn any_session(&self) -> Option<&LiveSession> {
        self.found.as_deref()
    }

    /// Signed-in user.
    pub fn user(&self) -> Option<&User> {
        self.signed_in().map(|found| &found.user)
    }

    /// Visitor as a viewer of places.
    pub fn viewer(&self) -> Viewer {
        match self.user() {
            None => Viewer::Anonymous,
            Some(user) if user.is_admin => Viewer::Administrator(user.id),
            Some(user) => Viewer::User(user.id),
        }
    }

    /// Creates a token for the forms of a page (`AUTH-03`).
    /// Every call returns a different one.
    pub fn csrf_token(&self) -> String {
        csrf::token(&self.cookie, &OsRandomness)
    }

    /// True if a token sent with the request is valid for its forms.
    pub fn is_csrf_token(&self, sent: &str) -> bool {
        csrf::is_valid(&self.cookie, sent)
    }

    /// Value of a new cookie that the browser needs for its forms.
    pub fn new_cookie(&self) -> Option<&PlainSecret> {
        self.is_new.then_some(&*self.cookie)
    }
}

fn lane_of(request: &HttpRequest, state: &AppState, found: Option<&LiveSession>) -> Lane {
    lane::of_request(request, state, found.map(|found| found.user.id))
}

impl FromRequest for Visitor {
    type Error = PageFailure;
    type Future = LocalBoxFuture<'static, Result<Self, PageFailure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let state = request
                .app_data::<web::Data<AppState>>()
                .ok_or_else(ApiError::internal)?;
            Ok(Self::of(&request, state).await?)
        })
    }
}

impl Caller for Visitor {
    const ACCESS: Access = Access::Page(PageAudience::Everybody);
}

/// Signed-in visitor.
/// Others are redirected to the sign-in page.
#[derive(Debug, Clone)]
pub struct SignedInVisitor(Visitor);

/// Visitor who is an administrator of the instance.
#[derive(Debug, Clone)]
pub struct Administrator(Visitor);

restricted! {
    SignedInVisitor is Visitor of SignedIn, by member;
    Administrator is Visitor of Administrators, by administrator;
}
