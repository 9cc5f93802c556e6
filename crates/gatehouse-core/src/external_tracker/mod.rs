//! Transport to external trackers: the client in `error-tracking` does no I/O, and this module sends its calls.
//!
//! A project's Maintainer chooses the address, so it must be treated as hostile: only public addresses are contacted
//! unless the administrator allows others, redirects are not followed, and time, size and number of calls are bounded.
//! Responses are cached for a minute.

mod carrier;
mod connection;
mod http;
mod response_cache;
mod slots;

use std::net::IpAddr;
use std::sync::Arc;

use api_conventions::ids::ProjectId;
use api_conventions::time::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use error_tracking::external::{ExternalFailure, ExternalProject, Tracker, TrackerRoot};
use url::Url;
use zeroize::Zeroizing;

use self::carrier::Carrier;
pub use self::connection::Connection;
use self::http::Http;
use self::response_cache::ResponseCache;
use self::slots::Slots;
use crate::http_client::{self, AddressPermission};
use crate::vault::Vault;

/// Sends the calls of all projects to their trackers.
#[derive(Clone)]
pub struct Trackers(Arc<TrackersInner>);

struct TrackersInner {
    vault: Arc<Vault>,
    allowed: AddressPermission,
    http: Http,
    cache: ResponseCache,
    slots: Slots,
}

impl std::fmt::Debug for Trackers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trackers").finish_non_exhaustive()
    }
}

impl Trackers {
    /// Creates the transport. `vault` seals the tokens, and `is_allowed` returns true for non-public addresses that may
    /// be contacted anyway.
    pub fn new(
        vault: Arc<Vault>,
        is_allowed: impl Fn(IpAddr) -> bool + Send + Sync + 'static,
    ) -> Self {
        let allowed: AddressPermission = Arc::new(is_allowed);
        Self(Arc::new(TrackersInner {
            vault,
            http: Http::new(Arc::clone(&allowed)),
            allowed,
            cache: ResponseCache::default(),
            slots: Slots::default(),
        }))
    }

    /// Seals a token for the settings of a project.
    pub fn seal(&self, project: ProjectId, token: &str) -> Vec<u8> {
        self.0.vault.seal(&context(project), token.as_bytes())
    }

    /// Seals a token for a form that is shown again, so that users need not enter it twice. It can be opened only for
    /// the same tracker.
    pub fn seal_draft(&self, project: ProjectId, root: &TrackerRoot, token: &str) -> String {
        let sealed = self.0.vault.seal(&draft(project, root), token.as_bytes());
        URL_SAFE_NO_PAD.encode(sealed)
    }

    /// Opens the token of a resubmitted form; `None` if it was sealed for another project or tracker.
    pub fn open_draft(
        &self,
        project: ProjectId,
        root: &TrackerRoot,
        sealed: &str,
    ) -> Option<Zeroizing<String>> {
        let sealed = URL_SAFE_NO_PAD.decode(sealed).ok()?;
        let opened = self.0.vault.open(&draft(project, root), &sealed).ok()?;
        Some(Zeroizing::new(
            std::str::from_utf8(&opened).ok()?.to_owned(),
        ))
    }

    /// True if an address names a host that may not be contacted.
    /// Host names are resolved only when a call is made; their addresses are checked then.
    pub fn forbids(&self, address: &Url) -> bool {
        http_client::forbids(&self.0.allowed, address)
    }

    /// Runs calls to the tracker of a project.
    /// Responses may be up to a minute old, but never older than the last change made by this server.
    ///
    /// # Errors
    /// Those of `work`; [`ExternalFailure::Busy`] when too many calls are running, and [`ExternalFailure::Token`] when
    /// the token cannot be opened.
    pub async fn call<T, F>(
        &self,
        connection: &Connection,
        now: Timestamp,
        work: F,
    ) -> Result<T, ExternalFailure>
    where
        F: FnOnce(&Tracker<'_, Carrier<'_>>) -> Result<T, ExternalFailure> + Send + 'static,
        T: Send + 'static,
    {
        let connection = connection.clone();
        let project = connection.project;
        self.carry(project, move |inner| {
            let token = inner.open(&connection)?;
            let carrier = Carrier {
                http: &inner.http,
                cache: &inner.cache,
                token: &token,
                sealed: &connection.token,
                project,
                now,
            };
            work(&Tracker::new(&connection.address, &carrier))
        })
        .await
    }

