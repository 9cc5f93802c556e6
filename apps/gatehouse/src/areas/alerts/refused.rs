//! Receipts of refused deliveries.
//! A sender with the right key finds every delivery among the receipts, even one without anything to store.

use actix_web::http::header::{CONTENT_LENGTH, HeaderMap, USER_AGENT};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, ResponseError as _};
use alert_intake::flow::record_refusal::record_refusal;
use alert_intake::model::{
    DeliveryRefusal, Integration, NewReceipt, ReceiptCounts, SenderContext, SenderNetwork,
};
use storage::Store as _;
use web_conventions::failure::Failure;

use crate::frame::client::client_address;
use crate::state::AppState;

/// Records that a delivery was refused, and returns the failure to respond with.
///
/// A server error is not a refusal and leaves no receipt, because the sender retries. For the same reason, failing to
/// record a refusal is a server error.
pub(super) async fn refused(
    request: &HttpRequest,
    state: &AppState,
    integration: &Integration,
    failure: Failure,
    body: Option<Bytes>,
) -> Failure {
    if !failure.status_code().is_client_error() {
        return failure;
    }
    let receipt = receipt(request, state, integration, &failure, body.as_deref());
    let recorded = state.database.write(move |tx| record_refusal(tx, &receipt));
    recorded.await.map_or_else(Failure::from, |()| failure)
}

fn receipt(
    request: &HttpRequest,
    state: &AppState,
    integration: &Integration,
    failure: &Failure,
    body: Option<&[u8]>,
) -> NewReceipt {
    let headers = request.headers();
    let agent = headers.get(USER_AGENT);
    let length = body.map_or_else(|| announced_length(headers), |body| body.len() as u64);
    let sender = client_address(request, state);
    NewReceipt {
        project_id: integration.project_id,
        integration_id: integration.id,
        received_at: state.now(),
        body_bytes: i64::try_from(length).unwrap_or(i64::MAX),
        counts: ReceiptCounts::default(),
        context: SenderContext::of_sender(agent.and_then(|value| value.to_str().ok())),
        refusal: Some(DeliveryRefusal::new(
            failure.refusal().status(),
            &failure.refusal().sentence(),
            body,
            sender.map_or(SenderNetwork::Unknown, SenderNetwork::of),
        )),
    }
}

/// Length that the sender announced for a body that was not read; 0 if it announced none.
fn announced_length(headers: &HeaderMap) -> u64 {
    let announced = headers.get(CONTENT_LENGTH);
    let announced = announced.and_then(|value| value.to_str().ok()?.parse().ok());
    announced.unwrap_or_default()
}
