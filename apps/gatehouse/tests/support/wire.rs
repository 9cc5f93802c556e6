//! Raw bytes on a connection, for tests of badly behaved clients.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use super::{TestResponse, TestServer};

/// Longest time that a server may be silent before the test fails.
const TIMEOUT: Duration = Duration::from_mins(1);

/// A connection to a server.
#[derive(Debug)]
pub(crate) struct Wire {
    stream: TcpStream,
    was_reset: bool,
}

impl Wire {
    /// A new connection.
    pub(crate) fn open(server: &TestServer) -> Self {
        let stream = TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        stream.set_write_timeout(Some(TIMEOUT)).unwrap();
        Self {
            stream,
            was_reset: false,
        }
    }

    /// Sends bytes. A server that has already refused may have closed the connection; its response tells.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes);
    }

    /// Sends as much as the server accepts while its responses are not read.
    pub(crate) fn send_as_far_as_it_goes(&mut self, bytes: &[u8]) {
        self.stream.set_nonblocking(true).unwrap();
        let mut rest = bytes;
        let mut refusals = 0;
        while refusals < 20 && !rest.is_empty() {
            match self.stream.write(rest) {
                Ok(count) => rest = &rest[count..],
                Err(error) if error.kind() != std::io::ErrorKind::WouldBlock => {
                    self.was_reset = true;
                    break;
                }
                Err(_) => {
                    refusals += 1;
                    std::thread::park_timeout(Duration::from_millis(5));
                }
            }
        }
        self.stream.set_nonblocking(false).unwrap();
    }

    /// Sends the request line and the headers of a request, with the headers that every request needs.
    pub(crate) fn send_head(&mut self, first_line: &str, headers: &[(&str, &str)]) {
        let mut head = format!("{first_line} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n");
        for (name, value) in headers {
            head.extend([name, ": ", value, "\r\n"]);
        }
        head.push_str("\r\n");
        self.send(head.as_bytes());
    }

    /// Reads until the server closes the connection: its response, or `None` if it sent nothing.
    #[track_caller]
    pub(crate) fn final_response(mut self) -> Option<TestResponse> {
        let mut received = Vec::new();
        while self.read(&mut received) {}
        (!received.is_empty()).then(|| parse(&received))
    }

    /// Reads until the server closes the connection, and returns everything that it sent.
    #[track_caller]
    pub(crate) fn remaining_bytes(mut self) -> Vec<u8> {
        let mut received = Vec::new();
        while self.read(&mut received) {}
        received
    }

    /// True if the server has reset the connection, along with any data in transit.
    pub(crate) fn was_reset(&mut self) -> bool {
        // The kernel reports it once.
        self.was_reset |= self.stream.take_error().unwrap().is_some();
        self.was_reset
    }

    /// Returns received bytes that were not read yet, without waiting. `None` if the server has closed the connection
    /// and sent nothing more.
    pub(crate) fn available_bytes(&mut self) -> Option<Vec<u8>> {
        self.stream.set_nonblocking(true).unwrap();
        let mut chunk = [0; 4096];
        let read = self.stream.read(&mut chunk);
        self.stream.set_nonblocking(false).unwrap();
        match read {
            Ok(0) => None,
            Ok(length) => Some(chunk[..length].to_vec()),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Some(Vec::new()),
            Err(_) => None,
        }
    }

    /// Reads one response, with the length that it declares.
    #[track_caller]
    pub(crate) fn read_response(&mut self) -> TestResponse {
        let mut received = Vec::new();
        while !is_whole(&received) {
            assert!(self.read(&mut received), "the answer breaks off");
        }
        parse(&received)
    }

    /// Reads the available bytes. `false` at the end of the connection.
    #[track_caller]
    fn read(&mut self, received: &mut Vec<u8>) -> bool {
        let mut chunk = [0; 4096];
        match self.stream.read(&mut chunk) {
            Ok(length) => {
                received.extend_from_slice(&chunk[..length]);
                length > 0
            }
            Err(error) => {
                let silent = matches!(
                    error.kind(),
                    std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
                );
                assert!(
                    !silent,
                    "the server neither answers nor closes the connection"
                );
                false
            }
        }
    }
}

fn is_whole(received: &[u8]) -> bool {
    if !received.windows(4).any(|window| window == b"\r\n\r\n") {
        return false;
    }
    let answer = parse(received);
    let length = answer.header("content-length");
    length.is_none_or(|length| answer.body.len() >= length.parse::<usize>().unwrap())
}

fn parse(received: &[u8]) -> TestResponse {
    let end = received
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .unwrap();
    let (head, body) = received.split_at(end);
    let head = String::from_utf8_lossy(head);
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1));
    let headers = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    TestResponse {
        status: status.unwrap().parse().unwrap(),
        headers,
        body: body.iter().skip(4).copied().collect(),
    }
}
