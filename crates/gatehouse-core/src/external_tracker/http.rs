//! HTTP and TLS to trackers.

use std::fmt;
use std::io::{Error as IoError, ErrorKind};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use error_tracking::external::{Call, CallAnswer, ExternalFailure, MAX_ANSWER, Transport};
use ureq::config::Config;
use ureq::http::Uri;
use ureq::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, LINK};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Error};

use super::reach::is_public;

/// How long a call may take, from the look-up of the name to the last byte.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How long a connection waits for another call.
const IDLE: Duration = Duration::from_secs(15);

/// Tells which addresses may be reached although they are not public.
pub(super) type Allowed = Arc<dyn Fn(IpAddr) -> bool + Send + Sync>;

/// Carries calls over HTTP/1.1, and over TLS with the certificates that the machine trusts.
#[derive(Debug)]
pub(super) struct Http(Agent);

/// The same with a token.
#[derive(Debug)]
pub(super) struct WithToken<'a> {
    agent: &'a Agent,
    token: &'a str,
}

impl Http {
    pub(super) fn new(allowed: Allowed) -> Self {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::PlatformVerifier)
            .unversioned_rustls_crypto_provider(provider)
            .build();
        let config = Agent::config_builder()
            .timeout_global(Some(TIMEOUT))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            // A proxy would look up names itself, behind the check of addresses.
            .proxy(None)
            .max_idle_age(IDLE)
            .user_agent("gatehouse")
            .tls_config(tls)
            .build();
        let resolver = PublicOnly {
            names: DefaultResolver::default(),
            allowed,
        };
        let connector = DefaultConnector::default();
        Self(Agent::with_parts(config, connector, resolver))
    }

    /// The way with a token.
    pub(super) const fn with<'a>(&'a self, token: &'a str) -> WithToken<'a> {
        WithToken {
            agent: &self.0,
            token,
        }
    }
}

impl Transport for WithToken<'_> {
    fn send(&self, call: &Call) -> Result<CallAnswer, ExternalFailure> {
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
        Ok(CallAnswer {
            body: body.map_err(|error| failure(&error))?,
            link,
        })
    }
}

/// What an error of the client means for people.
fn failure(error: &Error) -> ExternalFailure {
    match error {
        Error::Timeout(_) => ExternalFailure::TimedOut,
        Error::BodyExceedsLimit(_) | Error::LargeResponseHeader(..) => ExternalFailure::TooLarge,
        Error::Tls(_) | Error::Pem(_) | Error::Rustls(_) => ExternalFailure::Tls,
        Error::Io(error) => match error.kind() {
            ErrorKind::PermissionDenied if error.get_ref().is_some_and(|e| e.is::<NotPublic>()) => {
                ExternalFailure::Forbidden
            }
            ErrorKind::TimedOut => ExternalFailure::TimedOut,
            ErrorKind::InvalidData => ExternalFailure::Tls,
            _ => ExternalFailure::Unreachable,
        },
        Error::Protocol(_) | Error::Http(_) => ExternalFailure::UnexpectedAnswer,
        _ => ExternalFailure::Unreachable,
    }
}

/// Looks up names, and gives only addresses that may be reached. The connection is made to what is given here, so a name that leads
/// somewhere else a moment later leads nowhere.
struct PublicOnly {
    names: DefaultResolver,
    allowed: Allowed,
}

/// A name leads to an address that may not be reached.
#[derive(Debug, thiserror::Error)]
#[error("the address is not public, and not allowed")]
struct NotPublic;

impl Resolver for PublicOnly {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        let found = self.names.resolve(uri, config, timeout)?;
        let may = |address: IpAddr| is_public(address) || (self.allowed)(address);
        // A name that leads to both kinds is made by somebody who tries something.
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
