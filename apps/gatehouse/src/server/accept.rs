//! Acceptance of connections.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use actix_http::Protocol;
use actix_http::error::DispatchError;
use api_conventions::error::ApiError;
use tokio::net::TcpStream;
#[cfg(unix)]
use tokio::net::UnixStream;
use tokio::time::timeout;
use web_conventions::connection::{ClientConnection, ClientStream, ConnectionLimits};
use web_conventions::refusals::Refusals;

use super::tls::{GreetedConnection, TlsListener};
use crate::state::certificate::ServerCertificate;

/// Connection with its protocol and the address of its peer, as the HTTP library expects them.
pub(super) type AcceptedConnection = (ClientConnection, Protocol, Option<SocketAddr>);

/// Acceptor of connections at one address.
#[derive(Clone)]
pub(super) struct Acceptor {
    limits: ConnectionLimits,
    refusals: Arc<Refusals>,
    tls: Option<TlsListener>,
}

impl Acceptor {
    /// Creates an acceptor of unencrypted connections.
    pub(super) const fn new(limits: ConnectionLimits, refusals: Arc<Refusals>) -> Self {
        Self {
            limits,
            refusals,
            tls: None,
        }
    }

    /// Returns an acceptor of encrypted connections.
    ///
    /// # Errors
    /// See [`TlsListener::new`].
    pub(super) fn encrypting(
        &self,
        certificate: &Arc<ServerCertificate>,
    ) -> Result<Self, rustls::Error> {
        Ok(Self {
            tls: Some(TlsListener::new(Arc::clone(certificate))?),
            ..self.clone()
        })
    }

    /// Accepts a connection, after its handshake if it is an encrypted one. A handshake may take as long as a head.
    ///
    /// # Errors
    /// If the handshake fails. The connection is closed.
    pub(super) async fn accept(
        self,
        stream: TcpStream,
    ) -> Result<AcceptedConnection, DispatchError> {
        let peer = stream.peer_addr().ok();
        let Some(tls) = &self.tls else {
            return Ok(self.connection(stream, peer));
        };
        let greeted = timeout(self.limits.head, tls.greet(stream)).await;
        match greeted.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())) {
            Ok(GreetedConnection::Encrypted(stream)) => Ok(self.connection(stream, peer)),
            Ok(GreetedConnection::Unencrypted(stream)) => {
                let mut connection = self.connection(stream, peer);
                let reason = "this port speaks TLS; use https://";
                connection
                    .0
                    .refuse_all(&ApiError::malformed_request(reason));
                Ok(connection)
            }
            Err(error) => {
                if let Some(reason) = failure(&error) {
                    let peer = peer.map(|peer| peer.ip());
                    self.refusals.count_connection(None, reason, peer);
                }
                Err(DispatchError::Io(error))
            }
        }
    }

    /// Accepts a connection over a Unix socket, whose peer has no address.
    #[cfg(unix)]
    pub(super) fn accept_unix(&self, stream: UnixStream) -> AcceptedConnection {
        self.connection(stream, None)
    }

    fn connection(
        &self,
        stream: impl ClientStream,
        peer: Option<SocketAddr>,
    ) -> AcceptedConnection {
        let address = peer.map(|peer| peer.ip());
        let refusals = Arc::clone(&self.refusals);
        let connection = ClientConnection::new(stream, address, self.limits, refusals);
        (connection, Protocol::Http1, peer)
    }
}

/// Reason of a failed handshake; `None` if the client closed the connection, as checks of the port do.
fn failure(error: &io::Error) -> Option<&'static str> {
    match error.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset => None,
        io::ErrorKind::TimedOut => Some("TLS handshake too slow"),
        _ => Some("TLS handshake failed"),
    }
}
