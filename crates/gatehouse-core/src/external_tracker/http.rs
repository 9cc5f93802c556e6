//! HTTP and TLS connections to trackers.

use std::io::ErrorKind;

use error_tracking::external::{Call, CallResponse, ExternalFailure, MAX_ANSWER, Transport};
use ureq::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, LINK};
use ureq::{Agent, Error};

use crate::http_client::{self, AddressPermission, is_not_public};

/// Client over HTTP/1.1, and over TLS with the certificates that the machine trusts.
#[derive(Debug)]
pub(super) struct Http(Agent);

/// The HTTP client with a token.
#[derive(Debug)]
pub(super) struct WithToken<'a> {
    agent: &'a Agent,
    token: &'a str,
}

impl Http {
    pub(super) fn new(allowed: AddressPermission) -> Self {
        Self(http_client::guarded_agent(http_client::config(), allowed))
    }

    /// Returns the client with a token.
    pub(super) const fn with<'a>(&'a self, token: &'a str) -> WithToken<'a> {
        WithToken {
            agent: &self.0,
            token,
        }
    }
}

impl Transport for WithToken<'_> {
    fn send(&self, call: &Call) -> Result<CallResponse, ExternalFailure> {
        let (address, bearer) = (call.url.as_str(), format!("Bearer {}", self.token));
        let answer = match &call.body {
            None => {
                let get = self.agent.get(address).header(AUTHORIZATION, bearer);
                get.header(ACCEPT, "application/json").call()
            }
            Some(body) => {
                let put = self.agent.put(address).header(AUTHORIZATION, bearer);
                let put = put.header(ACCEPT, "application/json");
                put.header(CONTENT_TYPE, "application/json")
                    .send(body.to_string())
            }
        };
        let mut answer = answer.map_err(|error| failure(&error))?;
        if let Some(failure) = ExternalFailure::of_status(answer.status().as_u16()) {
            return Err(failure);
        }
        let link = answer.headers().get(LINK);
        let link = link.and_then(|link| link.to_str().ok()).map(str::to_owned);
        let limit = u64::try_from(MAX_ANSWER).unwrap_or(u64::MAX);
        let body = answer.body_mut().with_config().limit(limit).read_to_vec();
        Ok(CallResponse {
            body: body.map_err(|error| failure(&error))?,
            link,
        })
    }
}

/// Maps an error of the HTTP client to a failure that can be shown to users.
fn failure(error: &Error) -> ExternalFailure {
    match error {
        Error::Timeout(_) => ExternalFailure::TimedOut,
        Error::BodyExceedsLimit(_) | Error::LargeResponseHeader(..) => ExternalFailure::TooLarge,
        Error::Tls(_) | Error::Pem(_) | Error::Rustls(_) => ExternalFailure::Tls,
        Error::Io(error) if is_not_public(error) => ExternalFailure::Forbidden,
        Error::Io(error) => match error.kind() {
            ErrorKind::TimedOut => ExternalFailure::TimedOut,
            ErrorKind::InvalidData => ExternalFailure::Tls,
            _ => ExternalFailure::Unreachable,
        },
        Error::Protocol(_) | Error::Http(_) => ExternalFailure::UnexpectedResponse,
        _ => ExternalFailure::Unreachable,
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Error as IoError, Read as _, Write as _};
    use std::net::TcpListener;
    use std::sync::Arc;
    use std::thread::JoinHandle;

    use url::Url;

    use super::*;

    fn get(http: &Http, address: &str) -> Result<CallResponse, ExternalFailure> {
        let url = Url::parse(address).unwrap();
        http.with("secret").send(&Call::get(url))
    }

    /// Sends `answer` to one request, and returns that request.
    fn answering(listener: TcpListener, answer: String) -> JoinHandle<String> {
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                request.push(byte[0]);
            }
            stream.write_all(answer.as_bytes()).unwrap();
            String::from_utf8(request).unwrap()
        })
    }

    #[test]
    fn a_place_that_is_not_public_is_not_even_connected_to() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        let http = Http::new(Arc::new(|_| false));
        for host in ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]"] {
            let refused = get(&http, &format!("http://{host}:{port}/"));
            assert_eq!(refused, Err(ExternalFailure::Forbidden), "{host}");
        }
        let met = listener.accept().unwrap_err();
        assert_eq!(met.kind(), ErrorKind::WouldBlock);
    }

    #[test]
    fn a_redirect_is_not_followed_and_the_token_goes_nowhere_else() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let other = TcpListener::bind("127.0.0.1:0").unwrap();
        other.set_nonblocking(true).unwrap();
        let [address, target] = [&listener, &other].map(|one| one.local_addr().unwrap());
        let answer = format!(
            "HTTP/1.1 307 X\r\nLocation: http://{target}/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
        let served = answering(listener, answer);
        let http = Http::new(Arc::new(|_| true));
        let moved = get(&http, &format!("http://{address}/api/0/projects/"));
        assert_eq!(moved, Err(ExternalFailure::Redirected));
        let request = served.join().unwrap().to_ascii_lowercase();
        assert!(
            request.contains("authorization: bearer secret\r\n"),
            "{request}"
        );
        let met = other.accept().unwrap_err();
        assert_eq!(met.kind(), ErrorKind::WouldBlock);
    }

    #[test]
    fn an_answer_comes_with_its_link() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let answer =
            "HTTP/1.1 200 X\r\nLink: <x>\r\nContent-Length: 2\r\nConnection: close\r\n\r\n[]";
        let served = answering(listener, answer.to_owned());
        let http = Http::new(Arc::new(|_| true));
        let answer = get(&http, &format!("http://{address}/")).unwrap();
        assert_eq!(
            (answer.json(), answer.link.as_deref()),
            (Ok(serde_json::json!([])), Some("<x>"))
        );
        served.join().unwrap();
    }

    #[test]
    fn client_errors_map_to_external_failures() {
        let io = |kind| Error::Io(IoError::from(kind));
        for (error, expected) in [
            (
                io(ErrorKind::ConnectionRefused),
                ExternalFailure::Unreachable,
            ),
            // Refused by a firewall of this machine, not by our own check.
            (
                io(ErrorKind::PermissionDenied),
                ExternalFailure::Unreachable,
            ),
            (io(ErrorKind::TimedOut), ExternalFailure::TimedOut),
            (io(ErrorKind::InvalidData), ExternalFailure::Tls),
            (Error::HostNotFound, ExternalFailure::Unreachable),
            (Error::BodyExceedsLimit(1), ExternalFailure::TooLarge),
            (Error::Tls("x"), ExternalFailure::Tls),
        ] {
            assert_eq!(failure(&error), expected, "{error}");
        }
    }
}
