//! Pages of projects, as handlers get them.
//!
//! Each type here says who may open the page, or send its form, and is the only way from the handler to the database. The
//! project is found, and what the visitor may do in it is judged, in the transaction of the work. What the visitor may not
//! see is the page that says that there is no such page; a browser in which nobody is signed in is led to where one signs
//! in, whether or not there is such a thing.

use std::marker::PhantomData;

use actix_web::dev::Payload;
use actix_web::http::{Method, StatusCode};
use actix_web::web::Data;
use actix_web::{FromRequest, HttpRequest, HttpResponse};
use api_conventions::error::ApiError;
use api_conventions::reference::{ProjectRef, decode_segment};
use api_conventions::time::Timestamp;
use askama::Template;
use futures_util::future::LocalBoxFuture;
use gatehouse_core::database::{ReadTransaction, WriteTransaction};
use projects::flow::find_visible::{find_moved_project, find_visible_project};
use projects::flow::full_names::full_names;
use projects::{FullNames, Project, ProjectAccess, Viewer};
use storage::Store as _;
use web_conventions::failure::Failure;
use web_conventions::operations::{Access, Audience, Caller};

use super::answer::PageRequest;
use super::failure::{PageFailure, prefers_page};
pub use super::need::{Account, Allowed, Hidden, Need, Sight};
use super::notice::Notice;
use super::shell::{Crumb, Place, Shell};
use super::shown_name::ShownName;
use super::side::{Section, Side};
use crate::frame::form::Form;
use crate::frame::scopes::Role;
use crate::frame::visitor::Visitor;
use crate::state::AppState;

/// The project of a page, as its transaction found it.
#[derive(Debug, Clone)]
pub struct Found {
    /// The project.
    pub project: Project,
    /// What the visitor may do in it.
    pub access: ProjectAccess,
    /// What its groups are called.
    pub names: FullNames,
}

impl Found {
    /// Whether the visitor has at least the role `R`.
    pub fn allows<R: Role>(&self) -> bool {
        self.access.allows(R::LEAST)
    }

    /// The address of the project, below the root of the server.
    pub fn path(&self) -> String {
        format!("/{}", self.project.full_path.as_str())
    }
}

/// Which project is meant, and who asks.
#[derive(Debug, Clone)]
struct Wanted {
    reference: ProjectRef,
    viewer: Viewer,
    now: Timestamp,
    /// What follows the name of the project, where a page is read.
    rest: Option<String>,
}

impl Wanted {
    fn find<N: Need>(&self, tx: &mut dyn ReadTransaction) -> Result<Found, PageFailure> {
        let found = find_visible_project(tx, &self.reference, self.viewer, self.now)?;
        let Some((project, access)) = found else {
            return Err(self.moved(tx)?.unwrap_or_else(PageFailure::not_found));
        };
        N::judge(access)?;
        let names = full_names(tx, std::slice::from_ref(&project))?;
        Ok(Found {
            project,
            access,
            names,
        })
    }

    /// Leads to where the project is now, for a visitor who sees it.
    fn moved(&self, tx: &mut dyn ReadTransaction) -> Result<Option<PageFailure>, PageFailure> {
        let Some(rest) = &self.rest else {
            return Ok(None);
        };
        let found = find_moved_project(tx, &self.reference, self.viewer, self.now)?;
        let address = found.map(|(project, _)| format!("/{}{rest}", project.full_path.as_str()));
        Ok(address.map(PageFailure::moved))
    }
}

/// What follows the name of the project in the address of a page that is read.
fn rest_of(request: &HttpRequest) -> Option<String> {
    let is_read = [Method::GET, Method::HEAD].contains(request.method());
    let name = decode_segment(request.match_info().get("project")?)?;
    let address = request.uri().path_and_query()?.as_str();
    let rest = address.strip_prefix('/')?.strip_prefix(&*name)?;
    is_read.then(|| rest.to_owned())
}

/// A page of a project, asked for by a visitor who sees the project and has what `N` says.
#[derive(Debug)]
pub struct ProjectPage<N> {
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
    wanted: Wanted,
    need: PhantomData<N>,
}

impl<N: Need> Caller for ProjectPage<N> {
    const ACCESS: Access = Access::Page(N::AUDIENCE);
}

