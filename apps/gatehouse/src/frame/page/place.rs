//! Pages of places, as handlers receive them: of projects, of groups, and of those pending deletion.
//!
//! Each type states who may open the page or send its form, and is a handler's only access to the database. The place
//! is loaded, and the visitor's access to it checked, in the transaction of the work. A page hidden from the visitor
//! responds with "not found"; a browser without a signed-in user gets the sign-in page, whether or not the page exists.

mod form;

use std::fmt::Debug;
use std::marker::PhantomData;

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{FromRequest, HttpRequest, HttpResponse};
use api_conventions::access::AccessLevel;
use api_conventions::error::ApiError;
use api_conventions::reference::decode_segment;
use api_conventions::time::Timestamp;
use askama::Template;
use futures_util::future::LocalBoxFuture;
use gatehouse_core::database::ReadTransaction;
use projects::Viewer;
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::{Access, Audience, Caller};

pub use self::form::PlaceForm;
use super::answer::PageRequest;
use super::failure::{PageFailure, prefers_page};
use super::need::Need;
use super::shell::{Crumb, Place, Shell};
use super::shown_name::ShownName;
use super::side::{Section, Side};
use crate::frame::place::PlaceKind;
use crate::frame::visitor::Visitor;
use crate::state::AppState;

/// Kind of place that has pages.
pub trait PagePlace: PlaceKind + Debug {
    /// Place with the data its pages need.
    type Shown: Clone + Debug + Send + 'static;
    /// Path parameter of its pages that identifies it.
    const PARAMETER: &'static str;
    /// Path prefix before its name.
    const BEFORE_NAME: &'static str;
    /// Area of the site to which its pages belong.
    const PART: Place;

    /// Parses the reference to a place from a raw path segment.
    fn named(raw: &str) -> Option<Self::Reference>;

    /// Path of the place that had this name before it was renamed or moved.
    /// It is below the root of the server; `None` if this viewer may see no such place.
    ///
    /// # Errors
    /// Failures of the store.
    fn moved(
        _: &mut dyn ReadTransaction,
        _: &Self::Reference,
        _: Viewer,
        _: Timestamp,
    ) -> Result<Option<String>, StoreError> {
        Ok(None)
    }

    /// Loads the other data its pages need.
    ///
    /// # Errors
    /// [`PageFailure::not_found`] if the place has no pages; failures of the store.
    fn dress(
        tx: &mut dyn ReadTransaction,
        found: Self::Found,
        standing: Self::Standing,
    ) -> Result<Self::Shown, PageFailure>;

    /// Access of the visitor.
    fn standing(shown: &Self::Shown) -> Self::Standing;

    /// Name of the place.
    fn name(shown: &Self::Shown) -> &str;

    /// Breadcrumbs of its pages.
    fn crumbs(shown: &Self::Shown) -> Vec<Crumb>;

    /// Navigation beside a page in one section.
    fn side(shown: &Self::Shown, section: Section) -> Option<Side>;
}

/// Requested place, with the viewer and the time.
#[derive(Debug)]
struct Wanted<P: PagePlace> {
    reference: P::Reference,
    viewer: Viewer,
    now: Timestamp,
    /// Rest of the address after the name of the place, if the page is read.
    rest: Option<String>,
}

impl<P: PagePlace> Clone for Wanted<P> {
    fn clone(&self) -> Self {
        Self {
            reference: self.reference.clone(),
            viewer: self.viewer,
            now: self.now,
            rest: self.rest.clone(),
        }
    }
}

impl<P: PagePlace> Wanted<P> {
    fn find<N: Need>(&self, tx: &mut dyn ReadTransaction) -> Result<P::Shown, PageFailure> {
        let found = P::find(tx, &self.reference, self.viewer, self.now)?;
        let Some((found, standing)) = found else {
            return Err(self.moved(tx)?.unwrap_or_else(PageFailure::not_found));
        };
        N::judge(|level: AccessLevel| P::allows(standing, level))?;
        P::dress(tx, found, standing)
    }

    /// Redirects a visitor who may see the place to its new address.
    /// Forms are not redirected, because browsers drop their content.
    fn moved(&self, tx: &mut dyn ReadTransaction) -> Result<Option<PageFailure>, StoreError> {
        let Some(rest) = &self.rest else {
            return Ok(None);
        };
        let path = P::moved(tx, &self.reference, self.viewer, self.now)?;
        Ok(path.map(|path| PageFailure::moved(format!("{path}{rest}"))))
    }
}

/// Rest of the address after the name of a place, if the page is read.
fn rest_of<P: PagePlace>(request: &HttpRequest) -> Option<String> {
    let name = decode_segment(request.match_info().get(P::PARAMETER)?)?;
    let address = request.uri().path_and_query()?.as_str();
    let rest = address.strip_prefix(P::BEFORE_NAME)?.strip_prefix(&*name)?;
    request.method().is_safe().then(|| rest.to_owned())
}

/// Page of a place, requested by a visitor who may see the place and meets the requirement `N`.
#[derive(Debug)]
pub struct PlacePage<P: PagePlace, N> {
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
    wanted: Wanted<P>,
    need: PhantomData<N>,
}

