//! Streams that connections run over.

use std::fmt::Debug;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
#[cfg(unix)]
use tokio::net::UnixStream;

/// Stream of bytes between a client and the server.
pub trait ClientStream: AsyncRead + AsyncWrite + Debug + Unpin + 'static {
    /// Discards data that the client did not read once the stream is dropped, so that it uses no memory.
    fn discard_unread(&self);
}

impl ClientStream for TcpStream {
    fn discard_unread(&self) {
        // A failure leaves the data to the operating system, which discards it later.
        let _ = self.set_zero_linger();
    }
}

#[cfg(unix)]
impl ClientStream for UnixStream {
    /// Does nothing: the client's end holds the data.
    fn discard_unread(&self) {}
}
