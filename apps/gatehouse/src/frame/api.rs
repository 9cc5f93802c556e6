//! API requests, as handlers receive them.
//!
//! Each type's name and parameters say which callers it admits, and it is a handler's only access to the database. So a
//! handler cannot forget the check, and a check inside the transaction cannot be outdated by the time of the work.

use std::marker::PhantomData;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;

use accounts::{User, UserState};
use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::web::{Bytes, Data};
use actix_web::{FromRequest, HttpRequest, HttpResponse};
use api_conventions::error::ApiError;
use api_conventions::page::{OffsetPage, Page};
use api_conventions::paging::ListAddress;
use api_conventions::params::Params;
use api_conventions::reference::decode_segment;
use api_conventions::release::Edition;
use api_conventions::time::Timestamp;
use futures_util::future::LocalBoxFuture;
use gatehouse_core::auth::activity::RecentActivity;
use gatehouse_core::auth::principal::Principal;
use gatehouse_core::database::{ReadTransaction, WriteTransaction};
use gatehouse_core::external_tracker::Trackers;
use gatehouse_core::flows::groups::Actor;
use gatehouse_core::flows::incidents::IncidentNames;
use gatehouse_core::flows::receive_alerts::FeedEntries;
use gatehouse_core::runner_contacts::RunnerContacts;
use projects::Viewer;
use serde::Serialize;
use web_conventions::answer;
use web_conventions::edge::request_id;
use web_conventions::failure::Failure;
use web_conventions::operations::{Access, Caller as Declared, Needs, Precondition};

use super::caller::ApiCaller;
use super::page_reader::PageReader;
use super::scopes::Scopes;
use crate::config::AppSettings;
use crate::state::{AppState, Behaviour, ServedReleases};

/// Request data common to all API operations.
#[derive(Clone)]
pub struct ApiRequest {
    pub(super) request: HttpRequest,
    pub(super) state: Data<AppState>,
    pub(super) caller: Rc<ApiCaller>,
}

impl std::fmt::Debug for ApiRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ApiRequest").finish_non_exhaustive()
    }
}

impl ApiRequest {
    /// Parameters of the query, and with any method that has a body those of the body, which take precedence.
    pub fn params(&self) -> &Params {
        self.caller.params()
    }

    /// Content of the file in a field; `None` if no file was sent in it.
    pub fn file(&self, field: &str) -> Option<Bytes> {
        self.caller.file(field).map(|file| file.bytes.clone())
    }

    /// Id of the request, which the response carries in `X-Request-Id`.
    pub fn request_id(&self) -> Option<String> {
        request_id(&self.request)
    }

    /// True if a behaviour applies to the request.
    pub fn has(&self, behaviour: Behaviour) -> bool {
        self.state.releases.has_for(&self.request, behaviour)
    }

    /// Time of receipt: the only reading of the clock, used for everything in the request.
    pub fn now(&self) -> Timestamp {
        self.caller.now()
    }

    /// URL at which clients reach the server, without a trailing slash.
    pub fn base_url(&self) -> &str {
        &self.state.base_url
    }

    /// The configuration.
    pub fn settings(&self) -> &AppSettings {
        &self.state.settings
    }

    /// Author and names of entries about alerts that the server itself opens or resolves.
    pub fn alert_feed(&self) -> FeedEntries {
        self.state.alert_feed()
    }

    /// Names for the descriptions of incidents.
    pub fn incident_names(&self) -> Arc<IncidentNames> {
        Arc::clone(&self.state.incident_names)
    }

    /// Client for external trackers.
    pub fn trackers(&self) -> &Trackers {
        &self.state.trackers
    }

    /// Recent activity of users, from their requests.
    pub fn recent_activity(&self) -> &RecentActivity {
        &self.state.activity
    }

    /// Recent contacts of runners.
    pub fn runner_contacts(&self) -> &RunnerContacts {
        &self.state.runner_contacts
    }

    /// Releases that the server can answer as.
    pub fn releases(&self) -> &ServedReleases {
        &self.state.releases
    }

    /// Edition of the response.
    pub fn edition(&self) -> Edition {
        self.state.releases.of(&self.request)
    }

    /// Decodes a text in the path.
    /// Text that cannot be decoded matches no resource.
    ///
    /// # Errors
    /// 404 that says that there is no such `resource`.
    pub fn segment(&self, name: &str, resource: &str) -> Result<String, ApiError> {
        let text = self.path(name).and_then(decode_segment);
        text.ok_or_else(|| ApiError::not_found(resource))
    }

    /// Segment of the path as received, with its escapes.
    pub fn raw_segment(&self, name: &str) -> Option<&str> {
        self.path(name)
    }

