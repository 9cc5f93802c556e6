//! A container registry in memory, in which every image repository has the same tags.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::json;
use sha2::{Digest as _, Sha256};

/// Image repository and tag.
type NamedTag = (String, String);

/// Tags and the times of their images, unless a test has others.
const TAGS: [(&str, &str); 2] = [
    ("latest", "2026-01-02T03:04:05Z"),
    ("1.0", "2026-01-02T03:04:05Z"),
];

#[derive(Debug, Default)]
struct FakeRegistryState {
    /// Tags of every image repository, with the times of their images.
    tags: Vec<(&'static str, &'static str)>,
    manifests: BTreeMap<String, NamedTag>,
    deleted: BTreeSet<NamedTag>,
    /// Received tokens.
    tokens: Vec<String>,
}

/// A fake registry.
#[derive(Debug)]
pub(crate) struct FakeRegistry {
    address: String,
    state: Arc<Mutex<FakeRegistryState>>,
}

impl FakeRegistry {
    /// A registry on a port of its own.
    pub(crate) fn start() -> Self {
        Self::start_with(&TAGS)
    }

    /// A registry whose image repositories have these tags, each with the time of its image.
    pub(crate) fn start_with(tags: &[(&'static str, &'static str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let state = Arc::new(Mutex::new(FakeRegistryState {
            tags: tags.to_vec(),
            ..FakeRegistryState::default()
        }));
        let serving = Arc::clone(&state);
        // The thread ends with the test's process.
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let serving = Arc::clone(&serving);
                thread::spawn(move || serve(stream, &serving));
            }
        });
        Self { address, state }
    }

    /// The configuration of a server with this registry.
    pub(crate) fn configuration(&self) -> String {
        format!(
            "[registry]\nurl = \"http://{}\"\nhost = \"images.example.com\"\n",
            self.address
        )
    }

    /// The tokens that the registry received.
    pub(crate) fn tokens(&self) -> Vec<String> {
        self.state.lock().unwrap().tokens.clone()
    }
}

fn digest_of(text: &str) -> String {
    let digest = Sha256::digest(text);
    let hex = digest.iter().map(|byte| format!("{byte:02x}"));
    format!("sha256:{}", hex.collect::<Vec<_>>().concat())
}

/// Digest of the configuration of the image with a tag.
fn configuration_of(tag: &str) -> String {
    digest_of(&format!("configuration {tag}"))
}

/// Answers one request.
fn serve(mut stream: TcpStream, state: &Mutex<FakeRegistryState>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap_or(0) == 0 {
            return;
        }
    }
    let header = |wanted: &str| {
        let mut lines = head.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        found.map(|(_, value)| value.to_owned())
    };
    let length = header("content-length").map_or(0, |length| length.parse().unwrap());
    reader.read_exact(&mut vec![0; length]).unwrap();
    let mut words = head.split(' ');
    let (method, path) = (words.next().unwrap(), words.next().unwrap());
    let mut state = state.lock().unwrap();
    state.tokens.extend(header("authorization"));
    let (status, more, body) = state.answer(method, path);
    let length = if method == "HEAD" { 0 } else { body.len() };
    let body = if method == "HEAD" { "" } else { &body };
    let answer = format!(
        "HTTP/1.1 {status} X\r\nContent-Length: {length}\r\nConnection: close\r\n{more}\r\n{body}"
    );
    let _ = stream.write_all(answer.as_bytes());
}

impl FakeRegistryState {
    /// Status, headers and body of a response.
    fn answer(&mut self, method: &str, path: &str) -> (u16, String, String) {
        let none = String::new();
        let rest = path.strip_prefix("/v2/").unwrap_or_default();
        let path = rest.split('?').next().unwrap_or_default();
        if let Some(name) = path.strip_suffix("/tags/list") {
            let tags: Vec<&str> = self
                .tags
                .iter()
                .map(|(tag, _)| *tag)
                .filter(|tag| !self.deleted.contains(&(name.to_owned(), (*tag).to_owned())))
                .collect();
            return (200, none, json!({ "name": name, "tags": tags }).to_string());
        }
        if path.contains("/blobs/uploads/") {
            let location = format!("Location: /v2/{path}x\r\n");
            let status = if method == "POST" { 202 } else { 201 };
            return (status, location, none);
        }
        if path.contains("/blobs/") {
            let digest = path.rsplit('/').next();
            let mut tags = self.tags.iter();
            let found = tags.find(|(tag, _)| Some(&*configuration_of(tag)) == digest);
            let created = json!({ "created": found.map(|(_, created)| created) });
            return (200, none, created.to_string());
        }
        let Some((name, tag)) = path.split_once("/manifests/") else {
            return (404, none.clone(), none);
        };
        if method == "DELETE" {
            let found = self.manifests.remove(tag);
            let status = if found.is_some() { 202 } else { 404 };
            self.deleted.extend(found);
            return (status, none.clone(), none);
        }
        let named = (name.to_owned(), tag.to_owned());
        if self.deleted.contains(&named) || !self.tags.iter().any(|(name, _)| *name == tag) {
            return (404, none.clone(), none);
        }
        let digest = digest_of(&format!("{name}:{tag} {}", method == "PUT"));
        self.manifests.insert(digest.clone(), named);
        let status = if method == "PUT" { 201 } else { 200 };
        let manifest = json!({
            "schemaVersion": 2,
            "config": { "digest": configuration_of(tag), "size": 5 },
            "layers": [{ "digest": digest_of("layer"), "size": 7 }],
        });
        let headers = format!("Docker-Content-Digest: {digest}\r\n");
        (status, headers, manifest.to_string())
    }
}
