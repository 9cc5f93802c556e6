//! A request of the API, as handlers get it.
//!
//! Each type here says who may call, by its name and its parameters, and is the only way from a handler to the database.
//! So a handler cannot forget to check, and what is checked in the transaction of the work cannot change before the work.

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
use projects::Viewer;
use serde::Serialize;
use storage::Store as _;
use web_conventions::answer;
use web_conventions::edge::request_id;
use web_conventions::failure::Failure;
use web_conventions::operations::{Access, Caller as Declared, Needs, Precondition};

use super::caller::Caller;
use super::scopes::Scopes;
use crate::config::Settings;
use crate::state::{AppState, Behaviour, ServedReleases};

/// What every request of the API has.
#[derive(Clone)]
pub struct ApiRequest {
    pub(super) request: HttpRequest,
    pub(super) state: Data<AppState>,
    pub(super) caller: Rc<Caller>,
}

impl std::fmt::Debug for ApiRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ApiRequest").finish_non_exhaustive()
    }
}

impl ApiRequest {
    /// The parameters: those of the query, and with any method that has a body those of the body, which win.
    pub fn params(&self) -> &Params {
        self.caller.params()
    }

    /// What is in the file of a field; `None` where no file was sent there.
    pub fn file(&self, field: &str) -> Option<Bytes> {
        self.caller.file(field).map(|file| file.bytes.clone())
    }

    /// The id of the request, which the answer carries in `X-Request-Id`.
    pub fn request_id(&self) -> Option<String> {
        request_id(&self.request)
    }

    /// Whether the request is answered by a behaviour.
    pub fn has(&self, behaviour: Behaviour) -> bool {
        self.state.releases.has_for(&self.request, behaviour)
    }

    /// When the request came: the one reading of the clock that everything in it uses.
    pub fn now(&self) -> Timestamp {
        self.caller.now()
    }

    /// How clients reach the server, without a slash at the end.
    pub fn base_url(&self) -> &str {
        &self.state.base_url
    }

    /// The configuration.
    pub fn settings(&self) -> &Settings {
        &self.state.settings
    }

    /// The way to external trackers.
    pub fn trackers(&self) -> &Trackers {
        &self.state.trackers
    }

    /// When users were last there, as they asked of late.
    pub fn recent_activity(&self) -> &RecentActivity {
        &self.state.activity
    }

    /// As which releases the server answers.
    pub fn releases(&self) -> &ServedReleases {
        &self.state.releases
    }

    /// As what the request is answered.
    pub fn edition(&self) -> Edition {
        self.state.releases.of(&self.request)
    }

    /// A text in the path. What is no text names nothing.
    ///
    /// # Errors
    /// 404 that says that there is no such `thing`.
    pub fn segment(&self, name: &str, thing: &str) -> Result<String, ApiError> {
        let text = self.path(name).and_then(decode_segment);
        text.ok_or_else(|| ApiError::not_found(thing))
    }

    /// A segment of the path as it came, with its escapes.
    pub fn raw_segment(&self, name: &str) -> Option<&str> {
        self.path(name)
    }

    /// A number in the path. Anything else there names nothing.
    ///
    /// # Errors
    /// 404 that says that there is no such `thing`.
    pub fn number(&self, name: &str, thing: &str) -> Result<i64, ApiError> {
        let number = self.segment(name, thing)?.parse();
        number.map_err(|_| ApiError::not_found(thing))
    }

    /// Condition of a deletion (`API-15`).
    pub fn precondition(&self) -> Precondition {
        Precondition::of(self.request.headers())
    }

    /// Where the list that is asked for is.
    pub fn list_address(&self) -> ListAddress<'_> {
        ListAddress {
            base_url: &self.state.base_url,
            path: self.request.uri().path(),
            query: self.request.query_string(),
        }
    }

    /// Whether the request only reads.
    pub(super) fn is_read(&self) -> bool {
        [Method::GET, Method::HEAD].contains(self.request.method())
    }

    /// Answers with JSON.
    ///
    /// # Errors
    /// When the value cannot be written as JSON, which is a fault of ours.
    pub fn json<T: Serialize>(&self, value: &T) -> Result<HttpResponse, Failure> {
        answer::json(&self.request, value)
    }

    /// Answers with JSON and headers.
    ///
    /// # Errors
    /// As [`Self::json`].
    pub fn json_with<T: Serialize>(
        &self,
        value: &T,
        headers: Vec<api_conventions::paging::Header>,
    ) -> Result<HttpResponse, Failure> {
        answer::page(&self.request, value, headers)
    }

    /// Answers with a page of a list, each item as `show` makes it, and the headers that lead to the other pages.
    ///
    /// # Errors
    /// As [`Self::json`].
    pub fn page<T, U: Serialize>(
        &self,
        asked: OffsetPage,
        page: Page<T>,
        show: impl FnMut(T) -> U,
    ) -> Result<HttpResponse, Failure> {
        let headers = self.list_address().offset_headers(asked, &page);
        answer::page(&self.request, &page.map(show).items, headers)
    }

    pub(super) fn path(&self, name: &str) -> Option<&str> {
        self.request.match_info().get(name)
    }

    pub(super) async fn find(request: HttpRequest, mut payload: Payload) -> Result<Self, Failure> {
        let state = request.app_data::<Data<AppState>>().cloned();
        let state = state.ok_or_else(ApiError::internal)?;
        let caller = Caller::from_request(&request, &mut payload).await?;
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

    pub(super) async fn write<T, F>(&self, work: F) -> Result<T, Failure>
    where
        F: for<'t> Fn(&mut (dyn WriteTransaction + 't)) -> Result<T, Failure> + Send + 'static,
        T: Send + 'static,
    {
        self.state.database.write(work).await
    }
}

