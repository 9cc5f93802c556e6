//! Connection wrapper between the network and the HTTP library.
//!
//! The library reads all pipelined requests that have arrived, holds them until they are answered, waits without limit
//! for a client that does not read its response, and limits only the time of the first head. An unauthenticated client
//! could therefore hold memory forever. This wrapper passes the bytes between the network and the library, and enforces
//! that
//!
//! * the next head is passed on when the previous response is written, and at most 8 KiB are read before;
//! * every head has [`ConnectionLimits::head`] from its first byte, and the first one from the start of the connection;
//! * a connection without a request ends after [`ConnectionLimits::idle`];
//! * a connection that accepts no byte of a response for [`ConnectionLimits::write_timeout`] is cut;
//! * requests that the library would refuse without a body are refused with an API error.

mod body;
mod closing;
mod head;
mod pipeline_gate;
mod refusal;
mod stream;
mod timer;

use std::io;
use std::mem::MaybeUninit;
use std::net::IpAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::web::{Buf as _, BytesMut};
use api_conventions::error::ApiError;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Instant;

use self::body::RemainingBody;
use self::closing::ClosingState;
use self::head::Head;
pub use self::pipeline_gate::{PipelineGate, PipelineGuard};
pub use self::stream::ClientStream;
use self::timer::Timer;
use crate::refusals::Refusals;

/// Maximum bytes per read.
const READ_BYTES: usize = 8 * 1024;

/// Limits of a connection.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionLimits {
    /// Maximum time for the head of a request.
    pub head: Duration,
    /// Maximum time to wait for a request.
    pub idle: Duration,
    /// Maximum time without progress while writing a response.
    pub write_timeout: Duration,
    /// Longest query, which error messages name when a longer target cannot be read.
    pub max_query: usize,
}

/// A connection to a client.
#[derive(Debug)]
pub struct ClientConnection {
    stream: Box<dyn ClientStream>,
    limits: ConnectionLimits,
    gate: Rc<PipelineGate>,
    /// Bytes that were read but not passed on yet.
    inbox: BytesMut,
    stage: Stage,
    /// True if new bytes may have completed the head.
    has_news: bool,
    wait: Wait,
    reading: Timer,
    writing: Timer,
    is_write_blocked: bool,
    refusals: Arc<Refusals>,
    peer: Option<IpAddr>,
}

/// Next part expected from the client.
#[derive(Debug)]
enum Stage {
    /// Head of a request.
    Head,
    /// Request with this many bytes of its head left in the inbox, and its body.
    Forwarding(usize, RemainingBody),
    /// Rest of a body.
    Body(RemainingBody),
    /// Ignored bytes, while the answer to an invalid request is sent at the end.
    Closing(ClosingState),
}

/// Event that a connection waits for before the next head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// First byte of the connection.
    First,
    /// First byte of another request.
    Idle,
    /// Rest of a head.
    Head,
}

impl ClientConnection {
    /// Wraps an accepted connection of a peer with this address, if it has one. Its refusals are counted in `refusals`.
    pub fn new(
        stream: impl ClientStream,
        peer: Option<IpAddr>,
        limits: ConnectionLimits,
        refusals: Arc<Refusals>,
    ) -> Self {
        Self {
            stream: Box::new(stream),
            limits,
            gate: Rc::default(),
            inbox: BytesMut::new(),
            stage: Stage::Head,
            has_news: false,
            wait: Wait::First,
            reading: Timer::default(),
            writing: Timer::default(),
            is_write_blocked: false,
            refusals,
            peer,
        }
    }

    /// Answers the first bytes of the client with this refusal, and ends the connection.
    pub fn refuse_all(&mut self, refusal: &ApiError) {
        self.refuse(refusal);
    }

    /// Returns the gate that every request of the connection closes until it is answered.
    pub fn gate(&self) -> &Rc<PipelineGate> {
        &self.gate
    }

    /// Reads available bytes, passes them to `take`, and returns their number.
    fn poll_stream(
        &mut self,
        context: &mut Context<'_>,
        most: usize,
        take: impl FnOnce(&mut Self, &[u8]),
    ) -> Poll<io::Result<usize>> {
        let mut space = [const { MaybeUninit::<u8>::uninit() }; READ_BYTES];
        let room = space.get_mut(..most.min(READ_BYTES)).unwrap_or_default();
        let mut room = ReadBuf::uninit(room);
        ready!(Pin::new(&mut self.stream).poll_read(context, &mut room))?;
        take(self, room.filled());
        Poll::Ready(Ok(room.filled().len()))
    }

    /// Waits for a head, and for permission to pass it on.
    fn poll_head(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.is_write_blocked {
            // The task is woken when the client reads the rest of the response.
            return Poll::Pending;
        }
        if !self.gate.is_open() {
            self.poll_next_request(context);
            return Poll::Pending;
        }
        while matches!(self.stage, Stage::Head) {
            if self.has_news {
                self.has_news = false;
                self.validate_head();
                continue;
            }
            let read = self.poll_stream(context, READ_BYTES, |this, bytes| {
                this.has_news = this.inbox.is_empty()
                    || bytes.contains(&b'\n')
                    || this.inbox.len() + bytes.len() > head::MAX_HEAD;
                this.inbox.extend_from_slice(bytes);
            });
            match read? {
                Poll::Ready(0) => self.stage = Stage::Closing(ClosingState::Silent),
                Poll::Ready(_) => {}
                Poll::Pending => ready!(self.poll_wait(context)),
            }
        }
        self.reading.lift();
        Poll::Ready(Ok(()))
    }

