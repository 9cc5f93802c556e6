//! Changes to the notification channels of projects and users, with their secrets, and with entries in the audit log of the
//! project or user.
//!
//! The caller must check that the actor may configure channels.

use accounts::{AuditDetails, AuditEntity, AuditEventName, NewAuditEntry};
use api_conventions::ids::ChannelId;
use api_conventions::reference::ProjectRef;
use api_conventions::secret::SecretSource as _;
use notifications::flow::{self, ChannelError, ChannelInput};
use notifications::formats::secret_of;
use notifications::model::{
    Channel, ChannelKind, ChannelOwner, ChannelSettings, DeliveryAttempt, NewChannel,
    OutboxMessage, SealedSecret,
};
use projects::Project;
use storage::StoreError;
use url::Url;
use zeroize::Zeroizing;

use super::groups::Actor;
use super::hand_over::resolve_schedule;
use crate::database::{ReadTransaction, WriteTransaction};
use crate::randomness::OsRandomness;
use crate::vault::Vault;

/// Number of random bytes of a signing secret.
const SIGNING_BYTES: usize = 32;

/// Values of a channel to be created or changed, as users give them.
#[derive(Debug, Clone, Default)]
pub struct ChannelValues {
    /// Settings. The URL of a kind with a secret one is whole here.
    pub input: ChannelInput,
    /// Access token, for kinds that have one. It replaces the stored one; an empty one removes that of a project hook.
    pub token: Option<String>,
}

impl ChannelValues {
    /// Checks the token of a project hook.
    fn check_token(&self) -> Result<(), ChannelError> {
        let token = self.token.as_deref().unwrap_or_default();
        Ok(ChannelSettings::check_hook_token(token)?)
    }

    /// Seals the secrets of a channel of this kind, and leaves only the origin of a secret URL in the settings.
    fn sealed(&self, vault: &Vault, owner: ChannelOwner, kind: ChannelKind) -> ChannelInput {
        let mut input = self.input.clone();
        let token = self.token.as_deref().filter(|token| !token.is_empty());
        if kind.has_secret_url() {
            let url = self.input.url.as_deref();
            if let Some(whole) = url.and_then(|url| Url::parse(url).ok())
                && matches!(whole.scheme(), "http" | "https")
            {
                input.secret = Some(Some(seal(vault, owner, whole.as_str())));
                input.url = Some(whole.origin().ascii_serialization());
            }
        } else if matches!(kind, ChannelKind::Matrix | ChannelKind::Ntfy) {
            input.secret = token.map(|token| Some(seal(vault, owner, token)));
        } else if kind == ChannelKind::ProjectHook {
            // An empty token is one that is given, too: it removes the stored one.
            input.secret = self
                .token
                .as_ref()
                .map(|_| token.map(|token| seal(vault, owner, token)));
        }
        input
    }
}

/// Largest number of messages of a queue that are counted.
pub const MAX_COUNTED: usize = 1_000;

/// A channel with messages that wait.
#[derive(Debug, Clone)]
pub struct ChannelQueue {
    /// The channel.
    pub channel: Channel,
    /// Project of the channel; `None` for a channel of a user or the server.
    pub project: Option<Project>,
    /// Number of messages that wait, at most [`MAX_COUNTED`].
    pub waiting: usize,
    /// Message to be sent next.
    pub next: OutboxMessage,
    /// Last attempt to send it.
    pub last: Option<DeliveryAttempt>,
}

/// Lists all channels with messages that wait, those with the most failures first, at most `limit`. Channels
/// of projects that are being deleted are left out.
///
/// # Errors
/// Failures of the store.
pub fn list_queues<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    limit: usize,
) -> Result<Vec<ChannelQueue>, StoreError> {
    let mut queues = Vec::new();
    for channel in tx.list_waiting_channels(limit)? {
        // A channel that was turned off keeps its place until its next look at the queue, which is empty.
        let next = tx.find_next_message(channel.id)?;
        let project = match channel.owner.project() {
            Some(id) => Some(tx.find_project(&ProjectRef::Id(id))?),
            None => None,
        };
        let Some(next) = next.filter(|_| project != Some(None)) else {
            continue;
        };
        let attempts = tx.list_attempts(&[next.id])?;
        queues.push(ChannelQueue {
            waiting: tx.count_pending_messages(channel.id, MAX_COUNTED)?,
            project: project.flatten(),
            next,
            last: attempts.into_iter().next_back(),
            channel,
        });
    }
    Ok(queues)
}

/// Creates a channel, and returns it, with the signing secret of a webhook.
///
/// # Errors
/// See [`ChannelError`].
pub fn create_channel(
    tx: &mut dyn WriteTransaction,
    vault: &Vault,
    owner: ChannelOwner,
    kind: ChannelKind,
    values: &ChannelValues,
    actor: Actor,
) -> Result<(Channel, Option<String>), ChannelError> {
    lock_for_new_channel(tx, owner)?;
    let mut input = values.sealed(vault, owner, kind);
    resolve_schedule(tx, owner, kind, &mut input)?;
    let defaults = if kind == ChannelKind::ProjectHook {
        values.check_token()?;
        ChannelSettings::of_hook()
    } else {
        // Alerts open incidents, and errors can open alerts; two messages about one cause are too many unless somebody
        // wants them.
        ChannelSettings {
            incident_events: false,
            error_events: false,
            ..ChannelSettings::new("")
        }
    };
    let signing = (kind == ChannelKind::Webhook).then(signing_secret);
    let secret = signing
        .as_deref()
        .map(|secret| seal(vault, owner, secret))
        .or_else(|| input.secret.clone().flatten());
    let new = NewChannel {
        owner,
        kind,
        settings: input.settings(defaults),
        secret,
        created_at: actor.now,
    };
    let created = flow::create_channel(tx, &new)?;
    note_change(tx, &created, "created", actor)?;
    Ok((created, signing))
}

