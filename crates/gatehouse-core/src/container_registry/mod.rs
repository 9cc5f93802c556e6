//! A container registry that trusts the tokens of this server: tokens for its clients, and calls to its HTTP API
//! (Distribution specification).

mod cleanup;
mod client;
mod manifest;
mod tags;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use api_conventions::time::Timestamp;
use projects::ImageCleanup;
use tokio::sync::{Notify, Semaphore};

pub use self::client::RegistryFailure;
use self::client::{RegistryClient, RegistryDeadline, RegistrySession};
pub use self::tags::{ImageTag, is_tag_name};
use crate::registry_keys::{
    RegistryAccess, RegistryClaims, RegistryKeyError, RegistrySigner, TOKEN_SECONDS,
};
use crate::settings::ContainerRegistrySettings;
use crate::vault::Vault;

/// Name of the service that clients and the registry state.
pub const SERVICE: &str = "container_registry";

/// Maximum number of concurrent operations on the registry. Each occupies a thread until the registry responds.
const OPERATIONS: usize = 8;
/// Time limit of an operation, with all of its calls.
const OPERATION_TIMEOUT: Duration = Duration::from_secs(20);
/// Time limit of an operation of a job.
pub(crate) const JOB_TIMEOUT: Duration = Duration::from_mins(10);

/// Token for a client of the registry.
#[derive(Debug, Clone)]
pub struct RegistryToken {
    /// The signed token.
    pub token: String,
    /// Time for which it is valid, in seconds.
    pub expires_in: i64,
}

/// A container registry that trusts the tokens of this server.
pub struct ContainerRegistry {
    settings: ContainerRegistrySettings,
    /// Issuer of tokens: the URL of this server.
    issuer: String,
    signer: RegistrySigner,
    client: Arc<RegistryClient>,
    operations: Arc<Semaphore>,
    /// Signal that a deletion of images was stored.
    cleanup_stored: Notify,
    /// True when the server stops.
    is_stopped: Arc<AtomicBool>,
}

impl ContainerRegistry {
    /// Creates the registry of a server at the URL `issuer`.
    ///
    /// # Errors
    /// See [`RegistryKeyError`].
    pub fn new(
        settings: ContainerRegistrySettings,
        vault: &Vault,
        issuer: &str,
    ) -> Result<Self, RegistryKeyError> {
        Ok(Self {
            client: Arc::new(RegistryClient::new(&settings.address)),
            settings,
            issuer: issuer.to_owned(),
            signer: RegistrySigner::new(vault)?,
            operations: Arc::new(Semaphore::new(OPERATIONS)),
            cleanup_stored: Notify::new(),
            is_stopped: Arc::default(),
        })
    }

    /// Returns the name of an image repository as clients use it, with the host of the registry.
    pub fn location(&self, name: &str) -> String {
        format!("{}/{name}", self.settings.host)
    }

    /// Issues a token for a caller. `None` if it cannot be signed.
    pub fn issue(
        &self,
        subject: &str,
        access: &[RegistryAccess],
        now: Timestamp,
    ) -> Option<RegistryToken> {
        let claims = RegistryClaims {
            issuer: &self.issuer,
            service: SERVICE,
            subject,
            access,
        };
        Some(RegistryToken {
            token: self.signer.sign(&claims, now)?,
            expires_in: TOKEN_SECONDS,
        })
    }

    /// Lists the tags of an image repository, sorted by name. An unknown repository has none.
    ///
    /// # Errors
    /// See [`RegistryFailure`].
    pub async fn list_tags(
        &self,
        name: &str,
        now: Timestamp,
    ) -> Result<Vec<String>, RegistryFailure> {
        let work = RegistrySession::list_tags;
        self.run(name, vec!["pull"], OPERATION_TIMEOUT, now, work)
            .await
    }

    /// Finds a tag of an image repository, with the facts of its image.
    ///
    /// # Errors
    /// See [`RegistryFailure`].
    pub async fn find_tag(
        &self,
        name: &str,
        tag: String,
        now: Timestamp,
    ) -> Result<Option<ImageTag>, RegistryFailure> {
        let work = move |session: &RegistrySession| session.find_tag(&tag);
        self.run(name, vec!["pull"], OPERATION_TIMEOUT, now, work)
            .await
    }

    /// Deletes a tag of an image repository. Other tags of the same image stay. Returns `false` if it does not exist.
    ///
    /// # Errors
    /// See [`RegistryFailure`].
    pub async fn delete_tag(
        &self,
        name: &str,
        tag: String,
        now: Timestamp,
    ) -> Result<bool, RegistryFailure> {
        let work = move |session: &RegistrySession| session.delete_tag(&tag);
        let actions = vec!["pull", "push", "delete"];
        self.run(name, actions, OPERATION_TIMEOUT, now, work).await
    }

    /// Deletes all tags of an image repository with their images.
    ///
    /// # Errors
    /// See [`RegistryFailure`]. Some tags may have been deleted by then.
    pub async fn delete_all_tags(&self, name: &str, now: Timestamp) -> Result<(), RegistryFailure> {
        let work = RegistrySession::delete_all_tags;
        let actions = vec!["pull", "delete"];
        self.run(name, actions, OPERATION_TIMEOUT, now, work).await
    }

    /// Carries out a deletion of images. Returns the number of deleted tags, or 0 for all.
    ///
    /// # Errors
    /// See [`RegistryFailure`]. Some tags may have been deleted by then.
    pub async fn clean_up(
        &self,
        cleanup: ImageCleanup,
        now: Timestamp,
    ) -> Result<usize, RegistryFailure> {
        let name = cleanup.name.clone();
        let work = move |session: &RegistrySession| session.clean_up(&cleanup, now);
        let actions = vec!["pull", "push", "delete"];
        self.run(&name, actions, JOB_TIMEOUT, now, work).await
    }

    /// Wakes the job that carries out deletions of images.
    pub fn wake_cleanup(&self) {
        self.cleanup_stored.notify_one();
    }

    /// Ends running operations after their current call, so that the server does not wait for a long one when it stops.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Waits until a deletion of images was stored by this process.
    pub(crate) async fn cleanup_stored(&self) {
        self.cleanup_stored.notified().await;
    }

    /// Runs an operation on a blocking thread, with a token for one image repository.
    async fn run<T: Send + 'static>(
        &self,
        name: &str,
        actions: Vec<&'static str>,
        timeout: Duration,
        now: Timestamp,
        work: impl FnOnce(&RegistrySession) -> Result<T, RegistryFailure> + Send + 'static,
    ) -> Result<T, RegistryFailure> {
        let access = [RegistryAccess::of_repository(name, actions)];
        let token = self.issue("gatehouse", &access, now);
        let token = token.ok_or(RegistryFailure::Signature)?.token;
        let permit = Arc::clone(&self.operations).try_acquire_owned();
        let permit = permit.map_err(|_| RegistryFailure::Busy)?;
        let (client, is_stopped) = (Arc::clone(&self.client), Arc::clone(&self.is_stopped));
        let name = name.to_owned();
        let running = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let until = Instant::now() + timeout;
            let deadline = RegistryDeadline { until, is_stopped };
            work(&RegistrySession::new(client, name, &token, deadline))
        });
        running.await.unwrap_or(Err(RegistryFailure::Busy))
    }
}

impl std::fmt::Debug for ContainerRegistry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut registry = f.debug_struct("ContainerRegistry");
        registry.field("settings", &self.settings);
        registry.finish_non_exhaustive()
    }
}
