//! A connection as the HTTP library gets to see it.
//!
//! The library reads as many requests of a connection as have come, holds them all until they are answered, waits without limit
//! for a client that takes no answer, and bounds the time of the first head alone. Anyone who has no token could so hold
//! memory for as long as they like. Here the bytes pass between the network and the library, and
//!
//! * the next head is handed on when the answer before it is written, and until then not even read;
//! * every head has [`Limits::head`] from its first byte, and the first one from the beginning of the connection;
//! * a connection without a request ends after [`Limits::idle`];
//! * one that takes no byte of an answer for [`Limits::write_timeout`] is cut;
//! * what the library would refuse without a word is refused in the words of the API.

mod body;
mod closing;
mod head;
mod pipeline_gate;
mod refusal;
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
use tokio::net::TcpStream;
use tokio::time::Instant;

use self::body::Body;
use self::closing::Closing;
use self::head::Head;
pub use self::pipeline_gate::{PipelineGate, PipelineGuard};
use self::timer::Timer;
use crate::refusals::Refusals;

/// The most bytes that are read at once.
const READ_BYTES: usize = 8 * 1024;

/// The bounds of a connection.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How long the head of a request may take.
    pub head: Duration,
    /// How long a connection may wait for a request.
    pub idle: Duration,
    /// How long a client may take no byte of an answer.
    pub write_timeout: Duration,
    /// The longest query, to be told where nothing longer is read.
    pub max_query: usize,
}

/// A connection to a client.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    limits: Limits,
    gate: Rc<PipelineGate>,
    /// What was read and not handed on.
    inbox: BytesMut,
    stage: Stage,
    /// Whether something came that may have made the head whole.
    has_news: bool,
    wait: Wait,
    reading: Timer,
    writing: Timer,
    is_write_blocked: bool,
    refusals: Arc<Refusals>,
    peer: Option<IpAddr>,
}

/// What comes next from the client.
#[derive(Debug)]
enum Stage {
    /// A head.
    Head,
    /// A request of which so many bytes wait in the inbox, which the body follows.
    Handing(usize, Body),
    /// The rest of a body.
    Body(Body),
    /// Nothing that is looked at. The answer to what was no request goes out at the end.
    Closing(Closing),
}

/// What a connection waits for while it waits for a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// The first byte that the client sends at all.
    First,
    /// The first byte of another request.
    Idle,
    /// The rest of a head.
    Head,
}