/// A kind of caller, whatever place a request is about: what it needs, and how that is checked.
pub trait Kind: 'static {
    /// What a caller needs.
    const NEEDS: Needs;
    /// What a handler learns of the caller.
    type Who: std::fmt::Debug + Clone + Send + 'static;

    /// Checks a caller when the request comes.
    ///
    /// # Errors
    /// 401 or 403, as the caller is.
    fn admit(principal: Option<Arc<Principal>>) -> Result<Self::Who, ApiError>;

    /// Checks the caller again in the transaction of the work, where that needs more than that its credentials work.
    ///
    /// # Errors
    /// 403 when the caller may no longer do this; what the store gives when it fails.
    fn admit_again(_: &Self::Who, _: &mut dyn ReadTransaction) -> Result<(), Failure> {
        Ok(())
    }
}

/// A request by a kind of caller `K`, whose token has one of the scopes `S`.
#[derive(Debug)]
pub struct By<K: Kind, S> {
    asked: ApiRequest,
    who: K::Who,
    scopes: PhantomData<S>,
}

/// Anybody: callers without credentials, too.
#[derive(Debug)]
pub struct Anybody;

/// Users.
#[derive(Debug)]
pub struct Users;

/// Administrators of the instance.
#[derive(Debug)]
pub struct Administrators;

/// A request by anybody.
pub type AsAnybody<S> = By<Anybody, S>;
/// A request by a user.
pub type AsUser<S> = By<Users, S>;
/// A request by an administrator.
pub type AsAdministrator<S> = By<Administrators, S>;

impl Kind for Anybody {
    const NEEDS: Needs = Needs::Nothing;
    type Who = Viewer;

    fn admit(principal: Option<Arc<Principal>>) -> Result<Viewer, ApiError> {
        Ok(principal.map_or(Viewer::Anonymous, |principal| viewer(&principal)))
    }
}

impl Kind for Users {
    const NEEDS: Needs = Needs::User;
    type Who = Arc<Principal>;

    fn admit(principal: Option<Arc<Principal>>) -> Result<Arc<Principal>, ApiError> {
        principal.ok_or_else(ApiError::unauthorized)
    }
}

impl Kind for Administrators {
    const NEEDS: Needs = Needs::Administrator;
    type Who = Arc<Principal>;

    fn admit(principal: Option<Arc<Principal>>) -> Result<Arc<Principal>, ApiError> {
        let principal = principal.ok_or_else(ApiError::unauthorized)?;
        let is_admin = principal.user.is_admin;
        is_admin
            .then_some(principal)
            .ok_or_else(ApiError::forbidden)
    }

    fn admit_again(who: &Arc<Principal>, tx: &mut dyn ReadTransaction) -> Result<(), Failure> {
        let found = tx.list_users_by_id(&[who.user.id])?;
        let may = |user: &User| user.is_admin && user.state == UserState::Active;
        found
            .first()
            .is_some_and(may)
            .then_some(())
            .ok_or_else(|| ApiError::forbidden().into())
    }
}

impl<S: Scopes> AsUser<S> {
    /// The user, for what is to be noted of what it does.
    pub fn by(&self) -> Actor {
        Actor {
            id: self.who.user.id,
            viewer: viewer(&self.who),
            now: self.now(),
        }
    }
}

/// A user as a viewer of places.
pub fn viewer(principal: &Principal) -> Viewer {
    let user = &principal.user;
    if user.is_admin {
        Viewer::Administrator(user.id)
    } else {
        Viewer::User(user.id)
    }
}

impl<K: Kind, S: Scopes> Declared for By<K, S> {
    const ACCESS: Access = Access::Api {
        scopes: S::ANY_OF,
        needs: K::NEEDS,
    };
}

impl<K: Kind, S: Scopes> FromRequest for By<K, S> {
    type Error = Failure;
    type Future = LocalBoxFuture<'static, Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let asked = ApiRequest::find(request.clone(), payload.take());
        Box::pin(async move {
            let asked = asked.await?;
            let who = K::admit(asked.caller.admitted(S::ANY_OF)?)?;
            asked.caller.check_params()?;
            Ok(Self {
                asked,
                who,
                scopes: PhantomData,
            })
        })
    }
}

impl<K: Kind, S> Deref for By<K, S> {
    type Target = ApiRequest;

    fn deref(&self) -> &ApiRequest {
        &self.asked
    }
}

impl<K: Kind, S: Scopes> By<K, S> {
    /// Who calls.
    pub fn who(&self) -> &K::Who {
        &self.who
    }

    /// Reads in the caller's lane.
    ///
    /// # Errors
    /// Those of `work` and of the store; 403 for a caller who may no longer do this.
    pub async fn read<T, F>(&self, work: F) -> Result<T, Failure>
    where
        F: for<'t> FnOnce(&mut (dyn ReadTransaction + 't)) -> Result<T, Failure> + Send + 'static,
        T: Send + 'static,
    {
        let who = self.who.clone();
        let work = move |tx: &mut (dyn ReadTransaction + '_)| {
            K::admit_again(&who, tx)?;
            work(tx)
        };
        self.asked.read(work).await
    }

    /// Writes. `work` may run more than once.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub async fn write<T, F>(&self, work: F) -> Result<T, Failure>
    where
        F: for<'t> Fn(&mut (dyn WriteTransaction + 't)) -> Result<T, Failure> + Send + 'static,
        T: Send + 'static,
    {
        let who = self.who.clone();
        let work = move |tx: &mut (dyn WriteTransaction + '_)| {
            K::admit_again(&who, tx)?;
            work(tx)
        };
        self.asked.write(work).await
    }
}
