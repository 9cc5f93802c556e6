//! `gatehouse healthcheck`: exits with 0 if the configured server is ready, for containers and scripts.

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use ureq::Agent;
use ureq::tls::TlsConfig;

use super::output;
use crate::config::{ListenAddress, Overrides, load};

/// Time limit of the whole request.
/// Longer than the default deadlines of the database, so that the server reports which of its parts is not ready.
const TIMEOUT: Duration = Duration::from_secs(15);

/// Path that reports whether the server is ready.
const READINESS: &str = "/-/readiness";

/// Requests the readiness path of the server over the loopback interface or its Unix socket.
pub(super) fn healthcheck(overrides: &Overrides) -> anyhow::Result<()> {
    let listen = load(overrides)?.server.listen;
    let (place, response) = match &listen {
        ListenAddress::Unix(path) => (listen.to_string(), over_socket(path)),
        ListenAddress::Http(address) | ListenAddress::Https(address) => {
            anyhow::ensure!(
                address.port() != 0,
                "server.listen is {listen}, which names no port; set the port on which the server listens"
            );
            let url = format!("{}{READINESS}", listen.at(reachable(*address)).url());
            let response = over_network(&url);
            (url, response)
        }
    };
    let (status, body) = response.with_context(|| format!("no response from {place}"))?;
    anyhow::ensure!(status == 200, "{place} responds with {status}: {body}");
    output::line(&format!("{place} is ready"));
    Ok(())
}

/// Requests a URL. Returns the status and the body.
/// The names in a certificate are not checked: no certificate names the loopback interface.
fn over_network(url: &str) -> anyhow::Result<(u16, String)> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let tls = TlsConfig::builder()
        .disable_verification(true)
        .unversioned_rustls_crypto_provider(provider)
        .build();
    let agent: Agent = Agent::config_builder()
        .timeout_global(Some(TIMEOUT))
        .http_status_as_error(false)
        .proxy(None)
        .tls_config(tls)
        .build()
        .into();
    let mut response = agent.get(url).call()?;
    let body = response.body_mut().read_to_string().unwrap_or_default();
    Ok((response.status().as_u16(), body))
}

/// Requests the readiness path over a Unix socket, which the HTTP client cannot use. Returns the status and the body.
#[cfg(unix)]
fn over_socket(path: &Path) -> anyhow::Result<(u16, String)> {
    let mut stream = std::os::unix::net::UnixStream::connect(path)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    let request =
        format!("GET {READINESS} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut response = String::new();
    stream.read_to_string(&mut response)?;
    let (head, body) = response.split_once("\r\n\r\n").unwrap_or_default();
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    let status = status.context("the response is not HTTP")?;
    Ok((status, body.to_owned()))
}

#[cfg(not(unix))]
fn over_socket(path: &Path) -> anyhow::Result<(u16, String)> {
    anyhow::bail!("{} is a Unix socket", path.display())
}

/// Address by which a program on the same machine reaches a listener.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        ip if !ip.is_unspecified() => ip,
        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    SocketAddr::new(ip, listen.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wildcard_address_is_reached_over_loopback() {
        for (listen, expected) in [
            ("0.0.0.0:80", "127.0.0.1:80"),
            ("[::]:80", "[::1]:80"),
            ("10.0.0.1:80", "10.0.0.1:80"),
        ] {
            let listen: SocketAddr = listen.parse().unwrap();
            assert_eq!(reachable(listen).to_string(), expected);
        }
    }
}
