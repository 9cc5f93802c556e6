//! What is answered where no operation is (`API-09`).

use actix_web::web::Data;
use actix_web::{Error, HttpRequest, HttpResponse};
use api_conventions::error::ApiError;
use futures_util::future::LocalBoxFuture;
use web_conventions::operations::Fallback;

use super::projects::web_url;
use crate::frame::oauth_failure::refuse;
use crate::frame::page::answer::see_other;
use crate::frame::page::failure::{PageFailure, prefers_page};
use crate::state::AppState;

/// Answers where no operation is: with the way to a thing whose `web_url` the path is, else 404; and with 405 where the
/// path answers other methods. Browsers get pages.
#[derive(Debug)]
pub struct NotFound(pub Data<AppState>);

impl Fallback for NotFound {
    fn no_path(
        &self,
        request: HttpRequest,
    ) -> LocalBoxFuture<'static, Result<HttpResponse, Error>> {
        let state = self.0.clone();
        Box::pin(async move {
            let closest = web_url::closest(&request, &state).await;
            if let Some(path) = closest.map_err(PageFailure::from)? {
                return Ok(see_other(&path).finish());
            }
            if prefers_page(&request) {
                Err(PageFailure::not_found().into())
            } else {
                Err(refuse(&request, ApiError::unknown_route()))
            }
        })
    }

    fn no_method(&self, request: &HttpRequest, allowed: &str) -> Error {
        if prefers_page(request) {
            PageFailure::method_not_allowed(allowed).into()
        } else {
            refuse(request, ApiError::method_not_allowed(allowed))
        }
    }
}
