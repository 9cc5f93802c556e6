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
use web_conventions::operations::{Access, Caller, PageAudience};

pub use self::form::PlaceForm;
use super::answer::PageRequest;
use super::display_name::DisplayName;
use super::failure::{PageFailure, prefers_page};
use super::need::Need;
use super::shell::{PageBreadcrumb, Shell, SiteArea};
use super::side::{Navigation, Section};
use crate::frame::place::PlaceKind;
use crate::frame::visitor::Visitor;
use crate::state::AppState;

/// Kind of place that has pages.
pub trait PagePlace: PlaceKind + Debug {
    /// Place with the data its pages need.
    type Context: Clone + Debug + Send + 'static;
    /// Path parameter of its pages that identifies it.
    const PARAMETER: &'static str;
    /// Path prefix before its name.
    const BEFORE_NAME: &'static str;
    /// Area of the site to which its pages belong.
    const AREA: SiteArea;

    /// Parses the reference to a place from a raw path segment.
    fn parse_segment(raw: &str) -> Option<Self::Reference>;

    /// Path of the place that had this name before it was renamed or moved.
    /// It is below the root of the server; `None` if this viewer may see no such place.
    ///
    /// # Errors
    /// Failures of the store.
    fn redirect_path(
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
    fn load_context(
        tx: &mut dyn ReadTransaction,
        place: Self::Place,
        access: Self::Access,
    ) -> Result<Self::Context, PageFailure>;

    /// Access of the visitor.
    fn access(context: &Self::Context) -> Self::Access;

    /// Name of the place.
    fn name(context: &Self::Context) -> &str;

    /// Breadcrumbs of its pages.
    fn breadcrumbs(context: &Self::Context) -> Vec<PageBreadcrumb>;

    /// Navigation beside a page in one section.
    fn navigation(context: &Self::Context, section: Section) -> Option<Navigation>;
}

/// Requested place, with the viewer and the time.
#[derive(Debug)]
struct PagePlaceRequest<P: PagePlace> {
    reference: P::Reference,
    viewer: Viewer,
    now: Timestamp,
    /// Rest of the address after the name of the place, if the page is read.
    rest: Option<String>,
}

impl<P: PagePlace> Clone for PagePlaceRequest<P> {
    fn clone(&self) -> Self {
        Self {
            reference: self.reference.clone(),
            viewer: self.viewer,
            now: self.now,
            rest: self.rest.clone(),
        }
    }
}

impl<P: PagePlace> PagePlaceRequest<P> {
    fn find<N: Need>(&self, tx: &mut dyn ReadTransaction) -> Result<P::Context, PageFailure> {
        let found = P::find(tx, &self.reference, self.viewer, self.now)?;
        let Some((place, access)) = found else {
            return Err(self.redirect(tx)?.unwrap_or_else(PageFailure::not_found));
        };
        N::check(|level: AccessLevel| P::allows(access, level))?;
        P::load_context(tx, place, access)
    }

    /// Redirects a visitor who may see the place to its new address.
    /// Forms are not redirected, because browsers drop their content.
    fn redirect(&self, tx: &mut dyn ReadTransaction) -> Result<Option<PageFailure>, StoreError> {
        let Some(rest) = &self.rest else {
            return Ok(None);
        };
        let path = P::redirect_path(tx, &self.reference, self.viewer, self.now)?;
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
    place_request: PagePlaceRequest<P>,
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
        if N::AUDIENCE == PageAudience::SignedIn && visitor.signed_in().is_none() {
            // A program that does not accept pages cannot use the sign-in page.
            let failure = visitor.member(&request).err();
            let failure = failure.filter(|_| prefers_page(&request));
            return Err(failure.unwrap_or_else(|| PageFailure::not_found_by(&request)));
        }
        let named = request.match_info().get(P::PARAMETER);
        let reference = named.and_then(P::parse_segment);
        let place_request = PagePlaceRequest {
            reference: reference.ok_or_else(|| PageFailure::not_found_by(&request))?,
            viewer: visitor.viewer(),
            now: visitor.now(),
            rest: rest_of::<P>(&request),
        };
        Ok(Self {
            request,
            state,
            visitor,
            place_request,
            need: PhantomData,
        })
    }

    /// Time of receipt.
    pub fn now(&self) -> Timestamp {
        self.place_request.now
    }

    /// Viewer of the page.
    pub fn viewer(&self) -> Viewer {
        self.place_request.viewer
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
    pub async fn read<T, F>(&self, work: F) -> Result<(T, P::Context), PageFailure>
    where
        F: for<'t> FnOnce(&mut (dyn ReadTransaction + 't), &P::Context) -> Result<T, Failure>
            + Send
            + 'static,
        T: Send + 'static,
    {
        let place_request = self.place_request.clone();
        let work = move |tx: &mut (dyn ReadTransaction + '_)| {
            let context = place_request.find::<N>(tx)?;
            Ok((work(tx, &context)?, context))
        };
        let done = self.state.database.read(self.visitor.lane(), work).await;
        done.map_err(|failure| self.sign_in_if_hidden(failure))
    }

    /// Replaces "not found" with a redirect to the sign-in page, for browsers without a signed-in user.
    pub fn sign_in_if_hidden(&self, failure: PageFailure) -> PageFailure {
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
    pub fn shell(&self, context: &P::Context, section: Section, title: &str) -> Shell {
        let page = PageRequest::new(&self.request, &self.state, &self.visitor);
        let name = DisplayName::of(P::name(context));
        let mut shell = page.shell(P::AREA, format!("{title} · {}", name.isolated()));
        shell.crumbs = P::breadcrumbs(context);
        shell.side = P::navigation(context, section);
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
