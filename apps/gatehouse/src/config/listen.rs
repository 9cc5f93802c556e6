//! Addresses that the server listens on.

use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// Address that the server listens on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListenAddress {
    /// HTTP at an IP address and port.
    Http(SocketAddr),
    /// HTTP over TLS at an IP address and port.
    Https(SocketAddr),
    /// HTTP at a Unix socket with this path.
    Unix(PathBuf),
}

impl ListenAddress {
    /// Rule for valid addresses, in words.
    pub(super) const RULE: &str = "must be an address and port such as 127.0.0.1:8080, localhost:8080 or https://0.0.0.0:443, \
         a Unix socket such as unix:/run/gatehouse/http.sock, or several, separated by commas";

    /// Parses an address; `None` if it breaks the rule.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if let Some(path) = text.strip_prefix("unix:") {
            let path = Path::new(path);
            return (cfg!(unix) && path.is_absolute()).then(|| Self::Unix(path.to_owned()));
        }
        if let Some(address) = text.strip_prefix("https://") {
            return parse_socket_address(address).map(Self::Https);
        }
        let address = text.strip_prefix("http://").unwrap_or(text);
        parse_socket_address(address).map(Self::Http)
    }

    /// IP address and port; `None` for a Unix socket.
    pub const fn socket_address(&self) -> Option<SocketAddr> {
        match self {
            Self::Http(address) | Self::Https(address) => Some(*address),
            Self::Unix(_) => None,
        }
    }

    /// True if clients speak TLS there.
    pub const fn is_https(&self) -> bool {
        matches!(self, Self::Https(_))
    }

    /// Returns the same kind of address at another IP address or port.
    #[must_use]
    pub fn at(&self, address: SocketAddr) -> Self {
        if self.is_https() {
            Self::Https(address)
        } else {
            Self::Http(address)
        }
    }

    /// URL by which clients on this machine reach the address, without a trailing slash.
    /// Only a proxy reaches a Unix socket, so its URL names no port.
    pub fn url(&self) -> String {
        match self {
            Self::Http(address) => format!("http://{address}"),
            Self::Https(address) => format!("https://{address}"),
            Self::Unix(_) => "http://localhost".to_owned(),
        }
    }
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Http(address) => write!(f, "{address}"),
            Self::Https(address) => write!(f, "https://{address}"),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// Parses an IP address with a port. Of all names only `localhost` has a known address, which is 127.0.0.1.
fn parse_socket_address(text: &str) -> Option<SocketAddr> {
    match text.strip_prefix("localhost:") {
        Some(port) => Some(SocketAddr::from(([127, 0, 0, 1], port.parse().ok()?))),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_scheme_or_is_a_socket() {
        for (text, shown) in [
            ("localhost:80", "127.0.0.1:80"),
            ("http://[::1]:80", "[::1]:80"),
            ("https://0.0.0.0:443", "https://0.0.0.0:443"),
            ("unix:/run/http.sock", "unix:/run/http.sock"),
        ] {
            assert_eq!(ListenAddress::parse(text).unwrap().to_string(), shown);
        }
        for text in [
            "",
            "80",
            "example.com:80",
            "https://example.com:443",
            "https://0.0.0.0",
            "ftp://0.0.0.0:21",
            "unix:",
            "unix:http.sock",
        ] {
            assert_eq!(ListenAddress::parse(text), None, "{text}");
        }
    }
}
