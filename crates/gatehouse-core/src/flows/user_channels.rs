//! Channels of users, through which they hear of what is for them.

use accounts::User;
use api_conventions::ids::ChannelId;
use notifications::flow::{ChannelError, find_channel};
use notifications::model::{Channel, ChannelKind, ChannelSettingsError};

use super::channels::{ChannelValues, create_channel, update_channel};
use super::groups::Actor;
use crate::database::WriteTransaction;
use crate::vault::Vault;

/// Creates a channel of a user, and returns it, with the signing secret of a webhook. E-mail goes to the address of the account.
///
/// # Errors
/// See [`ChannelError`].
pub fn create_user_channel(
    tx: &mut dyn WriteTransaction,
    vault: &Vault,
    user: &User,
    kind: ChannelKind,
    values: &ChannelValues,
    actor: Actor,
) -> Result<(Channel, Option<String>), ChannelError> {
    let mut values = values.clone();
    check_recipient(kind, &values)?;
    if kind == ChannelKind::Email {
        values.input.recipient = Some(user.email.clone());
    }
    let input = &mut values.input;
    for events in [
        &mut input.incident_events,
        &mut input.error_events,
        &mut input.assignment_events,
    ] {
        // What a user gets is for this user, unless the user says otherwise.
        *events = events.or(Some(true));
    }
    create_channel(tx, vault, user.id.into(), kind, &values, actor)
}

/// Changes a channel of a user, and returns it.
///
/// # Errors
/// See [`ChannelError`].
pub fn update_user_channel(
    tx: &mut dyn WriteTransaction,
    vault: &Vault,
    (user, id): (&User, ChannelId),
    values: &ChannelValues,
    actor: Actor,
) -> Result<Channel, ChannelError> {
    let owner = user.id.into();
    check_recipient(find_channel(tx, owner, id)?.kind, values)?;
    update_channel(tx, vault, (owner, id), values, actor)
}

/// Refuses a recipient of an e-mail channel.
fn check_recipient(kind: ChannelKind, values: &ChannelValues) -> Result<(), ChannelError> {
    let is_given = values.input.recipient.is_some();
    if kind == ChannelKind::Email && is_given {
        return Err(ChannelSettingsError::UnusedRecipient.into());
    }
    Ok(())
}