impl Connection {
    /// A connection that was accepted. What it refuses is counted among `refusals`.
    pub fn new(stream: TcpStream, limits: Limits, refusals: Arc<Refusals>) -> Self {
        let peer = stream.peer_addr().ok().map(|address| address.ip());
        Self {
            stream,
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

    /// The gate that every request of the connection closes until it is answered.
    pub fn gate(&self) -> &Rc<PipelineGate> {
        &self.gate
    }

    /// Reads what has come into `room`, and gives how much that is.
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

    /// Waits for a head, and for the time to hand it on.
    fn poll_head(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.is_write_blocked {
            // The task is woken when the client takes the rest of the answer.
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
                Poll::Ready(0) => self.stage = Stage::Closing(Closing::Silent),
                Poll::Ready(_) => {}
                Poll::Pending => ready!(self.poll_wait(context)),
            }
        }
        self.reading.lift();
        Poll::Ready(Ok(()))
    }

    /// Has the task woken for the next request while one is answered: when the client sends it, or when nothing has come for
    /// so long that the connection may be over. Only where something has come already, the task is woken by the end of the
    /// answer: most clients send nothing before that, and it would be polled for nothing.
    fn poll_next_request(&mut self, context: &mut Context<'_>) {
        let is_waiting = !self.inbox.is_empty() || self.stream.poll_read_ready(context).is_ready();
        let end = Instant::now() + self.limits.idle;
        if is_waiting || self.reading.poll_until(context, end).is_ready() {
            self.gate.wait(context);
        }
    }

    /// Reads the head, if it is whole.
    fn validate_head(&mut self) {
        match Head::read(&self.inbox, self.limits.max_query) {
            Ok(Some(head)) => self.hand_on(head),
            Ok(None) => {}
            Err(refusal) => self.refuse(&refusal),
        }
    }

    fn hand_on(&mut self, head: Head) {
        let mut length = head.length;
        if let Some((place, text)) = head.escaped {
            let mut whole = Vec::from(&*self.inbox);
            length = length - place.len() + text.len();
            whole.splice(place, text.into_bytes());
            self.inbox = BytesMut::from(&*whole);
        }
        self.gate.close();
        self.wait = Wait::Idle;
        self.stage = Stage::Handing(length, head.body);
    }

    fn refuse(&mut self, refusal: &ApiError) {
        self.count(Some(refusal.status()), "no request");
        let answer = refusal::write(refusal, &self.inbox);
        self.inbox.clear();
        self.stage = Stage::Closing(Closing::answer(answer));
    }

    fn count(&self, status: Option<u16>, reason: &'static str) {
        self.refusals.count_connection(status, reason, self.peer);
    }

    /// Waits no longer than a client may take for its next bytes. A client that asked nothing is told nothing.
    fn poll_wait(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if !self.inbox.is_empty() && self.wait != Wait::Head {
            // Anyone who connected and said nothing has its time running already.
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
            // One that had its answers and is idle since did nothing wrong.
            if self.wait == Wait::First {
                self.count(None, "no byte came");
            }
            self.stage = Stage::Closing(Closing::Silent);
        } else {
            self.refuse(&ApiError::request_timeout());
        }
        Poll::Ready(())
    }

    /// Hands on what comes of a body.
    fn poll_body(
        &mut self,
        context: &mut Context<'_>,
        body: Body,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.inbox.is_empty() {
            let most = out.remaining();
            let read = self.poll_stream(context, most, |this, bytes| {
                this.inbox.extend_from_slice(bytes);
            });
            if ready!(read)? == 0 {
                self.stage = Stage::Closing(Closing::Silent);
                return Poll::Ready(Ok(()));
            }
        }
        let mut rest = body;
        let most = self.inbox.len().min(out.remaining());
        let bytes = self.inbox.get(..most).unwrap_or_default();
        // Where a body is not what it says, its reader finds that it breaks off.
        let Ok(taken) = rest.take(bytes) else {
            self.stage = Stage::Closing(Closing::Silent);
            return Poll::Ready(Ok(()));
        };
        out.put_slice(self.inbox.get(..taken).unwrap_or_default());
        self.inbox.advance(taken);
        self.stage = self.after_body(rest);
        Poll::Ready(Ok(()))
    }

    /// What comes after as much of a body as has come.
    fn after_body(&mut self, rest: Body) -> Stage {
        if rest.is_over() {
            self.has_news = !self.inbox.is_empty();
            Stage::Head
        } else {
            Stage::Body(rest)
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            match self.stage {
                Stage::Head => ready!(self.poll_head(context))?,
                Stage::Handing(0, body) => self.stage = self.after_body(body),
                Stage::Handing(left, body) => {
                    let count = left.min(out.remaining());
                    out.put_slice(self.inbox.get(..count).unwrap_or_default());
                    self.inbox.advance(count);
                    self.stage = Stage::Handing(left - count, body);
                    return Poll::Ready(Ok(()));
                }
                Stage::Body(body) => return self.poll_body(context, body, out),
                Stage::Closing(_) => return Poll::Ready(Ok(())),
            }
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match Pin::new(&mut self.stream).poll_write(context, bytes) {
            Poll::Ready(outcome) => {
                if self.is_write_blocked {
                    self.is_write_blocked = false;
                    self.writing.lift();
                    context.waker().wake_by_ref();
                }
                Poll::Ready(outcome)
            }
            Poll::Pending => {
                self.is_write_blocked = true;
                let limit = self.limits.write_timeout;
                ready!(self.writing.poll(context, limit));
                // What the client did not take is not kept for it either.
                let _ = self.stream.set_zero_linger();
                self.count(None, "answer not read");
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if let Stage::Closing(closing) = &mut this.stage {
            ready!(closing.poll(context, &mut this.stream, this.limits.write_timeout))?;
        }
        Pin::new(&mut this.stream).poll_shutdown(context)
    }
}