    /// Lists the projects that a token can access on a tracker. Nothing is cached, because the user is still trying
    /// settings.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub async fn projects(
        &self,
        project: ProjectId,
        root: TrackerRoot,
        token: Zeroizing<String>,
    ) -> Result<Vec<ExternalProject>, ExternalFailure> {
        self.carry(project, move |inner| {
            Tracker::projects(&root, &inner.http.with(&token))
        })
        .await
    }

    /// Returns the token of a connection in plain text.
    ///
    /// # Errors
    /// [`ExternalFailure::Token`].
    pub fn open(&self, connection: &Connection) -> Result<Zeroizing<String>, ExternalFailure> {
        self.0.open(connection)
    }

    /// Runs blocking calls to a tracker on a blocking thread.
    async fn carry<T, F>(&self, project: ProjectId, work: F) -> Result<T, ExternalFailure>
    where
        F: FnOnce(&TrackersInner) -> Result<T, ExternalFailure> + Send + 'static,
        T: Send + 'static,
    {
        let inner = Arc::clone(&self.0);
        let carried = tokio::task::spawn_blocking(move || {
            let _slot = inner.slots.take(project).ok_or(ExternalFailure::Busy)?;
            work(&inner)
        });
        let done = carried.await.unwrap_or(Err(ExternalFailure::Busy));
        if let Err(failure) = &done {
            tracing::info!(project.id = project.get(), %failure, "request to the external tracker failed");
        }
        done
    }
}

impl TrackersInner {
    fn open(&self, connection: &Connection) -> Result<Zeroizing<String>, ExternalFailure> {
        let opened = self
            .vault
            .open(&context(connection.project), &connection.token)
            .map_err(|_| ExternalFailure::Token)?;
        let token = std::str::from_utf8(&opened).map_err(|_| ExternalFailure::Token)?;
        Ok(Zeroizing::new(token.to_owned()))
    }
}

/// Context of a token that is sealed for a form.
fn draft(project: ProjectId, root: &TrackerRoot) -> String {
    format!("form of project {project} for the tracker {root}")
}

/// Context of a token that is sealed for the settings.
fn context(project: ProjectId) -> String {
    format!("external tracker of project {project}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::SecretKey;

    fn trackers(allowed: &'static str) -> Trackers {
        let vault = Vault::new(&SecretKey::parse(&"07".repeat(32)).unwrap());
        Trackers::new(Arc::new(vault), move |address| {
            address.to_string() == allowed
        })
    }

    #[test]
    fn addresses_that_are_not_public_are_forbidden_unless_they_are_allowed() {
        for (allowed, address, is_forbidden) in [
            ("", "https://t.example/", false),
            ("", "https://1.1.1.1/", false),
            ("", "http://127.0.0.1:9000/", true),
            ("", "http://0x7f.1/", true),
            ("", "http://2130706433/", true),
            ("", "http://[::1]/", true),
            ("", "http://localhost/", true),
            ("", "http://a.localhost./", true),
            ("", "http://169.254.169.254/", true),
            ("127.0.0.1", "http://127.0.0.1/", false),
            ("127.0.0.1", "http://localhost/", false),
            ("127.0.0.1", "http://127.0.0.2/", true),
        ] {
            let address = Url::parse(address).unwrap();
            assert_eq!(
                trackers(allowed).forbids(&address),
                is_forbidden,
                "{address}"
            );
        }
    }

    #[test]
    fn a_token_in_a_form_is_for_its_project_and_tracker_alone() {
        let trackers = trackers("");
        let root = TrackerRoot::parse("https://t.example").unwrap();
        let sealed = trackers.seal_draft(ProjectId::new(1), &root, "secret");
        let opened = |project, root: &TrackerRoot, sealed: &str| {
            let opened = trackers.open_draft(ProjectId::new(project), root, sealed);
            opened.map(|token| token.to_string())
        };
        assert_eq!(opened(1, &root, &sealed).as_deref(), Some("secret"));
        assert_eq!(opened(2, &root, &sealed), None);
        let other = TrackerRoot::parse("https://evil.example").unwrap();
        assert_eq!(opened(1, &other, &sealed), None);
        assert_eq!(opened(1, &root, "x"), None);
    }
}
