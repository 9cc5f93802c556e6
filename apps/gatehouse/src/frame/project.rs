//! Requests about a project, which the path names by its number or its path.

use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use api_conventions::access::AccessLevel;
use api_conventions::error::ApiError;
use api_conventions::ids::UserId;
use api_conventions::reference::ProjectRef;
use api_conventions::scope::Scope;
use api_conventions::time::Timestamp;
use futures_util::future::LocalBoxFuture;
use gatehouse_core::auth::principal::Principal;
use gatehouse_core::database::{ReadTransaction, WriteTransaction};
use projects::flow::find_visible::find_visible_project;
use projects::{Project, ProjectAccess, Viewer};
use web_conventions::failure::Failure;
use web_conventions::operations::{Access, Caller, Kind, Needs, Parameter, Place};

use super::api::{ApiRequest, viewer};
use super::scopes::{Role, Scopes};

/// The parameter of the path that names the project.
pub const PROJECT: Parameter = Parameter::path(
    "id",
    Kind::Place,
    "The number of the project, or its full path, percent-encoded.",
);

/// Which project is meant, and who asks.
#[derive(Debug, Clone)]
struct Wanted {
    reference: ProjectRef,
    viewer: Viewer,
    now: Timestamp,
}

impl Wanted {
    fn of(asked: &ApiRequest, viewer: Viewer) -> Result<Self, ApiError> {
        let reference = asked.path(PROJECT.name).and_then(ProjectRef::parse);
        Ok(Self {
            reference: reference.ok_or_else(unseen)?,
            viewer,
            now: asked.now(),
        })
    }

    /// The project, and what the caller may do in it.
    fn find(&self, tx: &mut dyn ReadTransaction) -> Result<(Project, ProjectAccess), Failure> {
        let found = find_visible_project(tx, &self.reference, self.viewer, self.now)?;
        Ok(found.ok_or_else(unseen)?)
    }

    /// The project, for somebody who needs this role in it.
    fn find_for(
        &self,
        tx: &mut dyn ReadTransaction,
        least: AccessLevel,
    ) -> Result<Project, Failure> {
        let (project, access) = self.find(tx)?;
        access
            .allows(least)
            .then_some(project)
            .ok_or_else(|| ApiError::forbidden().into())
    }
}

/// The refusal of a project that is not there, or not for this caller.
fn unseen() -> ApiError {
    ApiError::not_found("Project")
}

/// Extracts the request and its sender, whose token has one of the scopes.
async fn find(
    request: HttpRequest,
    payload: Payload,
    scopes: &'static [Scope],
) -> Result<(ApiRequest, Option<Arc<Principal>>), Failure> {
    let asked = ApiRequest::find(request, payload).await?;
    let principal = asked.caller.admitted(scopes)?;
    Ok((asked, principal))
}

/// A request about a project by somebody who sees it, whose token, if there is one, has one of the scopes `S`.
#[derive(Debug)]
pub struct SeesProject<S> {
    asked: ApiRequest,
    wanted: Wanted,
    scopes: PhantomData<S>,
}

impl<S: Scopes> Caller for SeesProject<S> {
    const ACCESS: Access = Access::Api {
        scopes: S::ANY_OF,
        needs: Needs::Sight(Place::Project),
    };
}

impl<S: Scopes> FromRequest for SeesProject<S> {
    type Error = Failure;
    type Future = LocalBoxFuture<'static, Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let found = find(request.clone(), payload.take(), S::ANY_OF);
        Box::pin(async move {
            let (asked, principal) = found.await?;
            let viewer = principal.map_or(Viewer::Anonymous, |principal| viewer(&principal));
            let wanted = Wanted::of(&asked, viewer)?;
            Ok(Self {
                asked,
                wanted,
                scopes: PhantomData,
            })
        })
    }
}

impl<S> Deref for SeesProject<S> {
    type Target = ApiRequest;

    fn deref(&self) -> &ApiRequest {
        &self.asked
    }
}

impl<S> SeesProject<S> {
    /// Who looks.
    pub fn viewer(&self) -> Viewer {
        self.wanted.viewer
    }

    /// Reads, with the project and what the caller may do in it.
    ///
    /// # Errors
    /// 404 for a project that the caller does not see; those of `work` and of the store.
    pub async fn read<T, F>(&self, work: F) -> Result<T, Failure>
    where
        F: for<'t> FnOnce(
                &mut (dyn ReadTransaction + 't),
                Project,
                ProjectAccess,
            ) -> Result<T, Failure>
            + Send
            + 'static,
        T: Send + 'static,
    {
        let wanted = self.wanted.clone();
        let work = move |tx: &mut (dyn ReadTransaction + '_)| {
            let (project, access) = wanted.find(tx)?;
            work(tx, project, access)
        };
        self.asked.read(work).await
    }
}

/// A request about a project by a member with the role `R` or a higher one, whose token has one of the scopes `S`.
#[derive(Debug)]
pub struct InProject<R, S> {
    asked: ApiRequest,
    wanted: Wanted,
    actor: UserId,
    meaning: PhantomData<(R, S)>,
}

impl<R: Role, S: Scopes> Caller for InProject<R, S> {
    const ACCESS: Access = Access::Api {
        scopes: S::ANY_OF,
        needs: Needs::Role(Place::Project, R::LEAST),
    };
}

impl<R: Role, S: Scopes> FromRequest for InProject<R, S> {
    type Error = Failure;
    type Future = LocalBoxFuture<'static, Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let found = find(request.clone(), payload.take(), S::ANY_OF);
        Box::pin(async move {
            let (asked, principal) = found.await?;
            let principal = principal.ok_or_else(ApiError::unauthorized)?;
            let wanted = Wanted::of(&asked, viewer(&principal))?;
            Ok(Self {
                asked,
                wanted,
                actor: principal.user.id,
                meaning: PhantomData,
            })
        })
    }
}

impl<R, S> Deref for InProject<R, S> {
    type Target = ApiRequest;

    fn deref(&self) -> &ApiRequest {
        &self.asked
    }
}

impl<R: Role, S: Scopes> InProject<R, S> {
    /// The member.
    pub fn actor(&self) -> UserId {
        self.actor
    }

    /// Reads, with the project.
    ///
    /// # Errors
    /// 404 for a project that the caller does not see, 403 for one in which the role is too low; those of `work` and of
    /// the store.
    pub async fn read<T, F>(&self, work: F) -> Result<(T, Project), Failure>
    where
        F: for<'t> FnOnce(&mut (dyn ReadTransaction + 't), &Project) -> Result<T, Failure>
            + Send
            + 'static,
        T: Send + 'static,
    {
        let wanted = self.wanted.clone();
        let work = move |tx: &mut (dyn ReadTransaction + '_)| {
            let project = wanted.find_for(tx, R::LEAST)?;
            Ok((work(tx, &project)?, project))
        };
        self.asked.read(work).await
    }

    /// Writes, with the project. `work` may run more than once.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub async fn write<T, F>(&self, work: F) -> Result<(T, Project), Failure>
    where
        F: for<'t> Fn(&mut (dyn WriteTransaction + 't), &Project) -> Result<T, Failure>
            + Send
            + 'static,
        T: Send + 'static,
    {
        let wanted = self.wanted.clone();
        let work = move |tx: &mut (dyn WriteTransaction + '_)| {
            let project = wanted.find_for(tx, R::LEAST)?;
            Ok((work(tx, &project)?, project))
        };
        self.asked.write(work).await
    }
}