    /// Parses a number in the path.
    /// Anything else matches no resource.
    ///
    /// # Errors
    /// 404 that says that there is no such `resource`.
    pub fn number(&self, name: &str, resource: &str) -> Result<i64, ApiError> {
        let number = self.segment(name, resource)?.parse();
        number.map_err(|_| ApiError::not_found(resource))
    }

    /// Precondition of a deletion (`API-15`).
    pub fn precondition(&self) -> Precondition {
        Precondition::of(self.request.headers())
    }

    /// Address of the requested list, for links to its pages.
    pub fn list_address(&self) -> ListAddress<'_> {
        ListAddress {
            base_url: &self.state.base_url,
            path: self.request.uri().path(),
            query: self.request.query_string(),
        }
    }

    /// True if the request only reads.
    pub(super) fn is_read(&self) -> bool {
        [Method::GET, Method::HEAD].contains(self.request.method())
    }

    /// Responds with JSON.
    ///
    /// # Errors
    /// If the value cannot be serialized as JSON, which is a bug.
    pub fn json<T: Serialize>(&self, value: &T) -> Result<HttpResponse, Failure> {
        answer::json(&self.request, value)
    }

    /// Responds with JSON and headers.
    ///
    /// # Errors
    /// Same as [`Self::json`].
    pub fn json_with<T: Serialize>(
        &self,
        value: &T,
        headers: Vec<api_conventions::paging::Header>,
    ) -> Result<HttpResponse, Failure> {
        answer::page(&self.request, value, headers)
    }

    /// Responds with a page of a list.
    /// The response has the items, each converted by `show`, and the headers that link to the other pages.
    ///
    /// # Errors
    /// Same as [`Self::json`].
    pub fn page<T, U: Serialize>(
        &self,
        paging: OffsetPage,
        page: Page<T>,
        show: impl FnMut(T) -> U,
    ) -> Result<HttpResponse, Failure> {
        let headers = self.list_address().offset_headers(paging, &page);
        answer::page(&self.request, &page.map(show).items, headers)
    }

    pub(super) fn path(&self, name: &str) -> Option<&str> {
        self.request.match_info().get(name)
    }

    pub(super) async fn find(request: HttpRequest, mut payload: Payload) -> Result<Self, Failure> {
        let state = request.app_data::<Data<AppState>>().cloned();
        let state = state.ok_or_else(ApiError::internal)?;
        let caller = ApiCaller::from_request(&request, &mut payload).await?;
        Ok(Self {
            request,
            state,
            caller: Rc::new(caller),
        })
    }

    pub(super) async fn read<T, F>(&self, work: F) -> Result<T, Failure>
    where
        F: for<'t> FnOnce(&mut (dyn ReadTransaction + 't)) -> Result<T, Failure> + Send + 'static,
        T: Send + 'static,
    {
        self.state.database.read(self.caller.lane(), work).await
    }

    /// Reader for a response that is sent page by page.
    pub fn page_reader(&self) -> PageReader {
        PageReader::new(self.state.clone(), self.caller.lane())
    }

    pub(super) async fn write<T, F>(&self, work: F) -> Result<T, Failure>
    where
        F: for<'t> Fn(&mut (dyn WriteTransaction + 't)) -> Result<T, Failure> + Send + 'static,
        T: Send + 'static,
    {
        let impersonation = self.caller.impersonation();
        self.state.database.write_for(impersonation, work).await
    }
}

/// Kind of caller, regardless of any place in the request: its requirements, and how they are checked.
pub trait CallerKind: 'static {
    /// Requirements for the caller.
    const NEEDS: Needs;
    /// Data about the caller for the handler.
    type Caller: std::fmt::Debug + Clone + Send + 'static;

    /// Checks the caller when the request arrives.
    ///
    /// # Errors
    /// 401 or 403, depending on the caller.
    fn admit(principal: Option<Arc<Principal>>) -> Result<Self::Caller, ApiError>;

    /// Checks the caller again in the transaction of the work, if valid credentials alone are not enough.
    ///
    /// # Errors
    /// 403 if the caller may no longer do this; failures of the store.
    fn admit_again(_: &Self::Caller, _: &mut dyn ReadTransaction) -> Result<(), Failure> {
        Ok(())
    }
}

/// Request from a kind of caller `K`, whose token has one of the scopes `S`.
#[derive(Debug)]
pub struct RequestBy<K: CallerKind, S> {
    api_request: ApiRequest,
    caller: K::Caller,
    scopes: PhantomData<S>,
}

