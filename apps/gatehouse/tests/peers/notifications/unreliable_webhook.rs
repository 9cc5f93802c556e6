//! Receiver of webhooks that fails on demand.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

/// Reply to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reply {
    /// 204.
    Accepted,
    /// 429, and the seconds of [`RETRY_AFTER`].
    TooManyRequests,
    /// 500.
    ServerError,
    /// None, on a connection that stays open.
    Hangs,
    /// None: the connection is closed.
    Closes,
}

/// Seconds after which the receiver wants the next attempt: more than the server would wait.
pub(super) const RETRY_AFTER: i64 = 8;

impl Reply {
    /// All ways to fail.
    pub(super) const FAILURES: [Self; 4] = [
        Self::TooManyRequests,
        Self::ServerError,
        Self::Hangs,
        Self::Closes,
    ];

    /// Status of the response, if there is one.
    pub(super) fn status(self) -> Option<u16> {
        match self {
            Self::Accepted => Some(204),
            Self::TooManyRequests => Some(429),
            Self::ServerError => Some(500),
            Self::Hangs | Self::Closes => None,
        }
    }

    fn send(self, mut connection: TcpStream) {
        let retry_after = match self {
            Self::TooManyRequests => format!("retry-after: {RETRY_AFTER}\r\n"),
            _ => String::new(),
        };
        let head = |status| {
            format!(
                "HTTP/1.1 {status} X\r\ncontent-length: 0\r\nconnection: close\r\n{retry_after}\r\n"
            )
        };
        // A server that was killed reads no response.
        let _ = match (self, self.status()) {
            (_, Some(status)) => connection.write_all(head(status).as_bytes()),
            // The client gives up first, and then this reads the end of the connection.
            (Self::Hangs, None) => connection.read(&mut [0]).map(drop),
            (_, None) => connection.shutdown(Shutdown::Both),
        };
    }
}

/// Request that was received as a whole.
#[derive(Debug, Clone)]
pub(super) struct WebhookRequest {
    /// Path, which tells the channel.
    pub(super) path: String,
    /// Header `webhook-id`.
    pub(super) id: String,
    /// Header `webhook-timestamp`: the time of the attempt, in seconds.
    pub(super) at: i64,
    /// Body.
    pub(super) event: Value,
    /// Reply that the sender got, or would have got.
    pub(super) reply: Reply,
}

#[derive(Debug, Default)]
struct WebhookState {
    /// Replies to the next requests by path. Further requests are accepted.
    replies: BTreeMap<String, VecDeque<Reply>>,
    requests: Vec<WebhookRequest>,
}

/// Receiver that accepts all requests but those that it is to fail.
#[derive(Debug)]
pub(super) struct UnreliableWebhook {
    address: SocketAddr,
    state: Arc<Mutex<WebhookState>>,
}

impl UnreliableWebhook {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Mutex::new(WebhookState::default()));
        let shared = Arc::clone(&state);
        // The thread ends with the process of the test.
        thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    let received = receive(&connection)?;
                    let reply = shared.lock().unwrap().reply_to(received);
                    reply.send(connection);
                    Some(())
                });
            }
        });
        Self { address, state }
    }

    /// URL of a path.
    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Adds replies to the next requests to a path.
    pub(super) fn queue(&self, path: &str, replies: impl IntoIterator<Item = Reply>) {
        let mut state = self.state.lock().unwrap();
        let queued = state.replies.entry(path.to_owned()).or_default();
        queued.extend(replies);
    }

    /// Returns the requests so far.
    pub(super) fn requests(&self) -> Vec<WebhookRequest> {
        self.state.lock().unwrap().requests.clone()
    }
}

impl WebhookState {
    /// Stores a request, and returns the reply to it.
    fn reply_to(&mut self, mut request: WebhookRequest) -> Reply {
        let queued = self.replies.get_mut(&request.path);
        let reply = queued.and_then(VecDeque::pop_front);
        request.reply = reply.unwrap_or(Reply::Accepted);
        self.requests.push(request.clone());
        request.reply
    }
}

/// Reads a request. `None` if the sender was killed meanwhile.
fn receive(connection: &TcpStream) -> Option<WebhookRequest> {
    let mut reader = BufReader::new(connection);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let header = |name: &str| {
        let mut lines = head.lines().filter_map(|line| line.split_once(':'));
        let (_, value) = lines.find(|(found, _)| found.eq_ignore_ascii_case(name))?;
        Some(value.trim().to_owned())
    };
    let mut body = vec![0; header("content-length")?.parse().unwrap()];
    reader.read_exact(&mut body).ok()?;
    Some(WebhookRequest {
        path: head.split(' ').nth(1)?.to_owned(),
        id: header("webhook-id")?,
        at: header("webhook-timestamp")?.parse().unwrap(),
        event: serde_json::from_slice(&body).unwrap(),
        reply: Reply::Accepted,
    })
}
