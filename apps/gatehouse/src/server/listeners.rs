//! Listening sockets: bound to the configured addresses, or inherited from the service manager.

use std::io::ErrorKind;
use std::net::TcpListener;
#[cfg(unix)]
use std::os::unix::net::UnixListener;

use listenfd::ListenFd;
use tokio::net::TcpSocket;
#[cfg(unix)]
use tokio::net::UnixSocket;

#[cfg(unix)]
use super::unix_socket::{self, UnixSocketFile};
use crate::config::{ListenAddress, ServerSettings};

/// Connections that may wait to be accepted.
const BACKLOG: u32 = 4096;

/// Socket with an address, which clients cannot connect to before it [listens](Self::listen), unless it was inherited.
#[derive(Debug)]
enum ServerSocket {
    /// Bound to a configured address.
    Bound(TcpSocket),
    /// Bound to a path.
    #[cfg(unix)]
    BoundUnix(UnixSocket),
    /// Inherited from the service manager (socket activation), which listens already.
    Inherited(Listener),
}

/// Socket that accepts connections.
#[derive(Debug)]
pub(super) enum Listener {
    /// TCP.
    Tcp(TcpListener),
    /// Unix socket.
    #[cfg(unix)]
    Unix(UnixListener),
}

/// Files of bound Unix sockets, which are removed when this is dropped.
#[derive(Debug, Default)]
pub(super) struct SocketFiles {
    #[cfg(unix)]
    files: Vec<UnixSocketFile>,
}

/// The sockets of a server, each with its address.
#[derive(Debug)]
pub(super) struct ServerSockets {
    sockets: Vec<(ListenAddress, ServerSocket)>,
    files: SocketFiles,
    /// Address of the first socket.
    pub(super) address: ListenAddress,
}

impl ServerSockets {
    /// Takes the sockets that the service manager passes (`LISTEN_FDS`), or binds the configured addresses.
    /// An inherited socket has the scheme of the configured address in its place, and HTTP if there is none.
    ///
    /// # Errors
    /// If an address cannot be bound, if an inherited socket accepts no streams, and if the first address is a wildcard or
    /// a path and no external URL is set.
    pub(super) fn open(settings: &ServerSettings) -> anyhow::Result<Self> {
        let mut sockets = inherited(settings)?;
        let mut files = SocketFiles::default();
        if sockets.is_empty() {
            for address in settings.addresses() {
                let bound = bind(address, &mut files);
                sockets.push(bound.map_err(|error| not_taken(address, &error))?);
            }
        }
        let first = sockets.first().map(|(address, _)| address.clone());
        let address = first.unwrap_or_else(|| settings.listen.clone());
        let needs_url = address
            .socket_address()
            .is_none_or(|address| address.ip().is_unspecified());
        anyhow::ensure!(
            !needs_url || settings.external_url.is_some(),
            "the server listens on {address}; so that links work, set server.external_url"
        );
        Ok(Self {
            sockets,
            files,
            address,
        })
    }

    /// Accepts connections from now on. Returns each socket with its address, and the files of Unix sockets.
    ///
    /// # Errors
    /// If another process has begun to listen at an address.
    pub(super) fn listen(self) -> anyhow::Result<(Vec<(ListenAddress, Listener)>, SocketFiles)> {
        let sockets = self.sockets.into_iter();
        let listeners = sockets.map(|(address, socket)| {
            let listener = socket.listen();
            let listener = listener.map_err(|error| not_taken(&address, &error))?;
            Ok((address, listener))
        });
        Ok((listeners.collect::<anyhow::Result<_>>()?, self.files))
    }
}

impl ServerSocket {
    fn listen(self) -> std::io::Result<Listener> {
        match self {
            Self::Inherited(listener) => Ok(listener),
            Self::Bound(socket) => {
                let listener = socket.listen(BACKLOG)?;
                listener.into_std().map(Listener::Tcp)
            }
            #[cfg(unix)]
            Self::BoundUnix(socket) => {
                let listener = socket.listen(BACKLOG)?;
                listener.into_std().map(Listener::Unix)
            }
        }
    }
}

/// Takes the sockets that the service manager passes.
fn inherited(settings: &ServerSettings) -> anyhow::Result<Vec<(ListenAddress, ServerSocket)>> {
    let mut passed = ListenFd::from_env();
    let mut configured = settings.addresses();
    let mut sockets = Vec::new();
    for place in 0..passed.len() {
        let configured = configured.next();
        let unusable = |error| {
            anyhow::anyhow!(
                "cannot use socket {place} of the service manager: {error}; \
                 ListenStream= must be a TCP address or a path"
            )
        };
        if let Ok(Some(listener)) = passed.take_tcp_listener(place) {
            listener.set_nonblocking(true)?;
            let address = listener.local_addr()?;
            let address = configured.map_or(ListenAddress::Http(address), |at| at.at(address));
            sockets.push((address, ServerSocket::Inherited(Listener::Tcp(listener))));
            continue;
        }
        #[cfg(unix)]
        if let Some(listener) = passed.take_unix_listener(place).map_err(unusable)? {
            listener.set_nonblocking(true)?;
            let address = unix_socket::address_of(&listener);
            sockets.push((address, ServerSocket::Inherited(Listener::Unix(listener))));
        }
        #[cfg(not(unix))]
        passed.take_tcp_listener(place).map_err(unusable)?;
    }
    Ok(sockets)
}

fn bind(
    address: &ListenAddress,
    files: &mut SocketFiles,
) -> std::io::Result<(ListenAddress, ServerSocket)> {
    match address {
        ListenAddress::Http(at) | ListenAddress::Https(at) => {
            let socket = if at.is_ipv4() {
                TcpSocket::new_v4()
            } else {
                TcpSocket::new_v6()
            }?;
            socket.set_reuseaddr(true)?;
            socket.bind(*at)?;
            let bound = address.at(socket.local_addr()?);
            Ok((bound, ServerSocket::Bound(socket)))
        }
        #[cfg(unix)]
        ListenAddress::Unix(path) => {
            let (socket, file) = unix_socket::bind(path)?;
            files.files.push(file);
            Ok((address.clone(), ServerSocket::BoundUnix(socket)))
        }
        #[cfg(not(unix))]
        ListenAddress::Unix(_) => Err(ErrorKind::Unsupported.into()),
    }
}

/// Error about an address that cannot be bound, with a hint.
fn not_taken(address: &ListenAddress, error: &std::io::Error) -> anyhow::Error {
    let hint = match error.kind() {
        ErrorKind::AddrInUse if address.socket_address().is_some() => {
            "; `--listen 127.0.0.1:0` picks a free port"
        }
        _ => "",
    };
    anyhow::anyhow!("cannot listen on {address}: {error}{hint}")
}
