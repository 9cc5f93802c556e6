//! TLS of connections: handshakes, and encrypted streams.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use web_conventions::connection::ClientStream;

use crate::state::certificate::ServerCertificate;

/// First byte of a TLS connection: the type of a handshake record (RFC 8446, section 5.1).
const HANDSHAKE: u8 = 22;

/// Acceptor of TLS connections.
#[derive(Clone)]
pub(super) struct TlsListener(TlsAcceptor);

/// Connection whose client began to speak.
pub(super) enum GreetedConnection {
    /// Encrypted connection.
    Encrypted(EncryptedStream),
    /// Connection of a client that does not speak TLS. Nothing was read from it.
    Unencrypted(TcpStream),
}

impl TlsListener {
    /// Creates an acceptor for TLS 1.2 and 1.3 that uses the certificate in use at each handshake.
    ///
    /// # Errors
    /// If the cryptographic library supports neither version.
    pub(super) fn new(certificate: Arc<ServerCertificate>) -> Result<Self, rustls::Error> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(certificate);
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self(TlsAcceptor::from(Arc::new(config))))
    }

    /// Waits for the first byte of a client, and completes the handshake if it speaks TLS.
    ///
    /// # Errors
    /// If the handshake fails or the connection ends.
    pub(super) async fn greet(&self, stream: TcpStream) -> io::Result<GreetedConnection> {
        let mut first = [0];
        if stream.peek(&mut first).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if first != [HANDSHAKE] {
            return Ok(GreetedConnection::Unencrypted(stream));
        }
        let stream = self.0.accept(stream).await?;
        Ok(GreetedConnection::Encrypted(EncryptedStream(Box::new(
            stream,
        ))))
    }
}

/// Encrypted stream to a client.
#[derive(Debug)]
pub(super) struct EncryptedStream(Box<TlsStream<TcpStream>>);

impl ClientStream for EncryptedStream {
    fn discard_unread(&self) {
        self.0.get_ref().0.discard_unread();
    }
}

impl AsyncRead for EncryptedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, out)
    }
}

impl AsyncWrite for EncryptedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
