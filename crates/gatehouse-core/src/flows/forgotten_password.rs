//! New passwords for people who forgot theirs, through a link in a mail.
//!
//! The link is not stored: it contains the account, the time until which it is valid, and a digest of the current password, sealed
//! by the server. So it stops working with the next change of the password.

use accounts::password::PasswordHash;
use accounts::{AuditEventName, Credentials, User};
use api_conventions::ids::UserId;
use api_conventions::secret::{PlainSecret, SecretDigest};
use api_conventions::time::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use notifications::model::{MessageContent, MessageEvent};
use serde::{Deserialize, Serialize};
use storage::StoreError;

use super::account::replace_password;
use super::account_mail::{OutgoingMail, is_reachable, seal_path, send_to_user};
use super::users::{AccountEditor, record};
use crate::database::{ReadTransaction, WriteTransaction};
use crate::vault::Vault;

/// Context in which the secrets of links are sealed.
const CONTEXT: &str = "password reset";
/// Seconds for which a link is valid.
const VALID_SECONDS: i64 = 2 * 60 * 60;
/// Largest number of messages to an address in an hour, above which none is added for forgotten passwords.
const MAX_HOURLY: usize = 5;
/// Seconds of the period in which messages are counted.
const HOUR: i64 = 60 * 60;

/// Content of the secret of a link.
#[derive(Debug, Serialize, Deserialize)]
struct PasswordResetClaims {
    user: i64,
    /// First second (Unix) at which the link is no longer valid.
    expires: i64,
    /// Digest of the hash of the password that the link replaces.
    password: String,
}

/// Writes a message with a link to choose a new password to the person with this username or email address. Writes nothing if
/// there is no such person, if the account is not active or has no password, or if the address got too many messages. Callers
/// must not show the difference.
///
/// `base` is the beginning of the path of the link, to which its secret is appended. Returns `true` if a message was written.
///
/// # Errors
/// Failures of the store.
pub fn request_password_reset(
    tx: &mut dyn WriteTransaction,
    vault: &Vault,
    login: &str,
    base: &str,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let Some(found) = tx.find_credentials(login)? else {
        return Ok(false);
    };
    let Some(password) = digest_of(&found) else {
        return Ok(false);
    };
    let user = found.user;
    if !is_reachable(&user) || is_flooded(tx, &user.email, now)? {
        return Ok(false);
    }
    let expires_at = now.plus_seconds(VALID_SECONDS);
    let claims = PasswordResetClaims {
        user: user.id.get(),
        expires: expires_at.as_unix_seconds(),
        password,
    };
    let secret = URL_SAFE_NO_PAD.encode(vault.seal(CONTEXT, &encode(&claims)));
    let content = MessageContent {
        ended_at: Some(expires_at),
        sealed_path: Some(seal_path(vault, &format!("{base}/{secret}"))),
        ..MessageContent::default()
    };
    send_to_user(tx, &user, MessageEvent::PasswordReset, content, now)?;
    Ok(true)
}

#[expect(
    clippy::expect_used,
    reason = "numbers and texts always serialize to JSON"
)]
fn encode(claims: &PasswordResetClaims) -> Vec<u8> {
    serde_json::to_vec(claims).expect("claims serialize to JSON")
}

/// True if a message to this address waits, or too many were sent in the last hour.
fn is_flooded(
    tx: &mut dyn WriteTransaction,
    address: &str,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let Some(mailbox) = tx.find_mailbox(address)? else {
        return Ok(false);
    };
    let since = now.plus_seconds(-HOUR);
    Ok(tx.count_pending_messages(mailbox.id, MAX_HOURLY)? > 0
        || tx.count_sent_messages(mailbox.id, since, MAX_HOURLY)? >= MAX_HOURLY)
}

/// Digest of the current password; `None` for an account without one.
fn digest_of(credentials: &Credentials) -> Option<String> {
    let hash = credentials.password.as_ref()?;
    let digest = SecretDigest::of(hash.as_str());
    Some(URL_SAFE_NO_PAD.encode(digest.as_bytes()))
}

/// Returns the user whose password a link changes. `None` if the link is wrong or has expired, if the password was changed since,
/// and if the account is not active. Writes nothing.
///
/// # Errors
/// Failures of the store.
pub fn find_password_reset<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    vault: &Vault,
    secret: &PlainSecret,
    now: Timestamp,
) -> Result<Option<User>, StoreError> {
    Ok(find_credentials_to_reset(tx, vault, secret, now)?.map(|found| found.user))
}

/// Returns the user whose password a link changes, and the password.
fn find_credentials_to_reset<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    vault: &Vault,
    secret: &PlainSecret,
    now: Timestamp,
) -> Result<Option<Credentials>, StoreError> {
    let sealed = URL_SAFE_NO_PAD.decode(secret.reveal()).ok();
    let opened = sealed.and_then(|sealed| vault.open(CONTEXT, &sealed).ok());
    let claims: Option<PasswordResetClaims> =
        opened.and_then(|opened| serde_json::from_slice(&opened).ok());
    let Some(claims) = claims.filter(|claims| now.as_unix_seconds() < claims.expires) else {
        return Ok(None);
    };
    let found = tx.find_credentials_of(UserId::new(claims.user))?;
    let found = found.filter(|found| digest_of(found).as_deref() == Some(claims.password.as_str()));
    Ok(found.filter(|found| is_reachable(&found.user)))
}

/// Sets a new password through a link, as [`reset_password`](super::account::reset_password) does, and returns the user. Returns
/// `None` and sets no password if the link is not valid; of two uses at the same time, one is valid.
///
/// # Errors
/// Failures of the store.
pub fn reset_forgotten_password(
    tx: &mut dyn WriteTransaction,
    vault: &Vault,
    secret: &PlainSecret,
    new: &PasswordHash,
    now: Timestamp,
) -> Result<Option<User>, StoreError> {
    let Some(found) = find_credentials_to_reset(tx, vault, secret, now)? else {
        return Ok(None);
    };
    let (user, replaced) = (found.user, found.password);
    if !replace_password(tx, &user, new, replaced.as_ref(), OutgoingMail::On, now)? {
        return Ok(None);
    }
    let by = AccountEditor {
        id: Some(user.id),
        now,
    };
    let fields = [
        ("username", user.username.as_str()),
        ("changed", "forgotten password"),
    ];
    record(tx, user.id, AuditEventName::PasswordChanged, &fields, by)?;
    Ok(Some(user))
}
