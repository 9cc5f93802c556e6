//! `gatehouse healthcheck`: exits with 0 if the configured server is ready, for containers and scripts.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use anyhow::Context as _;
use ureq::Agent;

use super::output;
use crate::config::{Overrides, load};

/// Time limit of the whole request.
/// Longer than the default deadlines of the database, so that the server reports which of its parts is not ready.
const TIMEOUT: Duration = Duration::from_secs(15);

/// Requests the readiness path of the server over the loopback interface.
pub(super) fn healthcheck(overrides: &Overrides) -> anyhow::Result<()> {
    let listen = load(overrides)?.server.listen;
    anyhow::ensure!(
        listen.port() != 0,
        "server.listen is {listen}, which names no port; set the port on which the server listens"
    );
    let url = format!("http://{}/-/readiness", reachable(listen));
    let agent: Agent = Agent::config_builder()
        .timeout_global(Some(TIMEOUT))
        .http_status_as_error(false)
        .proxy(None)
        .build()
        .into();
    let response = agent.get(&url).call();
    let mut response = response.with_context(|| format!("no response from {url}"))?;
    let status = response.status();
    let body = response.body_mut().read_to_string().unwrap_or_default();
    anyhow::ensure!(status == 200, "{url} responds with {status}: {body}");
    output::line(&format!("{url} is ready"));
    Ok(())
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
