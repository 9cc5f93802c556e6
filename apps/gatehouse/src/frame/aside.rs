//! Work of the API that would keep a worker, or much memory, for long.

use std::sync::Arc;

use actix_web::web;
use api_conventions::error::ApiError;
use web_conventions::failure::Failure;

use super::api::ApiRequest;

impl ApiRequest {
    /// Does work that takes much memory, on a thread that may block. Only a few of its kind run at a time, however many requests
    /// come.
    ///
    /// # Errors
    /// 503 when the server ends meanwhile.
    pub async fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let lost = |lost: Box<dyn std::error::Error + Send + Sync>| {
            Failure::caused(ApiError::unavailable(1), lost)
        };
        let permit = Arc::clone(&self.state.archives).acquire_owned().await;
        let permit = permit.map_err(|closed| lost(closed.into()))?;
        let done = web::block(move || {
            let done = work();
            drop(permit);
            done
        });
        done.await.map_err(|ended| lost(ended.into()))
    }
}