impl<P: PagePlace, N: Need> Caller for PlacePage<P, N> {
    const ACCESS: Access = Access::Page(N::AUDIENCE);
}

impl<P: PagePlace, N: Need> FromRequest for PlacePage<P, N> {
    type Error = PageFailure;
    type Future = LocalBoxFuture<'static, Result<Self, PageFailure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let state = state_of(&request)?;
            let visitor = Visitor::of(&request, &state).await?;
            Self::new(request, state, visitor)
        })
    }
}

fn state_of(request: &HttpRequest) -> Result<Data<AppState>, PageFailure> {
    let state = request.app_data::<Data<AppState>>().cloned();
    Ok(state.ok_or_else(ApiError::internal)?)
}

impl<P: PagePlace, N: Need> PlacePage<P, N> {
    fn new(
        request: HttpRequest,
        state: Data<AppState>,
        visitor: Visitor,
    ) -> Result<Self, PageFailure> {
        if N::AUDIENCE == Audience::SignedIn && visitor.signed_in().is_none() {
            // A program that does not accept pages cannot use the sign-in page.
            let failure = visitor.member(&request).err();
            let failure = failure.filter(|_| prefers_page(&request));
            return Err(failure.unwrap_or_else(|| PageFailure::not_found_by(&request)));
        }
        let named = request.match_info().get(P::PARAMETER);
        let reference = named.and_then(P::named);
        let wanted = Wanted {
            reference: reference.ok_or_else(|| PageFailure::not_found_by(&request))?,
            viewer: visitor.viewer(),
            now: visitor.now(),
            rest: rest_of::<P>(&request),
        };
        Ok(Self {
            request,
            state,
            visitor,
            wanted,
            need: PhantomData,
        })
    }

    /// Time of receipt.
    pub fn now(&self) -> Timestamp {
        self.wanted.now
    }

    /// Viewer of the page.
    pub fn viewer(&self) -> Viewer {
        self.wanted.viewer
    }

    /// The request.
    pub fn request(&self) -> &HttpRequest {
        &self.request
    }

    /// Visitor, with the session.
    pub fn visitor(&self) -> &Visitor {
        &self.visitor
    }

    /// The state.
    pub fn state(&self) -> &AppState {
        &self.state
    }

    /// Parses a number in the path; anything else matches no resource.
    ///
    /// # Errors
    /// 404 if it is not a number.
    pub fn number(&self, name: &str) -> Result<i64, PageFailure> {
        let number = self.request.match_info().get(name);
        number
            .and_then(|number| number.parse().ok())
            .ok_or_else(PageFailure::not_found)
    }

    /// Runs a read with the place.
    ///
    /// # Errors
    /// 404 for a place or page that the visitor may not see, or a redirect to the sign-in page; 403 if the role is too
    /// low for a visible place; errors of `work` and of the store.
    pub async fn read<T, F>(&self, work: F) -> Result<(T, P::Shown), PageFailure>
    where
        F: for<'t> FnOnce(&mut (dyn ReadTransaction + 't), &P::Shown) -> Result<T, Failure>
            + Send
            + 'static,
        T: Send + 'static,
    {
        let wanted = self.wanted.clone();
        let work = move |tx: &mut (dyn ReadTransaction + '_)| {
            let found = wanted.find::<N>(tx)?;
            Ok((work(tx, &found)?, found))
        };
        let done = self.state.database.read(self.visitor.lane(), work).await;
        done.map_err(|failure| self.as_seen(failure))
    }

    /// Replaces "not found" with a redirect to the sign-in page, for browsers without a signed-in user.
    pub fn as_seen(&self, failure: PageFailure) -> PageFailure {
        if failure.status() != StatusCode::NOT_FOUND {
            return failure;
        }
        let is_browser = prefers_page(&self.request);
        let sign_in = self.visitor.member(&self.request).err();
        sign_in
            .filter(|_| is_browser)
            .unwrap_or_else(|| PageFailure::not_found_by(&self.request))
    }

    /// Frame of the page, with its breadcrumbs and navigation.
    pub fn shell(&self, found: &P::Shown, section: Section, title: &str) -> Shell {
        let page = PageRequest::new(&self.request, &self.state, &self.visitor);
        let name = ShownName::of(P::name(found));
        let mut shell = page.shell(P::PART, format!("{title} · {}", name.isolated()));
        shell.crumbs = P::crumbs(found);
        shell.side = P::side(found, section);
        shell
    }

    /// Responds with the page and status 200.
    ///
    /// # Errors
    /// If the template fails to render, which is a bug.
    pub fn show(&self, page: &impl Template) -> Result<HttpResponse, PageFailure> {
        self.show_with(StatusCode::OK, page)
    }

    /// Responds with the page and another status.
    ///
    /// # Errors
    /// Same as [`Self::show`].
    pub fn show_with(
        &self,
        status: StatusCode,
        page: &impl Template,
    ) -> Result<HttpResponse, PageFailure> {
        let request = PageRequest::new(&self.request, &self.state, &self.visitor);
        request.show_with(status, page)
    }
}
