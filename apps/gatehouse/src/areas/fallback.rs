//! What is answered where no operation is (`API-09`).

use actix_web::web::Data;
use actix_web::{Error, HttpRequest, HttpResponse};
use api_conventions::error::ApiError;
use futures_util::future::LocalBoxFuture;
use web_conventions::operations::Fallback;

use crate::frame::oauth_failure::refuse;
use crate::frame::page::failure::{PageFailure, prefers_page};
use crate::frame::visitor::Visitor;
use crate::state::AppState;

/// Answers where no operation is: with 404, and with 405 where the path answers other methods. Browsers get pages.
#[derive(Debug)]
pub struct NotFound;

impl Fallback for NotFound {
    fn no_path(
        &self,
        request: HttpRequest,
    ) -> LocalBoxFuture<'static, Result<HttpResponse, Error>> {
        Box::pin(async move {
            if prefers_page(&request) {
                // The page keeps the menu of somebody who is signed in. It is the same page where that cannot be told.
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
