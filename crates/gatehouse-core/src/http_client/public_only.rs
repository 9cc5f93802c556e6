//! Guard against addresses that only this server can reach (ADR 36).

use std::error::Error as StdError;
use std::fmt;
use std::io::{Error as IoError, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use ureq::config::{Config, ConfigBuilder};
use ureq::http::Uri;
use ureq::typestate::AgentScope;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Error};
use url::{Host, Url};

use super::reach::is_public;

/// Returns true for a non-public address that may be contacted anyway.
pub(crate) type AddressPermission = Arc<dyn Fn(IpAddr) -> bool + Send + Sync>;

/// Creates a client that connects only to public addresses, and to those that `allowed` permits.
pub(crate) fn guarded_agent(
    config: ConfigBuilder<AgentScope>,
    allowed: AddressPermission,
) -> Agent {
    // A proxy would resolve names itself and so bypass the check of addresses.
    let config = config.proxy(None).build();
    let resolver = PublicOnly {
        names: DefaultResolver::default(),
        allowed,
    };
    Agent::with_parts(config, DefaultConnector::default(), resolver)
}

/// True if a URL names a host that may not be contacted.
/// Host names are resolved only when a call is made; their addresses are checked then.
pub(crate) fn forbids(allowed: &AddressPermission, address: &Url) -> bool {
    let may = |address: IpAddr| is_public(address) || allowed(address);
    match address.host() {
        Some(Host::Ipv4(address)) => !may(address.into()),
        Some(Host::Ipv6(address)) => !may(address.into()),
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            let is_local = name == "localhost" || name.ends_with(".localhost");
            is_local && !may(Ipv4Addr::LOCALHOST.into()) && !may(Ipv6Addr::LOCALHOST.into())
        }
        None => true,
    }
}

/// True if the resolver of [`guarded_agent`] refused the address.
pub(crate) fn is_not_public(error: &IoError) -> bool {
    let cause = error.get_ref();
    error.kind() == ErrorKind::PermissionDenied
        && cause.is_some_and(<dyn StdError + Send + Sync>::is::<NotPublic>)
}

/// Resolver that returns only permitted addresses.
/// The connection is made to the addresses it returns, so a name that resolves differently a moment later has no
/// effect.
struct PublicOnly {
    names: DefaultResolver,
    allowed: AddressPermission,
}

/// A name resolves to an address that may not be contacted.
#[derive(Debug, thiserror::Error)]
#[error("the address is neither public nor on the allow list")]
struct NotPublic;

impl Resolver for PublicOnly {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        let found = self.names.resolve(uri, config, timeout);
        // The system reports an unknown name as an error of no particular kind. Here alone is its cause certain.
        let found = found.map_err(|error| match error {
            Error::Io(_) => Error::HostNotFound,
            other => other,
        })?;
        let may = |address: IpAddr| is_public(address) || (self.allowed)(address);
        // A name that resolves to both kinds is likely an attack.
        if found.iter().all(|address| may(address.ip())) {
            return Ok(found);
        }
        Err(IoError::new(ErrorKind::PermissionDenied, NotPublic).into())
    }
}

impl fmt::Debug for PublicOnly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublicOnly").finish_non_exhaustive()
    }
}
