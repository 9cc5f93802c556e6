//! The way to external trackers: the client of `error-tracking` is pure, and this carries its calls.
//!
//! A project's Maintainer chooses the address, so it must be assumed to be chosen by an enemy: only public addresses are
//! reached unless the administrator allows others, redirects are not followed, and time, size and number of calls are bounded.
//! What was read is remembered for a minute.

mod carrier;
mod connection;
mod http;
mod memory;
mod reach;
mod slots;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use api_conventions::ids::ProjectId;
use api_conventions::time::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use error_tracking::external::{ExternalFailure, ExternalProject, Tracker, TrackerRoot};
use url::{Host, Url};
use zeroize::Zeroizing;

use self::carrier::Carrier;
pub use self::connection::Connection;
use self::http::{Allowed, Http};
use self::memory::Memory;
use self::reach::is_public;
use self::slots::Slots;
use crate::vault::Vault;

/// Carries the calls of all projects to their trackers.
#[derive(Clone)]
pub struct Trackers(Arc<Inner>);

struct Inner {
    vault: Arc<Vault>,
    allowed: Allowed,
    http: Http,
    memory: Memory,
    slots: Slots,
}

impl std::fmt::Debug for Trackers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trackers").finish_non_exhaustive()
    }
}

impl Trackers {
    /// The way to trackers, whose tokens `vault` seals. `is_allowed` tells which addresses may be reached although they are not
    /// public.
    pub fn new(
        vault: Arc<Vault>,
        is_allowed: impl Fn(IpAddr) -> bool + Send + Sync + 'static,
    ) -> Self {
        let allowed: Allowed = Arc::new(is_allowed);
        Self(Arc::new(Inner {
            vault,
            http: Http::new(Arc::clone(&allowed)),
            allowed,
            memory: Memory::default(),
            slots: Slots::default(),
        }))
    }

    /// Seals a token for the settings of a project.
    pub fn seal(&self, project: ProjectId, token: &str) -> Vec<u8> {
        self.0.vault.seal(&context(project), token.as_bytes())
    }

    /// Seals a token for a form that comes back, so that it need not be entered twice. It can be had again for the same tracker alone.
    pub fn seal_draft(&self, project: ProjectId, root: &TrackerRoot, token: &str) -> String {
        let sealed = self.0.vault.seal(&draft(project, root), token.as_bytes());
        URL_SAFE_NO_PAD.encode(sealed)
    }

    /// The token of a form that came back; `None` for one that is not of this project and tracker.
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

    /// Whether an address names a place that may not be reached. A name is looked up only when a call is made, and then what it leads
    /// to is checked.
    pub fn forbids(&self, address: &Url) -> bool {
        let may = |address: IpAddr| is_public(address) || (self.0.allowed)(address);
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

    /// Asks the tracker of a project. What is read may be up to a minute old, but not older than the last change that was made from
    /// here.
    ///
    /// # Errors
    /// Those of `work`; [`ExternalFailure::Busy`] when too much is asked at a time, and [`ExternalFailure::Token`] when the token
    /// cannot be unsealed.
    pub async fn ask<T, F>(
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
                memory: &inner.memory,
                token: &token,
                sealed: &connection.token,
                project,
                now,
            };
            work(&Tracker::new(&connection.address, &carrier))
        })
        .await
    }

    /// The projects that a token sees on a tracker. Nothing of it is remembered, because somebody is just trying what works.
    ///
    /// # Errors
    /// As [`Self::ask`].
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

    /// The token of a connection in the clear.
    ///
    /// # Errors
    /// [`ExternalFailure::Token`].
    pub fn open(&self, connection: &Connection) -> Result<Zeroizing<String>, ExternalFailure> {
        self.0.open(connection)
    }

    /// Runs what waits for a tracker on a thread where that may wait.
    async fn carry<T, F>(&self, project: ProjectId, work: F) -> Result<T, ExternalFailure>
    where
        F: FnOnce(&Inner) -> Result<T, ExternalFailure> + Send + 'static,
        T: Send + 'static,
    {
        let inner = Arc::clone(&self.0);
        let carried = tokio::task::spawn_blocking(move || {
            let _slot = inner.slots.take(project).ok_or(ExternalFailure::Busy)?;
            work(&inner)
        });
        let done = carried.await.unwrap_or(Err(ExternalFailure::Busy));
        if let Err(failure) = &done {
            tracing::info!(project.id = project.get(), %failure, "an external tracker gave nothing");
        }
        done
    }
}

impl Inner {
    fn open(&self, connection: &Connection) -> Result<Zeroizing<String>, ExternalFailure> {
        let opened = self
            .vault
            .open(&context(connection.project), &connection.token)
            .map_err(|_| ExternalFailure::Token)?;
        let token = std::str::from_utf8(&opened).map_err(|_| ExternalFailure::Token)?;
        Ok(Zeroizing::new(token.to_owned()))
    }
}

/// What a token in a form is sealed for.
fn draft(project: ProjectId, root: &TrackerRoot) -> String {
    format!("form of project {project} for the tracker {root}")
}

/// What a token is sealed for.
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
