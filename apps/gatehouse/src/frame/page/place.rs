//! Pages of places, as handlers get them: of projects, of groups, and of what waits for its deletion.
//!
//! Each type here says who may open the page, or send its form, and is the only way from the handler to the database. The
//! place is found, and what the visitor may do in it is judged, in the transaction of the work. What the visitor may not
//! see is the page that says that there is no such page; a browser in which nobody is signed in gets the sign-in page,
//! whether or not there is such a thing.

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

/// A kind of place that has pages.
pub trait PagePlace: PlaceKind + Debug {
    /// The place as its pages need it.
    type Shown: Clone + Debug + Send + 'static;
    /// The parameter of the paths of its pages that names it.
    const PARAMETER: &'static str;
    /// What stands before its name there.
    const BEFORE_NAME: &'static str;
    /// The part of the pages in which its pages are.
    const PART: Place;

    /// How the address of a page names it, from a raw segment.
    fn named(raw: &str) -> Option<Self::Reference>;

    /// The path of what had this name before it was renamed or moved, below the root of the server; `None` where there is no
    /// such place for this viewer.
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

    /// Reads what its pages need besides.
    ///
    /// # Errors
    /// [`PageFailure::not_found`] where it has no pages; failures of the store.
    fn dress(
        tx: &mut dyn ReadTransaction,
        found: Self::Found,
        standing: Self::Standing,
    ) -> Result<Self::Shown, PageFailure>;

    /// What the visitor may do in it.
    fn standing(shown: &Self::Shown) -> Self::Standing;

    /// What it is called.
    fn name(shown: &Self::Shown) -> &str;

    /// The way to its pages.
    fn crumbs(shown: &Self::Shown) -> Vec<Crumb>;

    /// The list beside its pages, on a page of one section.
    fn side(shown: &Self::Shown, section: Section) -> Option<Side>;
}

/// Which place is meant, and who asks.
#[derive(Debug)]
struct Wanted<P: PagePlace> {
    reference: P::Reference,
    viewer: Viewer,
    now: Timestamp,
    /// What follows the name of the place in the address, where a page is read.
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

    /// Leads to where the place is now, for a visitor who sees it. A form is not led on, because browsers drop what was
    /// filled in.
    fn moved(&self, tx: &mut dyn ReadTransaction) -> Result<Option<PageFailure>, StoreError> {
        let Some(rest) = &self.rest else {
            return Ok(None);
        };
        let path = P::moved(tx, &self.reference, self.viewer, self.now)?;
        Ok(path.map(|path| PageFailure::moved(format!("{path}{rest}"))))
    }
}

/// What follows the name of a place in the address of a page that is read.
fn rest_of<P: PagePlace>(request: &HttpRequest) -> Option<String> {
    let name = decode_segment(request.match_info().get(P::PARAMETER)?)?;
    let address = request.uri().path_and_query()?.as_str();
    let rest = address.strip_prefix(P::BEFORE_NAME)?.strip_prefix(&*name)?;
    request.method().is_safe().then(|| rest.to_owned())
}

/// A page of a place, asked for by a visitor who sees the place and has what `N` says.
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
            // A program that asks for no page cannot sign in at one.
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

    /// When the request came.
    pub fn now(&self) -> Timestamp {
        self.wanted.now
    }

    /// Who asks.
    pub fn viewer(&self) -> Viewer {
        self.wanted.viewer
    }

    /// The request.
    pub fn request(&self) -> &HttpRequest {
        &self.request
    }

    /// Who asks, with the session.
    pub fn visitor(&self) -> &Visitor {
        &self.visitor
    }

    /// The state.
    pub fn state(&self) -> &AppState {
        &self.state
    }

    /// A number in the path; anything else names nothing.
    ///
    /// # Errors
    /// 404 when there is none.
    pub fn number(&self, name: &str) -> Result<i64, PageFailure> {
        let number = self.request.match_info().get(name);
        number
            .and_then(|number| number.parse().ok())
            .ok_or_else(PageFailure::not_found)
    }

    /// Reads, with the place.
    ///
    /// # Errors
    /// 404 for a place or a page that the visitor does not see, or the way to sign in; 403 where the role is too low for
    /// what is seen; those of `work` and of the store.
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

    /// Leads a browser to where one signs in, instead of saying that there is no such page.
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

    /// The frame of the page, with the way to it and the list beside it.
    pub fn shell(&self, found: &P::Shown, section: Section, title: &str) -> Shell {
        let page = PageRequest::new(&self.request, &self.state, &self.visitor);
        let name = ShownName::of(P::name(found));
        let mut shell = page.shell(P::PART, format!("{title} · {}", name.isolated()));
        shell.crumbs = P::crumbs(found);
        shell.side = P::side(found, section);
        shell
    }

    /// Answers 200 with the page.
    ///
    /// # Errors
    /// When the page cannot be written, which is a fault of ours.
    pub fn show(&self, page: &impl Template) -> Result<HttpResponse, PageFailure> {
        self.show_with(StatusCode::OK, page)
    }

    /// Answers with the page and another status.
    ///
    /// # Errors
    /// As [`Self::show`].
    pub fn show_with(
        &self,
        status: StatusCode,
        page: &impl Template,
    ) -> Result<HttpResponse, PageFailure> {
        let request = PageRequest::new(&self.request, &self.state, &self.visitor);
        request.show_with(status, page)
    }
}
