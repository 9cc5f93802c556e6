//! API work that would occupy a worker, or much memory, for a long time.

use std::sync::Arc;

use actix_web::web;
use api_conventions::error::ApiError;
use gatehouse_core::passwords::PasswordHasher;
use web_conventions::failure::Failure;

use super::api::ApiRequest;

impl ApiRequest {
    /// Hasher of passwords, on threads of its own.
    pub fn passwords(&self) -> &PasswordHasher {
        &self.state.passwords
    }

    /// Runs memory-intensive work on a blocking thread.
    /// Only a few such jobs run at a time, regardless of the number of requests.
    ///
    /// # Errors
    /// 503 if the server stops in the meantime.
    pub async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let lost = |lost: Box<dyn std::error::Error + Send + Sync>| {
            Failure::caused(ApiError::unavailable(1), lost)
        };
        let permit = Arc::clone(&self.state.archives).acquire_owned().await;
        let permit = permit.map_err(|closed| lost(closed.into()))?;
        let outcome = web::block(move || {
            let result = work();
            drop(permit);
            result
        });
        outcome.await.map_err(|ended| lost(ended.into()))
    }
}