/// Takes a lock without which two concurrent requests could both create the last channel that an owner may have. The
/// lock of a user is shared, so it is that of the user's first channel.
fn lock_for_new_channel(
    tx: &mut dyn WriteTransaction,
    owner: ChannelOwner,
) -> Result<(), StoreError> {
    match owner {
        ChannelOwner::Project(project) => {
            tx.lock_project(project, &[])?;
        }
        ChannelOwner::User(user) => {
            if let Some(first) = tx.list_user_channels(&[user], 1)?.first() {
                tx.lock_channel(first.id)?;
            }
        }
        ChannelOwner::Server => {}
    }
    Ok(())
}

/// Changes a channel, and returns it.
///
/// # Errors
/// See [`ChannelError`].
pub fn update_channel(
    tx: &mut dyn WriteTransaction,
    vault: &Vault,
    (owner, id): (ChannelOwner, ChannelId),
    values: &ChannelValues,
    actor: Actor,
) -> Result<Channel, ChannelError> {
    let before = flow::find_channel(tx, owner, id)?;
    let mut input = values.sealed(vault, owner, before.kind);
    resolve_schedule(tx, owner, before.kind, &mut input)?;
    if before.kind == ChannelKind::ProjectHook {
        values.check_token()?;
        // The token is for the receiver at the old URL.
        let is_moved = input
            .url
            .as_ref()
            .is_some_and(|url| *url != before.settings.url);
        input.secret = input.secret.or(is_moved.then_some(None));
    }
    let changed = flow::update_channel(tx, owner, id, &input, actor.now)?;
    note_change(tx, &changed, "other settings", actor)?;
    Ok(changed)
}

/// Gives a webhook a new signing secret, and returns it. The old one is not used any more.
///
/// # Errors
/// [`ChannelError::NotFound`] also for a channel of another kind; failures of the store.
pub fn rotate_secret(
    tx: &mut dyn WriteTransaction,
    vault: &Vault,
    (owner, id): (ChannelOwner, ChannelId),
    actor: Actor,
) -> Result<(Channel, String), ChannelError> {
    let before = flow::find_channel(tx, owner, id)?;
    if before.kind != ChannelKind::Webhook {
        return Err(ChannelError::NotFound);
    }
    let secret = signing_secret();
    let input = ChannelInput {
        secret: Some(Some(seal(vault, owner, &secret))),
        ..ChannelInput::default()
    };
    let changed = flow::update_channel(tx, owner, id, &input, actor.now)?;
    note_change(tx, &changed, "new secret", actor)?;
    Ok((changed, secret))
}

/// Deletes a channel. The messages that were sent stay in the list.
///
/// # Errors
/// See [`ChannelError`].
pub fn delete_channel(
    tx: &mut dyn WriteTransaction,
    (owner, id): (ChannelOwner, ChannelId),
    actor: Actor,
) -> Result<Channel, ChannelError> {
    let channel = flow::find_channel(tx, owner, id)?;
    flow::delete_channel(tx, owner, id, actor.now)?;
    note_change(tx, &channel, "deleted", actor)?;
    Ok(channel)
}

/// Returns the signing secret of a webhook, to be shown to those who configure it. `None` for other kinds, and if it was
/// sealed under another key.
pub fn signing_secret_of(vault: &Vault, channel: &Channel) -> Option<String> {
    let secret = (channel.kind == ChannelKind::Webhook).then(|| open_secret(vault, channel));
    secret.flatten().map(|secret| secret.as_str().to_owned())
}

/// Opens the secret of a channel. `None` if there is none, or if it was sealed under another key.
pub(crate) fn open_secret(vault: &Vault, channel: &Channel) -> Option<Zeroizing<String>> {
    let sealed = channel.secret.as_ref()?;
    let opened = vault.open(&context(channel.owner), &sealed.0).ok()?;
    Some(Zeroizing::new(
        std::str::from_utf8(&opened).ok()?.to_owned(),
    ))
}

fn seal(vault: &Vault, owner: ChannelOwner, secret: &str) -> SealedSecret {
    SealedSecret(vault.seal(&context(owner), secret.as_bytes()))
}

fn context(owner: ChannelOwner) -> String {
    match owner {
        ChannelOwner::Project(id) => format!("notification channel project {id}"),
        ChannelOwner::User(id) => format!("notification channel user {id}"),
        ChannelOwner::Server => "notification channel server".to_owned(),
    }
}

fn signing_secret() -> String {
    let mut bytes = Zeroizing::new([0; SIGNING_BYTES]);
    OsRandomness.fill(bytes.as_mut_slice());
    secret_of(bytes.as_slice())
}

fn note_change(
    tx: &mut dyn WriteTransaction,
    channel: &Channel,
    to: &str,
    actor: Actor,
) -> Result<(), StoreError> {
    let entity = match channel.owner {
        ChannelOwner::Project(id) => AuditEntity::Project(id),
        ChannelOwner::User(id) => AuditEntity::User(id),
        // Nobody configures the mailboxes of the server.
        ChannelOwner::Server => return Ok(()),
    };
    let name = channel.settings.name.as_str();
    tx.insert_audit_entries(&[NewAuditEntry {
        author_id: Some(actor.id),
        entity,
        event_name: AuditEventName::SettingChanged,
        target: None,
        details: AuditDetails::new(&[("notification_channel", name), ("to", to)]),
        created_at: actor.now,
        impersonator_id: None,
    }])
}
