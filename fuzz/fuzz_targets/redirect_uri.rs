//! Registration and matching of redirect URIs. The input is the registered URI, a line feed, and the URI of a request.
#![no_main]

use libfuzzer_sys::fuzz_target;
use oauth_provider::ClientType;
use oauth_provider::rules::redirect_uri::{MAX_BYTES, RedirectUri};
use url::Url;

fuzz_target!(|text: &str| {
    let (address, requested) = text.split_once('\n').unwrap_or((text, text));
    let Ok(registered) = RedirectUri::register(address, true) else {
        return;
    };
    assert_eq!(registered.as_str(), address, "the bytes are kept");
    assert!(address.len() <= MAX_BYTES && !address.contains(['#', '*', '\\', ' ']));
    assert!(registered.matches(address, ClientType::Confidential));
    let is_same = address == requested;
    for client_type in [ClientType::Public, ClientType::Confidential] {
        if registered.matches(requested, client_type) && !is_same {
            assert_eq!(
                without_port(address, client_type),
                without_port(requested, client_type),
                "{address} {requested}"
            );
        }
    }
});

/// A loopback redirect URI without its port, by a different URL parser.
fn without_port(address: &str, client_type: ClientType) -> String {
    let mut url = Url::parse(address).expect("what matches is a URL");
    assert_eq!(url.scheme(), "http");
    let is_loopback = match url.host_str() {
        Some("127.0.0.1" | "[::1]") => true,
        Some("localhost") => client_type == ClientType::Public,
        _ => false,
    };
    assert!(is_loopback, "{address}");
    assert!(url.username().is_empty() && url.password().is_none());
    assert!(url.fragment().is_none());
    url.set_port(None)
        .expect("an address with a host may have a port");
    url.into()
}
