//! Calls to the HTTP API of a registry.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use ureq::Agent;
use ureq::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap};
use ureq::http::{Method, Request, Response};
use ureq::{Body, RequestExt as _};
use url::Url;

use crate::http_client;

/// Largest response, in bytes: the limit of the registry for a manifest.
const MAX_RESPONSE: u64 = 4 << 20;

/// Reasons why an operation on a registry failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryFailure {
    /// The registry was unreachable, or the HTTP exchange failed.
    #[error("the container registry is unreachable")]
    Http(#[from] ureq::Error),
    /// The registry responded with an unexpected status.
    #[error("the container registry responded with status {0}")]
    Status(u16),
    /// The response has an unexpected form.
    #[error("the container registry sent an unexpected response")]
    Unexpected,
    /// The registry permits no deletions.
    #[error(
        "the container registry does not permit deletions; set storage.delete.enabled in its configuration"
    )]
    DeletionDisabled,
    /// The image repository has too many tags.
    #[error("the image repository has too many tags")]
    TooManyTags,
    /// The operation takes longer than one request may.
    #[error("the operation on the container registry is incomplete")]
    Incomplete,
    /// Too many operations are running.
    #[error("too many operations on the container registry are running")]
    Busy,
    /// No token could be signed.
    #[error("no token for the container registry could be signed")]
    Signature,
}

/// HTTP client of a registry.
#[derive(Debug)]
pub(super) struct RegistryClient {
    agent: Agent,
    base: Url,
}

impl RegistryClient {
    pub(super) fn new(address: &Url) -> Self {
        let mut base = address.clone();
        let path = base.path().trim_end_matches('/').to_owned();
        base.set_path(&path);
        Self {
            agent: Agent::new_with_config(http_client::config().build()),
            base,
        }
    }

    /// Returns the URL of a path of the API.
    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base.as_str().trim_end_matches('/'))
    }
}

/// Operation on one image repository.
#[derive(Debug)]
pub(super) struct RegistrySession {
    client: Arc<RegistryClient>,
    name: String,
    bearer: String,
    deadline: RegistryDeadline,
}

/// End of an operation: a time, or the stop of the server.
#[derive(Debug)]
pub(super) struct RegistryDeadline {
    pub(super) until: Instant,
    pub(super) is_stopped: Arc<AtomicBool>,
}

impl RegistryDeadline {
    fn is_over(&self) -> bool {
        Instant::now() >= self.until || self.is_stopped.load(Ordering::Relaxed)
    }
}

/// Call to the API.
pub(super) struct RegistryCall<'a> {
    pub(super) method: Method,
    /// Path below the image repository, with the query; or an absolute path.
    pub(super) path: &'a str,
    /// Accepted media types.
    pub(super) accept: Option<&'a str>,
    /// Body, with its media type.
    pub(super) body: Option<(&'static str, &'a [u8])>,
}

impl<'a> RegistryCall<'a> {
    /// Creates a call without a body.
    pub(super) fn new(method: Method, path: &'a str) -> Self {
        Self {
            method,
            path,
            accept: None,
            body: None,
        }
    }
}

/// Response of the API.
pub(super) struct RegistryResponse {
    pub(super) status: u16,
    headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl RegistryResponse {
    /// Returns the value of a header.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns the response if its status is the expected one.
    pub(super) fn expect(self, status: u16) -> Result<Self, RegistryFailure> {
        if self.status == status {
            Ok(self)
        } else {
            Err(RegistryFailure::Status(self.status))
        }
    }
}

impl RegistrySession {
    pub(super) fn new(
        client: Arc<RegistryClient>,
        name: String,
        token: &str,
        deadline: RegistryDeadline,
    ) -> Self {
        Self {
            client,
            name,
            bearer: format!("Bearer {token}"),
            deadline,
        }
    }

    /// Calls the API. A redirect is not followed, so the token is sent to the registry only.
    pub(super) fn call(
        &self,
        call: &RegistryCall<'_>,
    ) -> Result<RegistryResponse, RegistryFailure> {
        if self.deadline.is_over() {
            return Err(RegistryFailure::Incomplete);
        }
        let url = if call.path.starts_with('/') {
            self.client.url(call.path)
        } else {
            self.client.url(&format!("/v2/{}/{}", self.name, call.path))
        };
        let mut request = Request::builder()
            .method(call.method.clone())
            .uri(url)
            .header(AUTHORIZATION, &self.bearer);
        if let Some(accept) = call.accept {
            request = request.header(ACCEPT, accept);
        }
        let agent = &self.client.agent;
        let response: Response<Body> = if let Some((kind, body)) = call.body {
            let request = request.header(CONTENT_TYPE, kind).body(body);
            let request = request.map_err(ureq::Error::Http)?;
            request.with_agent(agent).run()?
        } else {
            let request = request.body(()).map_err(ureq::Error::Http)?;
            request.with_agent(agent).run()?
        };
        let (head, mut body) = response.into_parts();
        let body = body.with_config().limit(MAX_RESPONSE).read_to_vec()?;
        Ok(RegistryResponse {
            status: head.status.as_u16(),
            headers: head.headers,
            body,
        })
    }
}