impl<N: Need> FromRequest for ProjectPage<N> {
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

impl<N: Need> ProjectPage<N> {
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
        let named = request.match_info().get("project");
        let reference = named.and_then(ProjectRef::parse);
        // A number is a name for the API alone.
        let reference = reference.filter(|found| matches!(found, ProjectRef::Path(_)));
        let wanted = Wanted {
            reference: reference.ok_or_else(|| PageFailure::not_found_by(&request))?,
            viewer: visitor.viewer(),
            now: visitor.now(),
            rest: rest_of(&request),
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

    /// Reads, with the project.
    ///
    /// # Errors
    /// 404 for a project or a page that the visitor does not see, or the way to sign in; 403 where the role is too low for
    /// what is seen; those of `work` and of the store.
    pub async fn read<T, F>(&self, work: F) -> Result<(T, Found), PageFailure>
    where
        F: for<'t> FnOnce(&mut (dyn ReadTransaction + 't), &Found) -> Result<T, Failure>
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

    /// The frame of the page, with the way to it: the groups, the project, and `steps` below it.
    pub fn shell(&self, found: &Found, section: Section, title: &str) -> Shell {
        let page = PageRequest::new(&self.request, &self.state, &self.visitor);
        let project = ShownName::of(&found.project.name);
        let mut shell = page.shell(Place::Project, format!("{title} · {}", project.isolated()));
        shell.crumbs = vec![
            Crumb {
                name: ShownName::of(&group_names(found)),
                path: None,
            },
            Crumb {
                name: project,
                path: Some(found.path()),
            },
        ];
        let path = found.project.full_path.as_str();
        shell.side = Some(Side::new(path, found.access, section));
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

/// What the groups of a project are called, the outermost first.
pub fn group_names(found: &Found) -> String {
    let whole = found.names.of_project(&found.project);
    let own = format!(" / {}", found.project.name);
    let groups = whole.strip_suffix(&own).unwrap_or(&whole);
    groups.to_owned()
}

/// A form of a page of a project, sent by a visitor who sees the project and has what `N` says.
#[derive(Debug)]
pub struct ProjectForm<N> {
    page: ProjectPage<N>,
    /// What was filled in.
    pub form: Form,
}

impl<N: Need> Caller for ProjectForm<N> {
    const ACCESS: Access = Access::Page(Audience::SignedIn);
}

impl<N: Need> FromRequest for ProjectForm<N> {
    type Error = PageFailure;
    type Future = LocalBoxFuture<'static, Result<Self, PageFailure>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let form = Form::from_request(request, payload);
        let request = request.clone();
        Box::pin(async move {
            let form = form.await?;
            form.visitor.member(&request)?;
            let state = state_of(&request)?;
            let page = ProjectPage::new(request, state, form.visitor.clone())?;
            Ok(Self { page, form })
        })
    }
}

impl<N> std::ops::Deref for ProjectForm<N> {
    type Target = ProjectPage<N>;

    fn deref(&self) -> &ProjectPage<N> {
        &self.page
    }
}

impl<N: Need> ProjectForm<N> {
    /// Who sent it.
    ///
    /// # Errors
    /// When nobody is signed in.
    pub fn actor(&self) -> Result<api_conventions::ids::UserId, PageFailure> {
        Ok(self.visitor.member(&self.request)?.user.id)
    }

    /// Writes, with the project. `work` may run more than once.
    ///
    /// # Errors
    /// As [`ProjectPage::read`]. What `work` refuses is given beside the project, and nothing is written then.
    pub async fn write<T, E, F>(&self, work: F) -> Result<(Result<T, E>, Found), PageFailure>
    where
        F: for<'t> Fn(&mut (dyn WriteTransaction + 't), &Found) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: Send + 'static,
    {
        let wanted = self.wanted.clone();
        let work = move |tx: &mut (dyn WriteTransaction + '_)| {
            let found = wanted.find::<N>(tx).map_err(Undone::Failed)?;
            match work(tx, &found) {
                Ok(done) => Ok((done, found)),
                Err(refused) => Err(Undone::Refused(Box::new((refused, found)))),
            }
        };
        match self.state.database.write(work).await {
            Ok((done, found)) => Ok((Ok(done), found)),
            Err(Undone::Refused(refused)) => {
                let (refused, found) = *refused;
                Ok((Err(refused), found))
            }
            Err(Undone::Failed(failure)) => Err(self.page.as_seen(failure)),
        }
    }

    /// Leads to a page of the project with a notice.
    pub fn lead_to(&self, path: &str, notice: Notice) -> HttpResponse {
        let page = PageRequest::new(&self.request, &self.state, &self.visitor);
        page.lead_to(path, notice)
    }
}

/// Why a write did not happen.
enum Undone<E> {
    Refused(Box<(E, Found)>),
    Failed(PageFailure),
}

impl<E> From<storage::StoreError> for Undone<E> {
    fn from(error: storage::StoreError) -> Self {
        Self::Failed(error.into())
    }
}
