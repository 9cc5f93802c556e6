//! Mail of the server to people about their accounts: invitations, passwords, and access tokens that expire.
//!
//! Links with a secret are sealed in the outbox, so that anyone who reads the database alone cannot use them.

use accounts::{AccessToken, Invitation, TokenKind, User, UserKind, UserState};
use api_conventions::ids::{InvitationId, TokenId, UserId};
use api_conventions::reference::ProjectRef;
use api_conventions::time::{CalendarDate, Timestamp};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use notifications::flow::{AccountMessage, send_to_mailbox};
use notifications::model::{
    MessageContent, MessageEvent, MessageState, MessageSubject, MessageSubjectKind, OutboxMessage,
};
use storage::StoreError;
use zeroize::Zeroizing;

use crate::database::{ReadTransaction, WriteTransaction};
use crate::vault::Vault;

/// Context in which the paths of links are sealed.
const CONTEXT: &str = "path of an account message";
/// Days before the expiry of an access token at which its user gets a message.
pub const EXPIRY_NOTICE_DAYS: i32 = 7;

/// Setting of outgoing mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutgoingMail {
    /// A mail server is configured.
    On,
    /// There is none, so no message about an account is written.
    Off,
}

impl OutgoingMail {
    /// Returns the setting of a server that has a mail server or not.
    pub const fn of(is_configured: bool) -> Self {
        if is_configured { Self::On } else { Self::Off }
    }
}

const fn subject(kind: MessageSubjectKind, id: i64) -> MessageSubject {
    MessageSubject { kind, id }
}

/// Seals the path of a link with a secret for the content of a message.
pub(super) fn seal_path(vault: &Vault, path: &str) -> String {
    STANDARD.encode(vault.seal(CONTEXT, path.as_bytes()))
}

/// Opens the sealed path of a link. `None` if it was sealed under another key.
pub(crate) fn open_path(vault: &Vault, sealed: &str) -> Option<Zeroizing<String>> {
    let sealed = STANDARD.decode(sealed).ok()?;
    let opened = vault.open(CONTEXT, &sealed).ok()?;
    Some(Zeroizing::new(
        std::str::from_utf8(&opened).ok()?.to_owned(),
    ))
}

/// Writes a message to a user, unless the account has no address.
pub(super) fn send_to_user(
    tx: &mut dyn WriteTransaction,
    user: &User,
    event: MessageEvent,
    content: MessageContent,
    now: Timestamp,
) -> Result<(), StoreError> {
    if user.email.is_empty() {
        return Ok(());
    }
    let message = AccountMessage {
        address: user.email.clone(),
        event,
        subject: subject(MessageSubjectKind::Account, user.id.get()),
        content: MessageContent {
            service: user.username.as_str().to_owned(),
            ..content
        },
    };
    send_to_mailbox(tx, message, now)
}

/// Writes the message that a password was changed, and cancels the messages with links to change the old one.
pub(super) fn announce_password_change(
    tx: &mut dyn WriteTransaction,
    user: &User,
    mail: OutgoingMail,
    now: Timestamp,
) -> Result<(), StoreError> {
    if mail == OutgoingMail::Off {
        return Ok(());
    }
    let links = [subject(MessageSubjectKind::Account, user.id.get())];
    tx.close_messages_about(&links, MessageState::Obsolete, now)?;
    let content = MessageContent::default();
    send_to_user(tx, user, MessageEvent::PasswordChanged, content, now)
}

/// Writes the message of an invitation to its address, if it has one, with the path of the link that accepts it.
///
/// # Errors
/// Failures of the store.
pub fn send_invitation(
    tx: &mut dyn WriteTransaction,
    vault: &Vault,
    invitation: &Invitation,
    path: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    let Some(address) = invitation.email.clone() else {
        return Ok(());
    };
    let creator = match invitation.creator_id {
        Some(id) => tx.find_user(id)?,
        None => None,
    };
    let message = AccountMessage {
        address,
        event: MessageEvent::Invitation,
        subject: subject(MessageSubjectKind::Invitation, invitation.id.get()),
        content: MessageContent {
            title: creator.map_or_else(|| "An administrator".to_owned(), |user| user.name),
            ended_at: Some(invitation.expires_at),
            sealed_path: Some(seal_path(vault, path)),
            ..MessageContent::default()
        },
    };
    send_to_mailbox(tx, message, now)
}

