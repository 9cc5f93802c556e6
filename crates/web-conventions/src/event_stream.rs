//! Server-sent events: messages, and the response that carries them (HTML Living Standard, section 9.2).

use std::convert::Infallible;
use std::future::poll_fn;
use std::rc::Rc;
use std::time::Duration;

use actix_web::body::{BodyStream, BoxBody, MessageBody as _};
use actix_web::http::Method;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse};
use futures_util::Stream;
use futures_util::stream::empty;

use crate::connection::PipelineGate;

/// Media type of a stream.
pub const MEDIA_TYPE: &str = "text/event-stream";

/// Header that turns off buffering in a reverse proxy for one response.
const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Part of a stream that is sent at once.
#[derive(Debug, Default)]
pub struct StreamChunk(String);

impl StreamChunk {
    /// True if there is nothing to send.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sets the time after which a client reconnects.
    pub fn retry(&mut self, after: Duration) {
        let milliseconds = after.as_millis().to_string();
        self.0.extend(["retry: ", &milliseconds, "\n\n"]);
    }

    /// Adds a message. A client that reconnects sends the id of the last one in `Last-Event-ID`.
    pub fn message(&mut self, id: i64, event: &str, data: &str) {
        self.0
            .extend(["id: ", &id.to_string(), "\nevent: ", event, "\n"]);
        for line in data.split(['\r', '\n']) {
            self.0.extend(["data: ", line, "\n"]);
        }
        self.0.push('\n');
    }

    /// Sets the id that a client sends when it reconnects, without a message.
    pub fn position(&mut self, id: i64) {
        self.0.extend(["id: ", &id.to_string(), "\n\n"]);
    }

    /// Adds a comment on one line, which clients ignore.
    pub fn comment(&mut self, text: &str) {
        self.0.extend([": ", text, "\n\n"]);
    }
}

impl From<StreamChunk> for Bytes {
    fn from(chunk: StreamChunk) -> Self {
        Self::from(chunk.0)
    }
}

/// Returns the response with a stream, which no cache stores and no proxy holds back. The response to `HEAD` has no body.
pub fn respond(
    request: &HttpRequest,
    stream: impl Stream<Item = Result<Bytes, Infallible>> + 'static,
) -> HttpResponse {
    let body: BoxBody = if *request.method() == Method::HEAD {
        // Of unknown length, as the stream is.
        BodyStream::new(empty::<Result<Bytes, Infallible>>()).boxed()
    } else {
        BodyStream::new(stream).boxed()
    };
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE)))
        .insert_header((CACHE_CONTROL, HeaderValue::from_static("no-cache")))
        .insert_header((X_ACCEL_BUFFERING, HeaderValue::from_static("no")))
        .body(body)
}

/// Client of a long response.
#[derive(Debug, Clone)]
pub struct StreamClient(Option<Rc<PipelineGate>>);

impl StreamClient {
    /// Returns the client that sent a request. Use it on the thread of the request.
    pub fn of(request: &HttpRequest) -> Self {
        Self(request.conn_data::<Rc<PipelineGate>>().cloned())
    }

    /// Waits until the client closes the connection. On connections of another server it waits forever, and the next
    /// write fails instead.
    pub async fn left(&self) {
        poll_fn(|context| match &self.0 {
            Some(gate) => gate.poll_abandoned(context),
            None => std::task::Poll::Pending,
        })
        .await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_framed_by_lines() {
        let mut chunk = StreamChunk::default();
        assert!(chunk.is_empty());
        chunk.retry(Duration::from_secs(3));
        chunk.position(6);
        chunk.message(7, "activity", r#"{"a":"b\nc"}"#);
        chunk.message(8, "text", "one\ntwo");
        chunk.comment("end");
        assert_eq!(
            Bytes::from(chunk),
            "retry: 3000\n\nid: 6\n\nid: 7\nevent: activity\ndata: {\"a\":\"b\\nc\"}\n\n\
             id: 8\nevent: text\ndata: one\ndata: two\n\n: end\n\n"
        );
    }
}
