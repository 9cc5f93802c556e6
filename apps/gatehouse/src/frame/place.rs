//! Requests about a place: a project or group that the path identifies by its id or path.
//!
//! A handler obtains the place only from here, in the transaction of its work, after a check of the caller's access or
//! role. So the result of the check cannot change before the work.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use api_conventions::access::AccessLevel;
use api_conventions::error::ApiError;
use api_conventions::ids::UserId;
use api_conventions::scope::Scope;
use api_conventions::time::Timestamp;
use futures_util::future::LocalBoxFuture;
use gatehouse_core::auth::principal::Principal;
use gatehouse_core::database::{ReadTransaction, WriteTransaction};
use gatehouse_core::flows::groups::Actor;
use projects::Viewer;
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::{Access, Caller, Needs, ResourceKind};

use super::api::ApiRequest;
use super::old_address::{Address, PLACE_SEGMENT};
use super::scopes::{Role, Scopes};

/// Path parameter that identifies the place.
pub(super) const PLACE_PARAMETER: &str = "id";

/// Place, and the viewer's access to it.
pub type PlaceAndAccess<P> = (<P as PlaceKind>::Place, <P as PlaceKind>::Access);

/// Kind of place.
pub trait PlaceKind: Sized + 'static {
    /// Kind, for the API document.
    const RESOURCE_KIND: ResourceKind;
    /// Requirement for callers who read it without a role.
    const VIEW_NEEDS: Needs = Needs::CanView(Self::RESOURCE_KIND);
    /// Name of the kind in refusals.
    const RESOURCE: &'static str;
    /// Reference in a path.
    type Reference: Clone + Debug + Send + 'static;
    /// Type of the place.
    type Place: Send + 'static;
    /// Type of a viewer's access to it.
    type Access: Copy + Send + 'static;

    /// Parses a raw path segment.
    fn parse(raw: &str) -> Option<Self::Reference>;

    /// Reads the reference of a request: the path segment `id`, unless the kind overrides this.
    fn reference_in(request: &ApiRequest) -> Option<Self::Reference> {
        request.raw_segment(PLACE_PARAMETER).and_then(Self::parse)
    }

    /// Finds the place and the viewer's access to it; `None` if it does not exist for this viewer.
    ///
    /// # Errors
    /// Failures of the store.
    fn find(
        tx: &mut dyn ReadTransaction,
        reference: &Self::Reference,
        viewer: Viewer,
        now: Timestamp,
    ) -> Result<Option<PlaceAndAccess<Self>>, StoreError>;

    /// Finds the id of the place that had this name before it was renamed or moved; `None` if this viewer may see none.
    ///
    /// # Errors
    /// Failures of the store.
    fn find_redirected(
        _: &mut dyn ReadTransaction,
        _: &Self::Reference,
        _: Viewer,
        _: Timestamp,
    ) -> Result<Option<i64>, StoreError> {
        Ok(None)
    }

    /// True if the access includes that of a role.
    fn allows(access: Self::Access, needed: AccessLevel) -> bool;

    /// Refuses access that the settings of the place do not grant to this viewer.
    ///
    /// # Errors
    /// 401 for callers without a token to whom a role could give access, otherwise 403.
    fn check_open(_: &Self::Place, _: Self::Access, _: Viewer) -> Result<(), ApiError> {
        Ok(())
    }

    /// Refuses to write to a read-only place.
    ///
    /// # Errors
    /// 403 with the reason.
    fn check_writable(_: &Self::Place) -> Result<(), ApiError> {
        Ok(())
    }
}

/// Requested place, with the viewer and the time.
pub(super) struct PlaceRequest<P: PlaceKind> {
    reference: P::Reference,
    pub(super) viewer: Viewer,
    pub(super) now: Timestamp,
    address: Arc<Address>,
}

impl<P: PlaceKind> Clone for PlaceRequest<P> {
    fn clone(&self) -> Self {
        Self {
            reference: self.reference.clone(),
            viewer: self.viewer,
            now: self.now,
            address: Arc::clone(&self.address),
        }
    }
}

impl<P: PlaceKind> Debug for PlaceRequest<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut debug = f.debug_struct("PlaceRequest");
        debug.field("reference", &self.reference);
        debug.finish_non_exhaustive()
    }
}

impl<P: PlaceKind> PlaceRequest<P> {
    pub(super) fn of(request: &ApiRequest, viewer: Viewer) -> Result<Self, ApiError> {
        let reference = P::reference_in(request);
        Ok(Self {
            reference: reference.ok_or_else(not_found::<P>)?,
            viewer,
            now: request.now(),
            address: Arc::new(Address::of(request)),
        })
    }