/// Writes messages about access tokens that expire within [`EXPIRY_NOTICE_DAYS`], each once, for at most `limit` tokens. Tokens
/// that were created for no longer than that have none. Returns the number of tokens.
///
/// # Errors
/// Failures of the store.
pub fn announce_token_expiries(
    tx: &mut dyn WriteTransaction,
    now: Timestamp,
    limit: usize,
) -> Result<usize, StoreError> {
    let today = now.date();
    let days = today.as_days().saturating_add(EXPIRY_NOTICE_DAYS + 1);
    let before = CalendarDate::from_days(days).unwrap_or(CalendarDate::LAST);
    let due = tx.announce_expiring_tokens(today, before, limit)?;
    for token in &due {
        let created = token.created_at.date().as_days();
        if token.expires_on.as_days().saturating_sub(created) > EXPIRY_NOTICE_DAYS {
            announce_token_expiry(tx, token, now)?;
        }
    }
    Ok(due.len())
}

fn announce_token_expiry(
    tx: &mut dyn WriteTransaction,
    token: &AccessToken,
    now: Timestamp,
) -> Result<(), StoreError> {
    let responsible = match token.kind {
        TokenKind::Personal => Some(token.user_id),
        // These act as a bot, or for somebody who does not know of them.
        TokenKind::Impersonation | TokenKind::Project(_) | TokenKind::Group(_) => token.creator_id,
    };
    let user = match responsible {
        Some(id) => tx.find_user(id)?.filter(is_reachable),
        None => None,
    };
    let Some(user) = user else {
        return Ok(());
    };
    let message = AccountMessage {
        address: user.email.clone(),
        event: MessageEvent::TokenExpiry,
        subject: subject(MessageSubjectKind::Token, token.id.get()),
        content: MessageContent {
            title: token.name.clone(),
            service: user.username.as_str().to_owned(),
            ended_at: Some(token.expires_on.start()),
            ..MessageContent::default()
        },
    };
    send_to_mailbox(tx, message, now)
}

/// True for a person with an active account and an address.
pub(super) fn is_reachable(user: &User) -> bool {
    user.kind == UserKind::Human && user.state == UserState::Active && !user.email.is_empty()
}

/// Returns the path that a message about an account links to; `None` if the message is of no use any more. A link with a secret
/// replaces it.
pub(crate) fn find_account_path<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    message: &OutboxMessage,
    now: Timestamp,
) -> Result<Option<String>, StoreError> {
    let id = message.subject.id;
    match message.subject.kind {
        MessageSubjectKind::Account => {
            let user = tx.find_user(UserId::new(id))?.filter(is_reachable);
            Ok(user.map(|_| "/profile".to_owned()))
        }
        MessageSubjectKind::Invitation => {
            let found = tx.find_invitation(InvitationId::new(id))?;
            let found = found.filter(|invitation| !invitation.is_expired(now));
            Ok(found.map(|_| String::new()))
        }
        MessageSubjectKind::Token => {
            let token = tx.find_token(TokenId::new(id))?;
            let token = token.filter(|token| token.is_usable(now));
            token.map(|token| path_of_tokens(tx, &token)).transpose()
        }
        _ => Ok(Some(String::new())),
    }
}

/// Returns the path of the page on which a token is rotated.
fn path_of_tokens<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    token: &AccessToken,
) -> Result<String, StoreError> {
    let of_place = |path: Option<String>| {
        path.map_or_else(String::new, |path| {
            format!("/{path}/-/settings/access_tokens")
        })
    };
    Ok(match token.kind {
        TokenKind::Personal => "/profile/personal_access_tokens".to_owned(),
        TokenKind::Impersonation => String::new(),
        TokenKind::Project(id) => {
            let project = tx.find_project(&ProjectRef::Id(id))?;
            of_place(project.map(|project| project.full_path.as_str().to_owned()))
        }
        TokenKind::Group(id) => {
            let group = tx.find_namespace_by_id(id)?;
            of_place(group.map(|group| format!("groups/{}", group.full_path.as_str())))
        }
    })
}
