//! Forms of places' pages, as handlers receive them.

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest, HttpResponse};
use api_conventions::ids::UserId;
use futures_util::future::LocalBoxFuture;
use gatehouse_core::database::WriteTransaction;
use gatehouse_core::flows::groups::Actor;
use storage::{Store as _, StoreError};
use web_conventions::operations::{Access, Caller, PageAudience};

use super::{PagePlace, PlacePage, state_of};
use crate::frame::form::PageForm;
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::need::Need;
use crate::frame::page::notice::Notice;

/// Form of a place's page, sent by a visitor who may see the place and meets the requirement `N`.
#[derive(Debug)]
pub struct PlaceForm<P: PagePlace, N> {
    page: PlacePage<P, N>,
    /// Submitted form.
    pub form: PageForm,
}

impl<P: PagePlace, N: Need> Caller for PlaceForm<P, N> {
    const ACCESS: Access = Access::Page(PageAudience::SignedIn);
}

impl<P: PagePlace, N: Need> FromRequest for PlaceForm<P, N> {
    type Error = PageFailure;
    type Future = LocalBoxFuture<'static, Result<Self, PageFailure>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let form = PageForm::from_request(request, payload);
        let request = request.clone();
        Box::pin(async move {
            let form = form.await?;
            form.visitor.member(&request)?;
            let state = state_of(&request)?;
            let page = PlacePage::new(request, state, form.visitor.clone())?;
            Ok(Self { page, form })
        })
    }
}

impl<P: PagePlace, N> std::ops::Deref for PlaceForm<P, N> {
    type Target = PlacePage<P, N>;

    fn deref(&self) -> &PlacePage<P, N> {
        &self.page
    }
}

impl<P: PagePlace, N: Need> PlaceForm<P, N> {
    /// Sender of the form.
    ///
    /// # Errors
    /// If the visitor is not signed in.
    pub fn actor_id(&self) -> Result<UserId, PageFailure> {
        Ok(self.visitor.member(&self.request)?.user.id)
    }

    /// Sender of the form as the actor of changes.
    ///
    /// # Errors
    /// Same as [`Self::actor_id`].
    pub fn actor(&self) -> Result<Actor, PageFailure> {
        Ok(Actor {
            id: self.actor_id()?,
            viewer: self.viewer(),
            now: self.now(),
        })
    }

    /// Runs a write with the place.
    /// `work` may run more than once.
    ///
    /// # Errors
    /// Same as [`PlacePage::read`]. An error of `work` is returned next to the place, and rolls back the write.
    pub async fn write<T, E, F>(&self, work: F) -> Result<(Result<T, E>, P::Context), PageFailure>
    where
        F: for<'t> Fn(&mut (dyn WriteTransaction + 't), &P::Context) -> Result<T, E>
            + Send
            + 'static,
        T: Send + 'static,
        E: Send + 'static,
    {
        let place_request = self.place_request.clone();
        let work = move |tx: &mut (dyn WriteTransaction + '_)| {
            let context = place_request.find::<N>(tx).map_err(WriteFailure::Failed)?;
            match work(tx, &context) {
                Ok(done) => Ok((done, context)),
                Err(refused) => Err(WriteFailure::Refused(Box::new((refused, context)))),
            }
        };
        match self.state.database.write(work).await {
            Ok((done, context)) => Ok((Ok(done), context)),
            Err(WriteFailure::Refused(refused)) => {
                let (refused, context) = *refused;
                Ok((Err(refused), context))
            }
            Err(WriteFailure::Failed(failure)) => Err(self.page.sign_in_if_hidden(failure)),
        }
    }

    /// Redirects to another page with a notice.
    pub fn redirect_with_notice(&self, path: &str, notice: Notice) -> HttpResponse {
        let page = PageRequest::new(&self.request, &self.state, &self.visitor);
        page.redirect_with_notice(path, notice)
    }
}

/// Reason why a write was rolled back.
enum WriteFailure<E, S> {
    Refused(Box<(E, S)>),
    Failed(PageFailure),
}

impl<E, S> From<StoreError> for WriteFailure<E, S> {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}