    /// Finds the place and the caller's access to it.
    pub(super) fn find(&self, tx: &mut dyn ReadTransaction) -> Result<PlaceAndAccess<P>, Failure> {
        if let Some((place, access)) = P::find(tx, &self.reference, self.viewer, self.now)? {
            P::check_open(&place, access, self.viewer)?;
            return Ok((place, access));
        }
        let redirected = P::find_redirected(tx, &self.reference, self.viewer, self.now)?;
        let refusal = redirected.map_or_else(not_found::<P>, |id| {
            self.address.redirect(PLACE_SEGMENT, id, P::RESOURCE)
        });
        Err(refusal.into())
    }

    /// Finds the place for a caller who needs the role `R` in it.
    fn find_for<R: Role>(
        &self,
        tx: &mut dyn ReadTransaction,
    ) -> Result<PlaceAndAccess<P>, Failure> {
        let (place, access) = self.find(tx)?;
        P::allows(access, R::LEAST)
            .then_some((place, access))
            .ok_or_else(|| R::refusal().into())
    }
}

/// Refusal for a place that does not exist, or that this caller may not see.
fn not_found<P: PlaceKind>() -> ApiError {
    ApiError::not_found(P::RESOURCE)
}

/// Extracts the request and its sender, whose token has one of the scopes.
/// If a sender is required, there is one.
pub(super) async fn find(
    request: HttpRequest,
    payload: Payload,
    scopes: &'static [Scope],
    needs: Needs,
) -> Result<(ApiRequest, Option<Arc<Principal>>), Failure> {
    let api_request = ApiRequest::find(request, payload).await?;
    let principal = api_request.caller.admitted(scopes)?;
    let is_for_anybody = matches!(
        needs,
        Needs::Nothing | Needs::CanView(_) | Needs::RoleUnlessOpen(..)
    );
    if principal.is_none() && !is_for_anybody {
        return Err(ApiError::unauthorized().into());
    }
    api_request.caller.check_params()?;
    Ok((api_request, principal))
}

/// Request about a place by a caller who may see it, whose token, if there is one, has one of the scopes `S`.
#[derive(Debug)]
pub struct Sees<P: PlaceKind, S> {
    api_request: ApiRequest,
    place_request: PlaceRequest<P>,
    scopes: PhantomData<S>,
}

impl<P: PlaceKind, S: Scopes> Caller for Sees<P, S> {
    const ACCESS: Access = Access::Api {
        scopes: S::ANY_OF,
        needs: P::VIEW_NEEDS,
    };
}

impl<P: PlaceKind, S: Scopes> FromRequest for Sees<P, S> {
    type Error = Failure;
    type Future = LocalBoxFuture<'static, Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let extracted = find(request.clone(), payload.take(), S::ANY_OF, P::VIEW_NEEDS);
        Box::pin(async move {
            let (api_request, principal) = extracted.await?;
            let viewer = principal.map_or(Viewer::Anonymous, |principal| principal.viewer());
            let place_request = PlaceRequest::of(&api_request, viewer)?;
            Ok(Self {
                api_request,
                place_request,
                scopes: PhantomData,
            })
        })
    }
}

impl<P: PlaceKind, S> Deref for Sees<P, S> {
    type Target = ApiRequest;

    fn deref(&self) -> &ApiRequest {
        &self.api_request
    }
}

impl<P: PlaceKind, S> Sees<P, S> {
    /// Viewer of the place.
    pub fn viewer(&self) -> Viewer {
        self.place_request.viewer
    }

    /// Runs a read with the place and the caller's access to it.
    ///
    /// # Errors
    /// 404 for a place that the caller may not see; errors of `work` and of the store.
    pub async fn read<T, F>(&self, work: F) -> Result<T, Failure>
    where
        F: for<'t> FnOnce(
                &mut (dyn ReadTransaction + 't),
                P::Place,
                P::Access,
            ) -> Result<T, Failure>
            + Send
            + 'static,
        T: Send + 'static,
    {
        let place_request = self.place_request.clone();
        let work = move |tx: &mut (dyn ReadTransaction + '_)| {
            let (place, access) = place_request.find(tx)?;
            work(tx, place, access)
        };
        self.api_request.read(work).await
    }
}

/// Request about a place by a member with at least the role `R`, whose token has one of the scopes `S`.
#[derive(Debug)]
pub struct In<P: PlaceKind, R, S> {
    api_request: ApiRequest,
    place_request: PlaceRequest<P>,
    actor: UserId,
    meaning: PhantomData<(R, S)>,
}

impl<P: PlaceKind, R: Role, S: Scopes> Caller for In<P, R, S> {
    const ACCESS: Access = Access::Api {
        scopes: S::ANY_OF,
        needs: Needs::Role(P::RESOURCE_KIND, R::LEAST),
    };
}

