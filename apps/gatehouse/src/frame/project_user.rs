//! Requests that change a project, by users who may see it.
//! Any further permission depends on the resource: the flow receives the caller's access to the project, and decides.

use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use accounts::User;
use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use api_conventions::access::AccessLevel;
use api_conventions::error::ApiError;
use api_conventions::ids::UserId;
use futures_util::future::LocalBoxFuture;
use gatehouse_core::auth::principal::Principal;
use gatehouse_core::database::{ReadTransaction, WriteTransaction};
use projects::Project;
use projects::flow::issues::IssueActor;
use web_conventions::failure::Failure;
use web_conventions::operations::{Access, Caller, Needs, ResourceKind};

use super::api::ApiRequest;
use super::place::{PlaceKind as _, PlaceRequest, find};
use super::project::Projects;
use super::scopes::{Role, Scopes};

/// Requirement for a user, besides access to the project.
pub trait Claim: 'static {
    /// Requirement, as declared for the document.
    const NEEDS: Needs;
    /// Role required before the flow runs.
    const LEAST: Option<AccessLevel> = None;
}

/// No further requirement.
#[derive(Debug)]
pub struct CanViewProject;

/// Role `R`, or ownership of the resource.
#[derive(Debug)]
pub struct AuthorOr<R>(PhantomData<R>);

/// Role `R` or a higher one.
#[derive(Debug)]
pub struct AtLeast<R>(PhantomData<R>);

impl<R: Role> Claim for AtLeast<R> {
    const NEEDS: Needs = Needs::Role(ResourceKind::Project, R::LEAST);
    const LEAST: Option<AccessLevel> = Some(R::LEAST);
}

/// Role `R`, checked by the flow after it has found the resource.
/// Resources hidden from the caller stay unknown to them.
#[derive(Debug)]
pub struct RoleInFlow<R>(PhantomData<R>);

impl<R: Role> Claim for RoleInFlow<R> {
    const NEEDS: Needs = Needs::Role(ResourceKind::Project, R::LEAST);
}

/// Role `L`, checked before the flow runs, and also the role `R` or ownership of the resource.
#[derive(Debug)]
pub struct RoleAndAuthorOr<L, R>(PhantomData<(L, R)>);

impl<L: Role, R: Role> Claim for RoleAndAuthorOr<L, R> {
    const NEEDS: Needs = Needs::RoleOrAuthor(ResourceKind::Project, R::LEAST);
    const LEAST: Option<AccessLevel> = Some(L::LEAST);
}

impl Claim for CanViewProject {
    const NEEDS: Needs = Needs::UserCanView(ResourceKind::Project);
}

impl<R: Role> Claim for AuthorOr<R> {
    const NEEDS: Needs = Needs::RoleOrAuthor(ResourceKind::Project, R::LEAST);
}

/// Request of a user who may see the project and meets the claim `C`, whose token has one of the scopes `S`.
/// The claim is declared here, and checked by the flow that receives the [`IssueActor`].
#[derive(Debug)]
pub struct UserInProject<C, S> {
    api_request: ApiRequest,
    place_request: PlaceRequest<Projects>,
    principal: Arc<Principal>,
    meaning: PhantomData<(C, S)>,
}

impl<C: Claim, S: Scopes> Caller for UserInProject<C, S> {
    const ACCESS: Access = Access::Api {
        scopes: S::ANY_OF,
        needs: C::NEEDS,
    };
}

impl<C: Claim, S: Scopes> FromRequest for UserInProject<C, S> {
    type Error = Failure;
    type Future = LocalBoxFuture<'static, Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let extracted = find(request.clone(), payload.take(), S::ANY_OF, C::NEEDS);
        Box::pin(async move {
            let (api_request, principal) = extracted.await?;
            let principal = principal.ok_or_else(ApiError::unauthorized)?;
            let place_request = PlaceRequest::of(&api_request, principal.viewer())?;
            Ok(Self {
                api_request,
                place_request,
                principal,
                meaning: PhantomData,
            })
        })
    }
}

impl<C, S> Deref for UserInProject<C, S> {
    type Target = ApiRequest;

    fn deref(&self) -> &ApiRequest {
        &self.api_request
    }
}

impl<C, S> UserInProject<C, S> {
    /// User who sent the request.
    pub(super) fn user(&self) -> &User {
        &self.principal.user
    }
}

impl<C: Claim, S> UserInProject<C, S> {
    /// Runs a read with the project and the actor.
    ///
    /// # Errors
    /// Same as [`Self::write`].
    pub async fn read<T, F>(&self, work: F) -> Result<T, Failure>
    where
        F: for<'t> FnOnce(
                &mut (dyn ReadTransaction + 't),
                &Project,
                IssueActor,
            ) -> Result<T, Failure>
            + Send
            + 'static,
        T: Send + 'static,
    {
        let (place_request, user) = (self.place_request.clone(), self.principal.user.id);
        let work = move |tx: &mut (dyn ReadTransaction + '_)| {
            let (project, actor) = find_for::<C>(tx, &place_request, user)?;
            work(tx, &project, actor)
        };
        self.api_request.read(work).await
    }

    /// Runs a write with the project and the actor.
    /// `work` may run more than once.
    ///
    /// # Errors
    /// 404 for a project that the caller may not see; 403 if the caller's role in it is too low; errors of `work` and
    /// of the store.
    pub async fn write<T, F>(&self, work: F) -> Result<(T, Project), Failure>
    where
        F: for<'t> Fn(&mut (dyn WriteTransaction + 't), &Project, IssueActor) -> Result<T, Failure>
            + Send
            + 'static,
        T: Send + 'static,
    {
        let (place_request, user) = (self.place_request.clone(), self.principal.user.id);
        let work = move |tx: &mut (dyn WriteTransaction + '_)| {
            let (project, actor) = find_for::<C>(tx, &place_request, user)?;
            Ok((work(tx, &project, actor)?, project))
        };
        self.api_request.write(work).await
    }
}

/// Finds the project and the actor, for a user with the claim `C`.
fn find_for<C: Claim>(
    tx: &mut dyn ReadTransaction,
    place_request: &PlaceRequest<Projects>,
    user: UserId,
) -> Result<(Project, IssueActor), Failure> {
    let (project, access) = place_request.find(tx)?;
    if C::LEAST.is_some_and(|least| !access.allows(least)) {
        return Err(ApiError::forbidden().into());
    }
    <Projects>::check_writable(&project)?;
    let actor = IssueActor {
        viewer: place_request.viewer,
        user,
        access,
        now: place_request.now,
    };
    Ok((project, actor))
}
