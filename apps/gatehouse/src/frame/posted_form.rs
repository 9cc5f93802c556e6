//! Forms posted to endpoints that both applications and our own pages use.

use actix_web::dev::Payload;
use actix_web::web::{self, Bytes, Data};
use actix_web::{FromRequest, HttpRequest};
use api_conventions::error::ApiError;
use futures_util::future::LocalBoxFuture;
use url::form_urlencoded;
use web_conventions::operations::{Access, Caller, PageAudience};

use crate::frame::form::{self, PageForm};
use crate::frame::page::failure::PageFailure;
use crate::state::AppState;

/// Posted form whose sender is not determined yet.
/// Pages of other sites also send requests as forms (OpenID Connect Core 1.0, section 3.1.2.1), which are validated
/// like links. A form of ours, which carries a decision, is recognized by a field that only our pages have, and must
/// then pass the checks of our forms.
#[derive(Debug)]
pub struct PostedForm {
    request: HttpRequest,
    state: Data<AppState>,
    body: Bytes,
}

impl PostedForm {
    /// Names and values of the form.
    pub fn pairs(&self) -> Vec<(String, String)> {
        form_urlencoded::parse(&self.body).into_owned().collect()
    }

    /// True if the form has a field of this name.
    pub fn has(&self, name: &str) -> bool {
        form_urlencoded::parse(&self.body).any(|(sent, _)| sent == name)
    }

    /// Converts it to a form of our own pages.
    ///
    /// # Errors
    /// If the form is not ours; failures of the store.
    pub async fn into_form(self) -> Result<PageForm, PageFailure> {
        PageForm::of_body(&self.request, &self.state, self.body).await
    }
}

impl FromRequest for PostedForm {
    type Error = PageFailure;
    type Future = LocalBoxFuture<'static, Result<Self, PageFailure>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let payload = web::Payload::from_request(request, payload);
        let request = request.clone();
        Box::pin(async move {
            let state = request.app_data::<Data<AppState>>();
            let state = state.ok_or_else(ApiError::internal)?.clone();
            let payload = payload.await.map_err(|_| ApiError::internal())?;
            let body = form::read(&request, &state, payload).await?;
            Ok(Self {
                request,
                state,
                body,
            })
        })
    }
}

impl Caller for PostedForm {
    const ACCESS: Access = Access::Page(PageAudience::Everybody);
}
