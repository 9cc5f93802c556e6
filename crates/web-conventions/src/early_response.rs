//! Closing of the connection if a response is sent before the request body has ended.
//!
//! The HTTP server already closes such a connection: it sends `Connection: close` and the response, reads and discards
//! for [`LINGER`] so that a client that is still sending gets to read the response, and closes. A chunked body is the
//! exception. Once it is dropped, the server reads on until its end, however long that takes, in order to reuse the
//! connection; a client that never ends its body could hold the connection forever, without any credentials. A chunked
//! body is therefore held until its response is sent.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use actix_web::HttpMessage as _;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{Payload, ServiceRequest};
use actix_web::error::PayloadError;
use actix_web::web::Bytes;
use futures_util::Stream;

use crate::connection::PipelineGuard;

/// Time for which a client that is still sending may take to read an early response.
pub const LINGER: Duration = Duration::from_secs(1);

/// Request body, which the response holds while the handler reads it.
#[derive(Clone)]
pub struct HeldPayload(Rc<RefCell<Payload>>);

impl HeldPayload {
    /// Holds the request body if it is chunked. The end of any other body is known beforehand.
    pub fn of(request: &mut ServiceRequest) -> Option<Self> {
        if !request.chunked().unwrap_or(false) {
            return None;
        }
        let held = Self(Rc::new(RefCell::new(request.take_payload())));
        let payload = Box::pin(held.clone());
        request.set_payload(Payload::Stream { payload });
        Some(held)
    }
}

impl Stream for HeldPayload {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Pin::new(&mut *self.0.borrow_mut()).poll_next(context)
    }
}

impl std::fmt::Debug for HeldPayload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("HeldPayload")
    }
}

/// Response body that also holds the body of its request and the gate of its connection, until the response is written.
#[derive(Debug)]
pub struct AnswerBody {
    body: BoxBody,
    _request: Option<HeldPayload>,
    _gate: Option<PipelineGuard>,
}

impl AnswerBody {
    /// Wraps `body` unchanged, and holds `request` and the gate.
    pub fn new(body: BoxBody, request: Option<HeldPayload>, gate: Option<PipelineGuard>) -> Self {
        Self {
            body,
            _request: request,
            _gate: gate,
        }
    }
}

impl MessageBody for AnswerBody {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.body).poll_next(context)
    }
}