/// Any caller, also without credentials.
#[derive(Debug)]
pub struct AllCallers;

/// Signed-in users.
#[derive(Debug)]
pub struct SignedInUsers;

/// Administrators of the instance.
#[derive(Debug)]
pub struct Administrators;

/// Request from any caller.
pub type AsCaller<S> = RequestBy<AllCallers, S>;
/// Request from a user.
pub type AsUser<S> = RequestBy<SignedInUsers, S>;
/// Request from an administrator.
pub type AsAdministrator<S> = RequestBy<Administrators, S>;

impl CallerKind for AllCallers {
    const NEEDS: Needs = Needs::Nothing;
    type Caller = Viewer;

    fn admit(principal: Option<Arc<Principal>>) -> Result<Viewer, ApiError> {
        Ok(principal.map_or(Viewer::Anonymous, |principal| principal.viewer()))
    }
}

impl CallerKind for SignedInUsers {
    const NEEDS: Needs = Needs::User;
    type Caller = Arc<Principal>;

    fn admit(principal: Option<Arc<Principal>>) -> Result<Arc<Principal>, ApiError> {
        principal.ok_or_else(ApiError::unauthorized)
    }
}

impl CallerKind for Administrators {
    const NEEDS: Needs = Needs::Administrator;
    type Caller = Arc<Principal>;

    fn admit(principal: Option<Arc<Principal>>) -> Result<Arc<Principal>, ApiError> {
        let principal = principal.ok_or_else(ApiError::unauthorized)?;
        let is_admin = principal.user.is_admin;
        is_admin
            .then_some(principal)
            .ok_or_else(ApiError::forbidden)
    }

    fn admit_again(caller: &Arc<Principal>, tx: &mut dyn ReadTransaction) -> Result<(), Failure> {
        let found = tx.list_users_by_id(&[caller.user.id])?;
        let may = |user: &User| user.is_admin && user.state == UserState::Active;
        found
            .first()
            .is_some_and(may)
            .then_some(())
            .ok_or_else(|| ApiError::forbidden().into())
    }
}

impl<S: Scopes> AsUser<S> {
    /// User as the actor of changes.
    pub fn actor(&self) -> Actor {
        Actor {
            id: self.caller.user.id,
            viewer: self.caller.viewer(),
            now: self.now(),
        }
    }
}

impl<K: CallerKind, S: Scopes> Declared for RequestBy<K, S> {
    const ACCESS: Access = Access::Api {
        scopes: S::ANY_OF,
        needs: K::NEEDS,
    };
}

impl<K: CallerKind, S: Scopes> FromRequest for RequestBy<K, S> {
    type Error = Failure;
    type Future = LocalBoxFuture<'static, Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let found = ApiRequest::find(request.clone(), payload.take());
        Box::pin(async move {
            let api_request = found.await?;
            let caller = K::admit(api_request.caller.admitted(S::ANY_OF)?)?;
            api_request.caller.check_params()?;
            Ok(Self {
                api_request,
                caller,
                scopes: PhantomData,
            })
        })
    }
}

impl<K: CallerKind, S> Deref for RequestBy<K, S> {
    type Target = ApiRequest;

    fn deref(&self) -> &ApiRequest {
        &self.api_request
    }
}

impl<K: CallerKind, S: Scopes> RequestBy<K, S> {
    /// Returns the caller.
    pub fn caller(&self) -> &K::Caller {
        &self.caller
    }

    /// Runs a read in the caller's lane.
    ///
    /// # Errors
    /// Errors of `work` and of the store; 403 if the caller may no longer do this.
    pub async fn read<T, F>(&self, work: F) -> Result<T, Failure>
    where
        F: for<'t> FnOnce(&mut (dyn ReadTransaction + 't)) -> Result<T, Failure> + Send + 'static,
        T: Send + 'static,
    {
        let caller = self.caller.clone();
        let work = move |tx: &mut (dyn ReadTransaction + '_)| {
            K::admit_again(&caller, tx)?;
            work(tx)
        };
        self.api_request.read(work).await
    }

    /// Runs a write.
    /// `work` may run more than once.
    ///
    /// # Errors
    /// Same as [`Self::read`].
    pub async fn write<T, F>(&self, work: F) -> Result<T, Failure>
    where
        F: for<'t> Fn(&mut (dyn WriteTransaction + 't)) -> Result<T, Failure> + Send + 'static,
        T: Send + 'static,
    {
        let caller = self.caller.clone();
        let work = move |tx: &mut (dyn WriteTransaction + '_)| {
            K::admit_again(&caller, tx)?;
            work(tx)
        };
        self.api_request.write(work).await
    }
}
