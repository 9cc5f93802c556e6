//! How a connection ends.

use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead as _, AsyncWrite as _, ReadBuf};
use tokio::net::TcpStream;

use super::timer::Timer;
use crate::http::early_response::LINGER;

/// What is left to do on a connection before it is closed.
#[derive(Debug)]
pub(super) enum Closing {
    /// Nothing.
    Silent,
    /// An answer is to be written, of which so much was.
    Answer(Vec<u8>, usize, Timer),
    /// The client is to read the answer, although it may still be sending: closing while there are bytes that nobody has
    /// read would take the answer from it.
    Linger(Timer),
}

impl Closing {
    /// Ends with an answer.
    pub(super) fn answer(answer: Vec<u8>) -> Self {
        Self::Answer(answer, 0, Timer::default())
    }

    /// Does what is left. A client that takes no byte for as long as `write_timeout` gets no more.
    pub(super) fn poll(
        &mut self,
        context: &mut Context<'_>,
        stream: &mut TcpStream,
        write_timeout: Duration,
    ) -> Poll<io::Result<()>> {
        loop {
            match self {
                Self::Silent => return Poll::Ready(Ok(())),
                Self::Answer(answer, written, timer) => {
                    let rest = answer.get(*written..).unwrap_or_default();
                    if rest.is_empty() {
                        ready!(Pin::new(&mut *stream).poll_shutdown(context))?;
                        *self = Self::Linger(Timer::default());
                        continue;
                    }
                    match Pin::new(&mut *stream).poll_write(context, rest)? {
                        Poll::Ready(count) => *written += count,
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

/// Reads what comes and throws it away. `false` at the end of the connection.
fn discard(context: &mut Context<'_>, stream: &mut TcpStream) -> Poll<bool> {
    let mut space = [const { MaybeUninit::<u8>::uninit() }; super::READ_BYTES];
    let mut room = ReadBuf::uninit(&mut space);
    let read = ready!(Pin::new(stream).poll_read(context, &mut room));
    Poll::Ready(read.is_ok() && !room.filled().is_empty())
}
