//! Who looks at a page: somebody who signed in, or anybody.

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
use web_conventions::operations::{Access, Audience, Caller};

use crate::frame::cookies;
use crate::frame::csrf;
use crate::frame::lane;
use crate::frame::page::failure::PageFailure;
use crate::frame::restricted::restricted;
use crate::frame::return_to::sign_in_then;
use crate::state::AppState;
use gatehouse_core::auth::sessions::SignedIn;
use gatehouse_core::randomness::OsRandomness;

/// The sender of a request with a browser, and when it came. A bad cookie makes nobody fail: its bearer is anybody.
#[derive(Debug, Clone)]
pub struct Visitor {
    found: Option<Arc<SignedIn>>,
    cookie: Rc<PlainSecret>,
    is_new: bool,
    now: Timestamp,
    lane: Lane,
}

impl Visitor {
    fn visitor(&self) -> &Self {
        self
    }

    /// The visitor of a request.
    ///
    /// # Errors
    /// Failures of the store, which is asked only about a cookie that is not known to be good.
    pub async fn of(request: &HttpRequest, state: &AppState) -> Result<Self, StoreError> {
        let (mut visitor, digest) = match Self::warm(request, state) {
            Ok(visitor) => return Ok(visitor),
            Err(cold) => cold,
        };
        let check = state.sessions.check(&state.database, digest, visitor.now);
        visitor.found = check.await?;
        visitor.lane = lane_of(request, state, visitor.found.as_deref());
        Ok(visitor)
    }

    /// The visitor of a request, if that can be told without the database.
    pub fn known(request: &HttpRequest, state: &AppState) -> Option<Self> {
        Self::warm(request, state).ok()
    }

    /// The visitor, if that can be told without the database; else the visitor as anybody, and the digest to look up.
    fn warm(request: &HttpRequest, state: &AppState) -> Result<Self, (Self, SecretDigest)> {
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

    /// When the request came: the one reading of the clock that everything in it uses.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The lane in which what the visitor asks for is read: that of the user also where the second factor is missing yet.
    pub fn lane(&self) -> Lane {
        self.lane
    }

    /// The session and its user, when somebody is signed in.
    pub fn signed_in(&self) -> Option<&SignedIn> {
        let found = self.found.as_deref();
        found.filter(|found| found.session.stage == SessionStage::SignedIn)
    }

    /// The session and its user.
    ///
    /// # Errors
    /// When nobody is signed in, the way to the sign-in page; from there back to a page that was asked for.
    pub fn member(&self, request: &HttpRequest) -> Result<&SignedIn, PageFailure> {
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

    /// The session and its user, who administers the instance.
    ///
    /// # Errors
    /// As [`Self::member`]; 403 for anybody else.
    pub fn administrator(&self, request: &HttpRequest) -> Result<&SignedIn, PageFailure> {
        let member = self.member(request)?;
        member
            .user
            .is_admin
            .then_some(member)
            .ok_or_else(PageFailure::forbidden)
    }

    /// The session of somebody who gave the right password and not yet the second factor.
    pub fn pending_session(&self) -> Option<&SignedIn> {
        let found = self.found.as_deref();
        found.filter(|found| found.session.stage == SessionStage::SecondFactorMissing)
    }

    /// The session of either kind that the cookie stands for.
    pub fn any_session(&self) -> Option<&SignedIn> {
        self.found.as_deref()
    }

    /// The user who is signed in.
    pub fn user(&self) -> Option<&User> {
        self.signed_in().map(|found| &found.user)
    }

    /// The visitor as a viewer of places.
    pub fn viewer(&self) -> Viewer {
        match self.user() {
            None => Viewer::Anonymous,
            Some(user) if user.is_admin => Viewer::Administrator(user.id),
            Some(user) => Viewer::User(user.id),
        }
    }

    /// A token for the forms of a page (`AUTH-03`). No two are the same.
    pub fn csrf_token(&self) -> String {
        csrf::token(&self.cookie, &OsRandomness)
    }

    /// True if a token that came with the request is one of its forms.
    pub fn is_csrf_token(&self, sent: &str) -> bool {
        csrf::is_good(&self.cookie, sent)
    }

    /// The value of a cookie that the browser does not have yet and needs for its forms.
    pub fn new_cookie(&self) -> Option<&PlainSecret> {
        self.is_new.then_some(&*self.cookie)
    }
}

fn lane_of(request: &HttpRequest, state: &AppState, found: Option<&SignedIn>) -> Lane {
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
    const ACCESS: Access = Access::Page(Audience::Everybody);
}

/// A visitor who is signed in. Everybody else gets a redirect to the sign-in page.
#[derive(Debug, Clone)]
pub struct Member(Visitor);

/// A visitor who administers the instance.
#[derive(Debug, Clone)]
pub struct Administrator(Visitor);

restricted! {
    Member is Visitor of SignedIn, by member;
    Administrator is Visitor of Administrators, by administrator;
}
