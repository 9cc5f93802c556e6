//! The server accepts alerts over HTTP, refuses requests without its key, and lists the stored alerts.
#![expect(
    clippy::unwrap_used,
    reason = "a helper that fails ends the test that called it"
)]

use std::net::SocketAddr;
use std::sync::mpsc;
use std::thread;

use api_conventions::ids::ProjectId;
use axum_host::{Host, router};
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use ureq::Agent;

/// Starts a server on a port of its own, and returns its address and key. The server ends with the test.
fn start_server() -> (SocketAddr, String) {
    let (ready, server) = mpsc::channel();
    thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let (host, key) = Host::with_project(ProjectId::new(1)).await.unwrap();
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            ready.send((address, key.reveal().to_owned())).unwrap();
            axum::serve(listener, router(host)).await.unwrap();
        });
    });
    server.recv().unwrap()
}

struct AlertSender {
    agent: Agent,
    url: String,
}

impl AlertSender {
    fn to(address: SocketAddr) -> Self {
        let config = Agent::config_builder().http_status_as_error(false);
        Self {
            agent: config.build().into(),
            url: format!("http://{address}/projects/1/alerts"),
        }
    }

    /// Sends a body, and returns the status and the body of the response.
    fn post(&self, authorization: &str, key: Option<&str>, body: &str) -> (u16, String) {
        let mut request = self.agent.post(&self.url);
        request = request.header("Authorization", authorization);
        if let Some(key) = key {
            request = request.header("Idempotency-Key", key);
        }
        let mut response = request.send(body).unwrap();
        let text = response.body_mut().read_to_string().unwrap();
        (response.status().as_u16(), text)
    }

    fn list(&self, authorization: &str) -> (u16, String) {
        let request = self.agent.get(&self.url);
        let mut response = request
            .header("Authorization", authorization)
            .call()
            .unwrap();
        let text = response.body_mut().read_to_string().unwrap();
        (response.status().as_u16(), text)
    }
}

#[test]
fn alerts_are_accepted_counted_and_listed() {
    let (address, key) = start_server();
    let (sender, bearer) = (AlertSender::to(address), format!("Bearer {key}"));
    let body = r#"{"title":"Disk full","severity":"high"}"#;
    for attempt in ["first", "second"] {
        let (status, text) = sender.post(&bearer, None, body);
        assert_eq!(status, 200, "{attempt}: {text}");
        assert!(text.contains("Disk full"), "{text}");
    }
    let (status, text) = sender.list(&bearer);
    assert_eq!(status, 200);
    assert!(text.contains(r#""event_count":2"#), "{text}");
    assert_eq!(text.matches("Disk full").count(), 1, "{text}");
}

#[test]
fn a_retry_under_a_key_counts_once() {
    let (address, key) = start_server();
    let (sender, bearer) = (AlertSender::to(address), format!("Bearer {key}"));
    let body = r#"{"title":"Disk full"}"#;
    let first = sender.post(&bearer, Some("one"), body);
    assert_eq!(sender.post(&bearer, Some("one"), body), first);
    let (_, text) = sender.list(&bearer);
    assert!(text.contains(r#""event_count":1"#), "{text}");
    let (status, _) = sender.post(&bearer, Some("one"), r#"{"title":"Another"}"#);
    assert_eq!(status, 422);
}

#[test]
fn a_missing_key_and_a_body_that_is_no_json_are_refused() {
    let (address, key) = start_server();
    let sender = AlertSender::to(address);
    let (status, _) = sender.post("Bearer wrong", None, "{}");
    assert_eq!(status, 401);
    let (status, _) = sender.list("Bearer wrong");
    assert_eq!(status, 401);
    let (status, text) = sender.post(&format!("Bearer {key}"), None, "no JSON");
    assert_eq!(status, 400, "{text}");
}
