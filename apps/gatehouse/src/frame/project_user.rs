//! Requests that change something in a project, by users who see it. What they may do there beyond that depends on the thing:
//! the flow of the work is given what the caller may do in the project, and decides.

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
use projects::flow::issues::Actor;
use web_conventions::failure::Failure;
use web_conventions::operations::{Access, Caller, Needs, Place};

use super::api::{ApiRequest, viewer};
use super::place::{PlaceKind as _, Wanted, find};
use super::project::Projects;
use super::scopes::{Role, Scopes};

/// What a user needs, besides seeing the project.
pub trait Claim: 'static {
    /// What it needs.
    const NEEDS: Needs;
    /// The role without which the flow is not asked.
    const LEAST: Option<AccessLevel> = None;
}

/// Nothing.
#[derive(Debug)]
pub struct Seeing;

/// The role `R`, or that the thing is its own.
#[derive(Debug)]
pub struct OwnOr<R>(PhantomData<R>);

/// The role `R` or a higher one.
#[derive(Debug)]
pub struct AtLeast<R>(PhantomData<R>);

impl<R: Role> Claim for AtLeast<R> {
    const NEEDS: Needs = Needs::Role(Place::Project, R::LEAST);
    const LEAST: Option<AccessLevel> = Some(R::LEAST);
}

/// The role `R`, which the flow asks for once it has found the thing: what the caller may not see stays unknown to it.
#[derive(Debug)]
pub struct RoleInFlow<R>(PhantomData<R>);

impl<R: Role> Claim for RoleInFlow<R> {
    const NEEDS: Needs = Needs::Role(Place::Project, R::LEAST);
}

/// The role `L`, without which the flow is not asked, and besides the role `R` or that the thing is its own.
#[derive(Debug)]
pub struct OwnAmong<L, R>(PhantomData<(L, R)>);

impl<L: Role, R: Role> Claim for OwnAmong<L, R> {
    const NEEDS: Needs = Needs::RoleOrOwn(Place::Project, R::LEAST);
    const LEAST: Option<AccessLevel> = Some(L::LEAST);
}

impl Claim for Seeing {
    const NEEDS: Needs = Needs::UserSight(Place::Project);
}

impl<R: Role> Claim for OwnOr<R> {
    const NEEDS: Needs = Needs::RoleOrOwn(Place::Project, R::LEAST);
}

/// A request of a user who sees the project and has the claim `C`, whose token has one of the scopes `S`. The claim is
/// declared here; the flow that gets the [`Actor`] checks it.
#[derive(Debug)]
pub struct UserInProject<C, S> {
    asked: ApiRequest,
    wanted: Wanted<Projects>,
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
        let found = find(request.clone(), payload.take(), S::ANY_OF, C::NEEDS);
        Box::pin(async move {
            let (asked, principal) = found.await?;
            let principal = principal.ok_or_else(ApiError::unauthorized)?;
            let wanted = Wanted::of(&asked, viewer(&principal))?;
            Ok(Self {
                asked,
                wanted,
                principal,
                meaning: PhantomData,
            })
        })
    }
}

impl<C, S> Deref for UserInProject<C, S> {
    type Target = ApiRequest;

    fn deref(&self) -> &ApiRequest {
        &self.asked
    }
}

impl<C, S> UserInProject<C, S> {
    /// Who asks.
    pub(super) fn user(&self) -> &User {
        &self.principal.user
    }
}

impl<C: Claim, S> UserInProject<C, S> {
    /// Reads, with the project and who asks in it.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub async fn read<T, F>(&self, work: F) -> Result<T, Failure>
    where
        F: for<'t> FnOnce(&mut (dyn ReadTransaction + 't), &Project, Actor) -> Result<T, Failure>
            + Send
            + 'static,
        T: Send + 'static,
    {
        let (wanted, user) = (self.wanted.clone(), self.principal.user.id);
        let work = move |tx: &mut (dyn ReadTransaction + '_)| {
            let (project, actor) = find_for::<C>(tx, &wanted, user)?;
            work(tx, &project, actor)
        };
        self.asked.read(work).await
    }

    /// Writes, with the project and who acts in it. `work` may run more than once.
    ///
    /// # Errors
    /// 404 for a project that the caller does not see, 403 for one in which the role is too low; those of `work` and of the store.
    pub async fn write<T, F>(&self, work: F) -> Result<(T, Project), Failure>
    where
        F: for<'t> Fn(&mut (dyn WriteTransaction + 't), &Project, Actor) -> Result<T, Failure>
            + Send
            + 'static,
        T: Send + 'static,
    {
        let (wanted, user) = (self.wanted.clone(), self.principal.user.id);
        let work = move |tx: &mut (dyn WriteTransaction + '_)| {
            let (project, actor) = find_for::<C>(tx, &wanted, user)?;
            Ok((work(tx, &project, actor)?, project))
        };
        self.asked.write(work).await
    }
}

/// The project and who acts in it, for a user with the claim `C`.
fn find_for<C: Claim>(
    tx: &mut dyn ReadTransaction,
    wanted: &Wanted<Projects>,
    user: UserId,
) -> Result<(Project, Actor), Failure> {
    let (project, access) = wanted.find(tx)?;
    if C::LEAST.is_some_and(|least| !access.allows(least)) {
        return Err(ApiError::forbidden().into());
    }
    <Projects>::check_writable(&project)?;
    let actor = Actor {
        viewer: wanted.viewer,
        user,
        access,
        now: wanted.now,
    };
    Ok((project, actor))
}
