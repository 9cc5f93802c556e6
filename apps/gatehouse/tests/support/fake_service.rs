//! A server with scripted responses, in place of an external tracker or another service.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

/// A fake service.
#[derive(Debug)]
pub(crate) struct FakeService {
    address: String,
    shared: Arc<FakeServiceState>,
}

#[derive(Debug, Default)]
struct FakeServiceState {
    /// The next responses, as bytes of HTTP. If none is left, a request gets no response and the connection stays open.
    responses: Mutex<VecDeque<Vec<u8>>>,
    /// Fixed responses by path.
    pages: Mutex<BTreeMap<String, Vec<u8>>>,
    /// The received requests: the request line and the headers, and the body.
    requests: Mutex<Vec<(String, Vec<u8>)>>,
}

impl FakeService {
    /// A service on a port of its own.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let shared = Arc::new(FakeServiceState::default());
        let serving = Arc::clone(&shared);
        // The thread ends with the test's process.
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let serving = Arc::clone(&serving);
                thread::spawn(move || serve(stream, &serving));
            }
        });
        Self { address, shared }
    }

    /// The service's URL.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Sets the response to the next request.
    pub(crate) fn queue_response(&self, status: u16, headers: &str, body: &[u8]) {
        let bytes = bytes_of(status, headers, body);
        self.shared.responses.lock().unwrap().push_back(bytes);
    }

    /// Sets the response to every request for a path.
    pub(crate) fn always(&self, path: &str, media_type: &str, body: &str) {
        let headers = format!("Content-Type: {media_type}\r\n");
        let bytes = bytes_of(200, &headers, body.as_bytes());
        let mut pages = self.shared.pages.lock().unwrap();
        pages.insert(path.to_owned(), bytes);
    }

    /// Sets a JSON response to the next request.
    pub(crate) fn json(&self, body: &Value) {
        let headers = "Content-Type: application/json\r\n";
        self.queue_response(200, headers, body.to_string().as_bytes());
    }

    /// The requests received so far: the request line, then the headers and the body.
    pub(crate) fn requests(&self) -> Vec<String> {
        let requests = self.shared.requests.lock().unwrap();
        let text =
            |(head, body): &(String, Vec<u8>)| format!("{head}{}", String::from_utf8_lossy(body));
        requests.iter().map(text).collect()
    }

    /// The bodies of the requests for a path.
    pub(crate) fn bodies(&self, path: &str) -> Vec<Vec<u8>> {
        let requests = self.shared.requests.lock().unwrap();
        let for_path = requests
            .iter()
            .filter(|(head, _)| head.split(' ').nth(1) == Some(path));
        for_path.map(|(_, body)| body.clone()).collect()
    }
}

fn bytes_of(status: u16, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// Answers one request, or holds its connection.
fn serve(stream: TcpStream, shared: &FakeServiceState) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap_or(0) == 0 {
            return;
        }
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse().unwrap())
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).unwrap();
    let path = head.split(' ').nth(1).unwrap_or_default();
    let request = (head.clone(), body);
    shared.requests.lock().unwrap().push(request);
    let page = shared.pages.lock().unwrap().get(path).cloned();
    let answer = page.or_else(|| shared.responses.lock().unwrap().pop_front());
    let mut stream = stream;
    match answer {
        Some(answer) => drop(stream.write_all(&answer)),
        // The client gives up first, and then this reads the end of the connection.
        None => drop(reader.read(&mut [0])),
    }
}