    /// Registers the task to be woken for the next request while one is answered: when the client sends it, or when the
    /// connection has been silent for so long that it may be dead. Only if bytes have arrived already, the end of the
    /// response wakes the task: most clients send nothing before that, and the extra poll would be useless.
    fn poll_next_request(&mut self, context: &mut Context<'_>) {
        if self.inbox.is_empty() {
            let read = self.poll_stream(context, READ_BYTES, |this, bytes| {
                this.inbox.extend_from_slice(bytes);
            });
            match read {
                Poll::Ready(Ok(0) | Err(_)) => self.gate.abandon(),
                Poll::Ready(Ok(_)) => self.has_news = true,
                Poll::Pending => {}
            }
        }
        let end = Instant::now() + self.limits.idle;
        let is_waiting = !self.inbox.is_empty() || self.gate.is_abandoned();
        if is_waiting || self.reading.poll_until(context, end).is_ready() {
            self.gate.wait(context);
        }
    }

    /// Parses the head, if it is complete.
    fn validate_head(&mut self) {
        match Head::read(&self.inbox, self.limits.max_query) {
            Ok(Some(head)) => self.forward_head(head),
            Ok(None) => {}
            Err(refusal) => self.refuse(&refusal),
        }
    }

    fn forward_head(&mut self, head: Head) {
        let mut length = head.length;
        if let Some((place, text)) = head.escaped {
            let mut whole = Vec::from(&*self.inbox);
            length = length - place.len() + text.len();
            whole.splice(place, text.into_bytes());
            self.inbox = BytesMut::from(&*whole);
        }
        self.gate.close();
        self.wait = Wait::Idle;
        self.stage = Stage::Forwarding(length, head.body);
    }

    fn refuse(&mut self, refusal: &ApiError) {
        self.count(Some(refusal.status()), "no valid request");
        let answer = refusal::write(refusal, &self.inbox);
        self.inbox.clear();
        self.stage = Stage::Closing(ClosingState::answer(answer));
    }

    /// Ends the connection when a write has been blocked for longer than allowed.
    fn limit_write<T>(
        &mut self,
        context: &mut Context<'_>,
        outcome: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            if self.is_write_blocked {
                self.is_write_blocked = false;
                self.writing.lift();
                context.waker().wake_by_ref();
            }
            return outcome;
        }
        self.is_write_blocked = true;
        let limit = self.limits.write_timeout;
        ready!(self.writing.poll(context, limit));
        self.stream.discard_unread();
        self.count(None, "response not read");
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    fn count(&self, status: Option<u16>, reason: &'static str) {
        self.refusals.count_connection(status, reason, self.peer);
    }

    /// Waits for the client's next bytes, at most for the allowed time. A client that sent nothing gets no response.
    fn poll_wait(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if !self.inbox.is_empty() && self.wait != Wait::Head {
            // For a client that connected and sent nothing, the time is running already.
            if self.wait == Wait::Idle {
                self.reading.lift();
            }
            self.wait = Wait::Head;
        }
        ready!(match (self.wait, self.gate.opened_at()) {
            (Wait::Idle, Some(answered_at)) => {
                let end = answered_at + self.limits.idle;
                self.reading.poll_until(context, end)
            }
            _ => self.reading.poll(context, self.limits.head),
        });
        if self.inbox.is_empty() {
            // An idle connection whose requests were answered did nothing wrong.
            if self.wait == Wait::First {
                self.count(None, "no data received");
            }
            self.stage = Stage::Closing(ClosingState::Silent);
        } else {
            self.refuse(&ApiError::request_timeout());
        }
        Poll::Ready(())
    }

    /// Passes on the available bytes of a body.
    fn poll_body(
        &mut self,
        context: &mut Context<'_>,
        body: RemainingBody,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.inbox.is_empty() {
            let most = out.remaining();
            let read = self.poll_stream(context, most, |this, bytes| {
                this.inbox.extend_from_slice(bytes);
            });
            if ready!(read)? == 0 {
                self.stage = Stage::Closing(ClosingState::Silent);
                return Poll::Ready(Ok(()));
            }
        }
        let mut rest = body;
        let most = self.inbox.len().min(out.remaining());
        let bytes = self.inbox.get(..most).unwrap_or_default();
        // If the body is malformed, its reader sees that it ends early.
        let Ok(taken) = rest.take(bytes) else {
            self.stage = Stage::Closing(ClosingState::Silent);
            return Poll::Ready(Ok(()));
        };
        out.put_slice(self.inbox.get(..taken).unwrap_or_default());
        self.inbox.advance(taken);
        self.stage = self.after_body(rest);
        Poll::Ready(Ok(()))
    }

    /// Returns the stage after the part of a body that has arrived.
    fn after_body(&mut self, rest: RemainingBody) -> Stage {
        if rest.is_over() {
            self.has_news = !self.inbox.is_empty();
            Stage::Head
        } else {
            Stage::Body(rest)
        }
    }
}

impl AsyncRead for ClientConnection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            match self.stage {
                Stage::Head => ready!(self.poll_head(context))?,
                Stage::Forwarding(0, body) => self.stage = self.after_body(body),
                Stage::Forwarding(left, body) => {
                    let count = left.min(out.remaining());
                    out.put_slice(self.inbox.get(..count).unwrap_or_default());
                    self.inbox.advance(count);
                    self.stage = Stage::Forwarding(left - count, body);
                    return Poll::Ready(Ok(()));
                }
                Stage::Body(body) => return self.poll_body(context, body, out),
                Stage::Closing(_) => return Poll::Ready(Ok(())),
            }
        }
    }
}

impl AsyncWrite for ClientConnection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.limit_write(context, outcome)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_flush(context);
        self.limit_write(context, outcome)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if let Stage::Closing(closing) = &mut this.stage {
            ready!(closing.poll(context, &mut *this.stream, this.limits.write_timeout))?;
        }
        Pin::new(&mut this.stream).poll_shutdown(context)
    }
}
