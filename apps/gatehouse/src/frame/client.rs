//! Browser data that a session stores: the user agent and the address.

use std::net::IpAddr;

use accounts::flow::sessions::Browser;
use actix_web::HttpRequest;
use actix_web::http::header::USER_AGENT;
use api_conventions::secret::PlainSecret;

use crate::state::AppState;
use web_conventions::networks::{Networks, client_key};

/// Browser that sent a request, for a new session with this cookie.
pub fn browser(request: &HttpRequest, state: &AppState, cookie: &PlainSecret) -> Browser {
    let agent = request.headers().get(USER_AGENT);
    let agent = agent.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    Browser::new(
        cookie.digest(),
        agent.unwrap_or_default(),
        client_address(request, state).map_or_else(String::new, |at| at.to_string()),
    )
}

/// Address that identifies the client in counts of failures.
pub fn counted_address(request: &HttpRequest, state: &AppState) -> String {
    let address = counted_client(request, state);
    address.map_or_else(String::new, |address| address.to_string())
}

/// Address of the client, or first address of its network, under which clients are counted.
/// `None` if the request did not arrive over a connection.
pub fn counted_client(request: &HttpRequest, state: &AppState) -> Option<IpAddr> {
    client_address(request, state).map(client_key)
}

/// Address of the client: the peer of the connection, or the address that a trusted proxy reports.
/// The peer of a Unix socket has no address. It is a trusted proxy, because the permissions of the socket admit it.
pub fn client_address(request: &HttpRequest, state: &AppState) -> Option<IpAddr> {
    let peer = request.peer_addr().map(|peer| peer.ip().to_canonical());
    let headers = request.headers().get_all("X-Forwarded-For");
    let forwarded: Vec<&str> = headers.filter_map(|value| value.to_str().ok()).collect();
    let proxies = &state.settings.sign_in.trusted_proxies;
    behind(proxies, peer, &forwarded)
}

/// Returns the nearest address that is not a trusted proxy.
/// Each proxy appends the address that it sees, so anything before an untrusted address may be forged.
fn behind(proxies: &Networks, peer: Option<IpAddr>, forwarded: &[&str]) -> Option<IpAddr> {
    let mut nearest = peer;
    let all = forwarded.iter().flat_map(|line| line.split(','));
    for item in all.collect::<Vec<_>>().into_iter().rev() {
        let Some(next) = item.trim().parse::<IpAddr>().ok() else {
            return nearest;
        };
        if nearest.is_some_and(|nearest| !proxies.contains(nearest)) {
            return nearest;
        }
        nearest = Some(next.to_canonical());
    }
    nearest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(proxies: &str, peer: &str, forwarded: &[&str]) -> String {
        let proxies = Networks::parse(proxies).unwrap();
        let found = behind(&proxies, peer.parse().ok(), forwarded);
        found.map_or_else(String::new, |address| address.to_string())
    }

    #[test]
    fn the_peer_of_a_unix_socket_is_a_trusted_proxy() {
        assert_eq!(found("", "", &["6.6.6.6, 1.2.3.4"]), "1.2.3.4");
        assert_eq!(found("1.2.3.4", "", &["6.6.6.6, 1.2.3.4"]), "6.6.6.6");
        assert_eq!(found("", "", &[]), "");
    }

    #[test]
    fn untrusted_peers_cannot_set_the_client_address() {
        assert_eq!(found("", "10.0.0.1", &["1.2.3.4"]), "10.0.0.1");
        assert_eq!(found("10.0.0.2", "10.0.0.1", &["1.2.3.4"]), "10.0.0.1");
    }

    #[test]
    fn a_trusted_proxy_supplies_the_client_address() {
        assert_eq!(found("10.0.0.1", "10.0.0.1", &["1.2.3.4"]), "1.2.3.4");
        assert_eq!(found("10.0.0.1", "10.0.0.1", &[]), "10.0.0.1");
    }

    #[test]
    fn forwarded_addresses_set_by_the_client_are_ignored() {
        let invented = ["6.6.6.6, 1.2.3.4"];
        assert_eq!(found("10.0.0.1", "10.0.0.1", &invented), "1.2.3.4");
        let through_two = ["6.6.6.6", "1.2.3.4, 10.0.0.2"];
        assert_eq!(found("10.0.0.0/8", "10.0.0.1", &through_two), "1.2.3.4");
        assert_eq!(
            found("10.0.0.0/8", "10.0.0.1", &["1.2.3.4, nonsense"]),
            "10.0.0.1"
        );
    }
}
