//! Ending the connection when an answer is given before the body of its request has ended.
//!
//! The HTTP server underneath ends such a connection by itself: it says `Connection: close`, sends the answer,
//! reads and discards for [`LINGER`] so that a client that is still sending comes to read the answer, and closes.
//! A body in chunks is the exception. Once nobody holds it, the server reads on until its end, however long that
//! takes, in order to use the connection again; a client that never ends its body would hold the connection for
//! as long as it likes, without any credentials. So a body in chunks is held until its answer is sent.

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

use super::connection::PipelineGuard;

/// How long a client that is still sending may take to read an answer that came early.
pub const LINGER: Duration = Duration::from_secs(1);

/// The body of a request, held by the answer while the handler reads it.
#[derive(Clone)]
pub struct HeldPayload(Rc<RefCell<Payload>>);

impl HeldPayload {
    /// Holds the body of a request that comes in chunks. The end of any other body is known beforehand.
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

/// The body of an answer, together with that of its request, and with the gate of its connection, until the answer is
/// written.
#[derive(Debug)]
pub struct AnswerBody {
    body: BoxBody,
    _request: Option<HeldPayload>,
    _gate: Option<PipelineGuard>,
}

impl AnswerBody {
    /// `body` as it is, while the answer holds `request` and the gate.
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
