//! Listening sockets: bound to the configured addresses, or inherited from the service manager.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};

use listenfd::ListenFd;
use tokio::net::TcpSocket;

use crate::config::ServerSettings;

/// Connections that may wait to be accepted.
const BACKLOG: u32 = 4096;

/// Socket with an address, which clients cannot connect to before it [listens](Self::listen), unless it was inherited.
#[derive(Debug)]
enum ServerSocket {
    /// Bound to a configured address.
    Bound(TcpSocket, SocketAddr),
    /// Inherited from the service manager (socket activation), which listens already.
    Inherited(TcpListener),
}

/// The sockets of a server.
#[derive(Debug)]
pub(super) struct ServerSockets {
    sockets: Vec<ServerSocket>,
    /// Address of the first socket.
    pub(super) address: SocketAddr,
}

impl ServerSockets {
    /// Takes the sockets that the service manager passes (`LISTEN_FDS`), or binds the configured addresses.
    ///
    /// # Errors
    /// If an address cannot be bound, if an inherited socket is not a TCP socket, or if the first address is a wildcard and
    /// no external URL is set.
    pub(super) fn open(settings: &ServerSettings) -> anyhow::Result<Self> {
        let inherited = inherited()?;
        let sockets = if inherited.is_empty() {
            let addresses = std::iter::once(&settings.listen).chain(&settings.more_addresses);
            addresses
                .map(|address| bind(*address).map_err(|error| not_taken(*address, &error)))
                .collect::<anyhow::Result<Vec<_>>>()?
        } else {
            inherited
        };
        let first = sockets.first().map(|socket| match socket {
            ServerSocket::Bound(socket, _) => socket.local_addr(),
            ServerSocket::Inherited(listener) => listener.local_addr(),
        });
        let address = first.unwrap_or(Ok(settings.listen))?;
        anyhow::ensure!(
            !address.ip().is_unspecified() || settings.external_url.is_some(),
            "the server listens on {address}, a wildcard address; so that links work, set server.external_url"
        );
        Ok(Self { sockets, address })
    }

    /// Accepts connections from now on.
    ///
    /// # Errors
    /// If another process has begun to listen at an address.
    pub(super) fn listen(self) -> anyhow::Result<Vec<TcpListener>> {
        let listening = |socket| match socket {
            ServerSocket::Inherited(listener) => Ok(listener),
            ServerSocket::Bound(socket, address) => {
                let listener = socket
                    .listen(BACKLOG)
                    .and_then(tokio::net::TcpListener::into_std);
                listener.map_err(|error| not_taken(address, &error))
            }
        };
        self.sockets.into_iter().map(listening).collect()
    }
}

/// Takes the sockets that the service manager passes.
fn inherited() -> anyhow::Result<Vec<ServerSocket>> {
    let mut passed = ListenFd::from_env();
    let mut sockets = Vec::new();
    for place in 0..passed.len() {
        let listener = passed.take_tcp_listener(place).map_err(|error| {
            anyhow::anyhow!(
                "cannot use socket {place} of the service manager: {error}; \
                 ListenStream= must be a TCP address"
            )
        })?;
        if let Some(listener) = listener {
            listener.set_nonblocking(true)?;
            sockets.push(ServerSocket::Inherited(listener));
        }
    }
    Ok(sockets)
}

fn bind(address: SocketAddr) -> std::io::Result<ServerSocket> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()
    } else {
        TcpSocket::new_v6()
    }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(ServerSocket::Bound(socket, address))
}

/// Error about an address that cannot be bound, with a hint.
fn not_taken(address: SocketAddr, error: &std::io::Error) -> anyhow::Error {
    let hint = match error.kind() {
        ErrorKind::AddrInUse => "; `--listen 127.0.0.1:0` picks a free port",
        _ => "",
    };
    anyhow::anyhow!("cannot listen on {address}: {error}{hint}")
}
