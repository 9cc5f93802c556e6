//! Errors as axum responses.

use api_conventions::error::ApiError;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Json, Response};
use storage::StoreError;

/// An error response in the format of the API.
#[derive(Debug)]
pub(crate) struct ErrorResponse(ApiError);

impl From<ApiError> for ErrorResponse {
    fn from(error: ApiError) -> Self {
        Self(error)
    }
}

/// The client learns only whether a retry helps, not the cause of the store's failure.
impl From<StoreError> for ErrorResponse {
    fn from(error: StoreError) -> Self {
        Self(ApiError::storage_failure(error.is_retryable()))
    }
}

impl IntoResponse for ErrorResponse {
    fn into_response(self) -> Response {
        let Self(error) = self;
        let status =
            StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, Json(error.body())).into_response();
        for (name, value) in error.headers() {
            if let (Ok(name), Ok(value)) =
                (name.parse::<HeaderName>(), value.parse::<HeaderValue>())
            {
                response.headers_mut().insert(name, value);
            }
        }
        response
    }
}
