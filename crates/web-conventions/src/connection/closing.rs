//! Closing of a connection.

use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::ReadBuf;

use super::stream::ClientStream;
use super::timer::Timer;
use crate::early_response::LINGER;

/// Remaining work on a connection before it is closed.
#[derive(Debug)]
pub(super) enum ClosingState {
    /// No work.
    Silent,
    /// Answer to write, the number of bytes already written, and the time without progress.
    Answer(Vec<u8>, usize, Timer),
    /// Wait for the client to read the answer, although it may still be sending: closing with unread bytes would make
    /// the answer unavailable to it.
    Linger(Timer),
}

impl ClosingState {
    /// Closes with an answer.
    pub(super) fn answer(answer: Vec<u8>) -> Self {
        Self::Answer(answer, 0, Timer::default())
    }

    /// Completes the remaining work. A client that accepts no byte for `write_timeout` gets no more.
    pub(super) fn poll(
        &mut self,
        context: &mut Context<'_>,
        stream: &mut dyn ClientStream,
        write_timeout: Duration,
    ) -> Poll<io::Result<()>> {
        loop {
            match self {
                Self::Silent => return Poll::Ready(Ok(())),
                Self::Answer(answer, written, timer) => {
                    let rest = answer.get(*written..).unwrap_or_default();
                    let step = if rest.is_empty() {
                        let shutdown = Pin::new(&mut *stream).poll_shutdown(context);
                        shutdown.map_ok(|()| None)
                    } else {
                        let write = Pin::new(&mut *stream).poll_write(context, rest);
                        write.map_ok(Some)
                    };
                    match step? {
                        Poll::Ready(Some(count)) => *written += count,
                        Poll::Ready(None) => *self = Self::Linger(Timer::default()),
                        Poll::Pending => {
                            ready!(timer.poll(context, write_timeout));
                            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
                        }
                    }
                }
                Self::Linger(timer) => {
                    if timer.poll(context, LINGER).is_ready() || !ready!(discard(context, stream)) {
                        *self = Self::Silent;
                    }
                }
            }
        }
    }
}

/// Reads and discards bytes. Returns `false` at the end of the connection.
fn discard(context: &mut Context<'_>, stream: &mut dyn ClientStream) -> Poll<bool> {
    let mut space = [const { MaybeUninit::<u8>::uninit() }; super::READ_BYTES];
    let mut room = ReadBuf::uninit(&mut space);
    let read = ready!(Pin::new(stream).poll_read(context, &mut room));
    Poll::Ready(read.is_ok() && !room.filled().is_empty())
}
