//! HTTP client settings shared by all calls to external servers, and the guard against addresses that only this server
//! can reach.

mod public_only;
mod reach;

use std::sync::Arc;
use std::time::Duration;

use ureq::Agent;
use ureq::config::ConfigBuilder;
use ureq::tls::{RootCerts, TlsConfig};
use ureq::typestate::AgentScope;

pub(crate) use self::public_only::{AddressPermission, forbids, guarded_agent, is_not_public};

/// Time limit of a call, from name resolution to the last byte.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Time for which an idle connection is kept for another call. Servers close theirs after 2 to 75 seconds, often 5. A call on a
/// connection that its server just closes fails, and a POST must not be sent again at once, so a connection is kept for less.
const IDLE: Duration = Duration::from_secs(1);

/// Creates a client for a server that the operator configures. `timeout` limits a call from name resolution to the last byte. Each
/// status is a response, redirects too.
pub fn agent(timeout: Duration) -> Agent {
    Agent::new_with_config(config().timeout_global(Some(timeout)).build())
}

/// Configures a client over HTTP/1.1, and over TLS with the certificates that the machine trusts.
/// It follows no redirects, and returns every status as a response.
pub(crate) fn config() -> ConfigBuilder<AgentScope> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(provider)
        .build();
    Agent::config_builder()
        .timeout_global(Some(TIMEOUT))
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .max_idle_age(IDLE)
        .user_agent("gatehouse")
        .tls_config(tls)
}
