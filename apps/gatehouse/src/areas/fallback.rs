//! Responses to requests that match no operation (`API-09`).

use actix_web::web::Data;
use actix_web::{Error, HttpRequest, HttpResponse};
use api_conventions::error::ApiError;
use futures_util::future::LocalBoxFuture;
use web_conventions::operations::Fallback;

use crate::frame::oauth_failure::refuse;
use crate::frame::page::failure::{PageFailure, prefers_page};
use crate::frame::visitor::Visitor;
use crate::state::AppState;

/// Responds with 404, or with 405 if the path has other methods.
/// Browsers get pages.
#[derive(Debug)]
pub struct NotFound;

impl Fallback for NotFound {
    fn no_path(
        &self,
        request: HttpRequest,
    ) -> LocalBoxFuture<'static, Result<HttpResponse, Error>> {
        Box::pin(async move {
            if prefers_page(&request) {
                // The page keeps the menu of a signed-in visitor. If the visitor cannot be determined, the page is the
                // same without it.
                if let Some(state) = request.app_data::<Data<AppState>>() {
                    let _ = Visitor::of(&request, state).await;
                }
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
