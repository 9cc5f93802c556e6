//! Caller of a long response, whose credentials are checked again while it is sent.

use std::sync::Arc;

use actix_web::HttpRequest;
use actix_web::http::header::HeaderName;
use actix_web::web::Data;
use api_conventions::ids::UserId;
use api_conventions::scope::Scope;
use api_conventions::time::Timestamp;
use gatehouse_core::database::Database;
use gatehouse_core::feed_watch::{FeedWatch, SubscribedCaller};
use projects::Viewer;
use web_conventions::failure::Failure;

use super::api::ApiRequest;
use super::caller::current_principal;
use super::client::counted_client;
use super::scopes::Scopes;
use crate::state::AppState;

/// Caller of a long response.
/// A request's own types check the caller once, when the request arrives. This one does so at each use, so that a
/// response ends soon after its caller loses access.
pub struct FollowedCaller {
    request: HttpRequest,
    state: Data<AppState>,
    scopes: &'static [Scope],
    user: Option<UserId>,
}

impl std::fmt::Debug for FollowedCaller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FollowedCaller").finish_non_exhaustive()
    }
}

impl ApiRequest {
    /// Returns the caller for a long response, whose token needs one of the scopes `S` at all times.
    pub fn follow_caller<S: Scopes>(&self) -> FollowedCaller {
        let principal = self.caller.principal();
        FollowedCaller {
            request: self.request.clone(),
            state: self.state.clone(),
            scopes: S::ANY_OF,
            user: principal.map(|principal| principal.user.id),
        }
    }

    /// New events of the activity feed.
    pub fn feed(&self) -> &Arc<FeedWatch> {
        &self.state.feed
    }

    /// Returns the text of a header; `None` if it was not sent or is empty.
    pub fn header(&self, name: &HeaderName) -> Option<String> {
        let value = self.request.headers().get(name)?.as_bytes();
        let text = String::from_utf8_lossy(value).trim().to_owned();
        Some(text).filter(|text| !text.is_empty())
    }
}

impl FollowedCaller {
    /// Returns the request.
    pub fn request(&self) -> &HttpRequest {
        &self.request
    }

    /// URL at which clients reach the server, without a trailing slash.
    pub fn base_url(&self) -> &str {
        &self.state.base_url
    }

    /// Caller whose subscriptions are limited together.
    pub fn subscriber(&self) -> SubscribedCaller {
        match self.user {
            Some(user) => SubscribedCaller::User(user),
            None => SubscribedCaller::Address(counted_client(&self.request, &self.state)),
        }
    }

    /// Returns the caller as a viewer, if the credentials are still valid for the same user; otherwise `None`.
    ///
    /// # Errors
    /// Failures of the store, after which the caller is unknown for now.
    pub async fn viewer(&self, now: Timestamp) -> Result<Option<Viewer>, Failure> {
        let principal = match current_principal(&self.request, &self.state, now).await {
            Ok(principal) => principal,
            Err(failure) if failure.refusal().status() < 500 => return Ok(None),
            Err(failure) => return Err(failure),
        };
        let Some(principal) = principal else {
            return Ok(self.user.is_none().then_some(Viewer::Anonymous));
        };
        let is_same = Some(principal.user.id) == self.user;
        let may = is_same && principal.scopes.allows_any(self.scopes);
        Ok(may.then(|| principal.viewer()))
    }

    /// The database.
    pub fn database(&self) -> &Arc<Database> {
        &self.state.database
    }

    /// The current time.
    pub fn now(&self) -> Timestamp {
        self.state.now()
    }

    /// True unless the credentials were found to be invalid.
    pub async fn is_admitted(&self) -> bool {
        !matches!(self.viewer(self.now()).await, Ok(None))
    }
}