impl<P: PlaceKind, R: Role, S: Scopes> FromRequest for In<P, R, S> {
    type Error = Failure;
    type Future = LocalBoxFuture<'static, Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let extracted = find(
            request.clone(),
            payload.take(),
            S::ANY_OF,
            Needs::Role(P::RESOURCE_KIND, R::LEAST),
        );
        Box::pin(async move {
            let (api_request, principal) = extracted.await?;
            let principal = principal.ok_or_else(ApiError::unauthorized)?;
            let place_request = PlaceRequest::of(&api_request, principal.viewer())?;
            Ok(Self {
                api_request,
                place_request,
                actor: principal.user.id,
                meaning: PhantomData,
            })
        })
    }
}

impl<P: PlaceKind, R, S> Deref for In<P, R, S> {
    type Target = ApiRequest;

    fn deref(&self) -> &ApiRequest {
        &self.api_request
    }
}

impl<P: PlaceKind, R: Role, S: Scopes> In<P, R, S> {
    /// Id of the member.
    pub fn actor_id(&self) -> UserId {
        self.actor
    }

    /// Member as the actor of changes.
    pub fn actor(&self) -> Actor {
        Actor {
            id: self.actor,
            viewer: self.place_request.viewer,
            now: self.api_request.now(),
        }
    }

    /// Member as a viewer of other places.
    pub fn viewer(&self) -> Viewer {
        self.place_request.viewer
    }

    /// Runs a read with the place.
    ///
    /// # Errors
    /// 404 for a place that the caller may not see; 403 if the caller's role in it is too low; errors of `work` and of
    /// the store.
    pub async fn read<T, F>(&self, work: F) -> Result<(T, P::Place), Failure>
    where
        F: for<'t> FnOnce(&mut (dyn ReadTransaction + 't), &P::Place) -> Result<T, Failure>
            + Send
            + 'static,
        T: Send + 'static,
    {
        self.read_with(move |tx, place, _| work(tx, place)).await
    }

    /// Runs a read like [`Self::read`], with the member's access to the place.
    ///
    /// # Errors
    /// Same as [`Self::read`].
    pub async fn read_with<T, F>(&self, work: F) -> Result<(T, P::Place), Failure>
    where
        F: for<'t> FnOnce(
                &mut (dyn ReadTransaction + 't),
                &P::Place,
                P::Access,
            ) -> Result<T, Failure>
            + Send
            + 'static,
        T: Send + 'static,
    {
        let place_request = self.place_request.clone();
        let work = move |tx: &mut (dyn ReadTransaction + '_)| {
            let (place, access) = place_request.find_for::<R>(tx)?;
            Ok((work(tx, &place, access)?, place))
        };
        self.api_request.read(work).await
    }

    /// Runs a write in the place, which must be writable.
    /// `work` may run more than once.
    ///
    /// # Errors
    /// Same as [`Self::read`]; 403 for an archived place.
    pub async fn write<T, F>(&self, work: F) -> Result<(T, P::Place), Failure>
    where
        F: for<'t> Fn(&mut (dyn WriteTransaction + 't), &P::Place) -> Result<T, Failure>
            + Send
            + 'static,
        T: Send + 'static,
    {
        let place_request = self.place_request.clone();
        let work = move |tx: &mut (dyn WriteTransaction + '_)| {
            let (place, _) = place_request.find_for::<R>(tx)?;
            P::check_writable(&place)?;
            Ok((work(tx, &place)?, place))
        };
        self.api_request.write(work).await
    }

    /// Runs a write like [`Self::write`], with the member's access to the place.
    ///
    /// # Errors
    /// Same as [`Self::write`].
    pub async fn write_with<T, F>(&self, work: F) -> Result<(T, P::Place), Failure>
    where
        F: for<'t> Fn(&mut (dyn WriteTransaction + 't), &P::Place, P::Access) -> Result<T, Failure>
            + Send
            + 'static,
        T: Send + 'static,
    {
        let place_request = self.place_request.clone();
        let work = move |tx: &mut (dyn WriteTransaction + '_)| {
            let (place, access) = place_request.find_for::<R>(tx)?;
            P::check_writable(&place)?;
            Ok((work(tx, &place, access)?, place))
        };
        self.api_request.write(work).await
    }

    /// Changes the place itself: its name, visibility, members or existence.
    /// This is allowed for archived places too. `work` may run more than once.
    ///
    /// # Errors
    /// Same as [`Self::read`].
    pub async fn manage<T, F>(&self, work: F) -> Result<T, Failure>
    where
        F: for<'t> Fn(&mut (dyn WriteTransaction + 't), P::Place, P::Access) -> Result<T, Failure>
            + Send
            + 'static,
        T: Send + 'static,
    {
        let place_request = self.place_request.clone();
        let work = move |tx: &mut (dyn WriteTransaction + '_)| {
            let (place, access) = place_request.find_for::<R>(tx)?;
            work(tx, place, access)
        };
        self.api_request.write(work).await
    }
}
