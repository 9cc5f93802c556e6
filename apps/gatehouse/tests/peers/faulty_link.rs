//! A link from a sender to the server that fails on demand.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::support::TestServer;

/// Handling of the requests on a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkState {
    /// Passes requests and responses.
    Up,
    /// Responds with 503, and passes nothing.
    Unavailable,
    /// Cuts the connection instead of passing the request.
    RequestsLost,
    /// Passes the request, and cuts the connection instead of passing the response.
    ResponsesLost,
}

/// A link to the server, on an address of its own.
pub(crate) struct FaultyLink {
    address: SocketAddr,
    state: Arc<Mutex<LinkState>>,
    /// Number of requests that failed.
    failed: Arc<AtomicUsize>,
}

impl FaultyLink {
    /// Opens a link to a server, which may be restarted later on the same address.
    pub(crate) fn to(server: &TestServer) -> Self {
        let upstream = server.base_url().trim_start_matches("http://").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Mutex::new(LinkState::Up));
        let failed = Arc::new(AtomicUsize::new(0));
        let (shared, count) = (Arc::clone(&state), Arc::clone(&failed));
        // The thread ends with the process of the test.
        thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                let state = *shared.lock().unwrap();
                let (upstream, count) = (upstream.clone(), Arc::clone(&count));
                // A connection that fails is a fault of the link like any other: the sender sees it cut.
                thread::spawn(move || {
                    let passed = pass(connection, &upstream, state);
                    count.fetch_add(usize::from(state != LinkState::Up), Ordering::Relaxed);
                    passed
                });
            }
        });
        Self {
            address,
            state,
            failed,
        }
    }

    /// Returns a URL of the server as it is reached over the link.
    pub(crate) fn url(&self, server: &TestServer, url: &str) -> String {
        url.replace(server.base_url(), &format!("http://{}", self.address))
    }

    /// Number of requests that failed so far.
    pub(crate) fn failed(&self) -> usize {
        self.failed.load(Ordering::Relaxed)
    }

    /// Sets the handling of the next requests.
    pub(crate) fn set(&self, state: LinkState) {
        *self.state.lock().unwrap() = state;
    }
}

/// Handles the one request of a connection.
fn pass(mut sender: TcpStream, upstream: &str, state: LinkState) -> io::Result<()> {
    let request = read_request(&sender)?;
    match state {
        LinkState::RequestsLost => return sender.shutdown(Shutdown::Both),
        LinkState::Unavailable => {
            let refusal = "HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
            return sender.write_all(refusal.as_bytes());
        }
        LinkState::Up | LinkState::ResponsesLost => {}
    }
    let mut server = TcpStream::connect(upstream)?;
    server.write_all(&request)?;
    let mut response = Vec::new();
    server.read_to_end(&mut response)?;
    if state == LinkState::ResponsesLost {
        return sender.shutdown(Shutdown::Both);
    }
    sender.write_all(&response)
}

/// Reads a request, and asks for the end of the connection after its response, on both sides.
fn read_request(sender: &TcpStream) -> io::Result<Vec<u8>> {
    let mut reader = BufReader::new(sender);
    let mut request = Vec::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().map_err(io::Error::other)?;
        }
        if line == "\r\n" {
            request.extend(b"connection: close\r\n\r\n");
            break;
        }
        request.extend(line.as_bytes());
    }
    let head = request.len();
    request.resize(head + length, 0);
    reader.read_exact(&mut request[head..])?;
    Ok(request)
}
