//! Administration of accounts, with entries in the audit log.

use accounts::flow::find_user::find_present_user;
use accounts::flow::update_user::{UpdateUserError, update_user};
use accounts::password::PasswordHash;
use accounts::{
    AuditDetails, AuditEntity, AuditEventName, NewAuditEntry, NewUser, StateChange, User,
    UserChange, UserKind, UserState,
};
use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::account::{change_user_state, reset_password};
use super::account_mail::OutgoingMail;
use super::create_user::{CreateUserError, create_user};
use super::groups::Actor;
use crate::database::{ReadTransaction, WriteTransaction};

/// Author and time of a change to an account.
#[derive(Debug, Clone, Copy)]
pub struct AccountEditor {
    /// Id of the administrator; `None` for the command line.
    pub id: Option<UserId>,
    /// Time of the change.
    pub now: Timestamp,
}

/// Reasons why the state of an account is not changed. Nothing is stored then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateChangeError {
    /// There is no such user.
    #[error("the user does not exist")]
    Unknown,
    /// The state or the kind of the account does not allow the change; the text says why.
    #[error("{0}")]
    Refused(&'static str),
    /// The caller is no administrator any more.
    #[error("the caller is not an administrator")]
    Forbidden,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Creates an account and its namespace.
///
/// # Errors
/// See [`CreateUserError`].
pub fn create_user_by(
    tx: &mut dyn WriteTransaction,
    request: &NewUser,
    private_profile: bool,
    by: AccountEditor,
) -> Result<User, CreateUserError> {
    let mut user = create_user(tx, request)?;
    if private_profile {
        tx.update_user(user.id, &UserChange::of_privacy(true))?;
        user.private_profile = true;
    }
    let is_admin = user.is_admin.to_string();
    let fields = [
        ("username", user.username.as_str()),
        ("admin", is_admin.as_str()),
    ];
    record(tx, user.id, AuditEventName::UserCreated, &fields, by)?;
    Ok(user)
}

/// Updates an account on behalf of the user `by`, as [`update_user`] does. Administrators also set a password, which ends
/// the sessions of the user and revokes the authorizations of applications.
///
/// # Errors
/// See [`UpdateUserError`].
pub fn update_user_by(
    tx: &mut dyn WriteTransaction,
    id: UserId,
    change: &UserChange,
    password: Option<(&PasswordHash, OutgoingMail)>,
    by: Actor,
) -> Result<User, UpdateUserError> {
    let (by, now) = (by.id, by.now);
    if password.is_some() && !is_administrator(tx, by)? {
        return Err(UpdateUserError::Forbidden);
    }
    let before = tx.find_user(id)?;
    let user = update_user(tx, id, change.clone(), by)?;
    if let Some((password, mail)) = password {
        reset_password(tx, &user, password, mail, now)?;
    }
    let is_changed = |differs: fn(&User, &User) -> bool| {
        before.as_ref().is_some_and(|before| differs(before, &user))
    };
    let changed = [
        (
            "name",
            by != id && is_changed(|old, new| old.name != new.name),
        ),
        ("email", is_changed(|old, new| old.email != new.email)),
        ("admin", is_changed(|old, new| old.is_admin != new.is_admin)),
        ("password", password.is_some()),
    ];
    let names = changed.into_iter().filter(|(_, is_changed)| *is_changed);
    let names: Vec<&str> = names.map(|(name, _)| name).collect();
    if !names.is_empty() {
        let (names, is_admin) = (names.join(", "), user.is_admin.to_string());
        let fields = [
            ("username", user.username.as_str()),
            ("changed", names.as_str()),
            ("admin", is_admin.as_str()),
        ];
        let by = AccountEditor { id: Some(by), now };
        record(tx, id, AuditEventName::UserUpdated, &fields, by)?;
    }
    Ok(user)
}

/// Changes the state of an account, and returns the account. Blocking, banning and deactivating end all sessions and
/// revoke all OAuth grants; tokens are refused until the account is active again.
///
/// # Errors
/// See [`StateChangeError`]. Administrators cannot end their own power, so one administrator always stays active.
pub fn change_state(
    tx: &mut dyn WriteTransaction,
    id: UserId,
    change: StateChange,
    by: AccountEditor,
) -> Result<User, StateChangeError> {
    let user = find_present_user(tx, id)?.ok_or(StateChangeError::Unknown)?;
    check_power(tx, id, change.is_revocation(), by)?;
    if user.kind != UserKind::Human {
        return Err(StateChangeError::Refused(
            "An internal user cannot be changed",
        ));
    }
    if change == StateChange::Deactivate && was_used(tx, id, by.now)? {
        return Err(StateChangeError::Refused(
            "The user you are trying to deactivate has been active in the past 90 days and cannot be deactivated",
        ));
    }
    let state = change
        .apply(user.state, by.now)
        .map_err(StateChangeError::Refused)?;
    if state == user.state {
        return Ok(user);
    }
    change_user_state(tx, id, state, by.now)?;
    let fields = [("username", user.username.as_str())];
    record(tx, id, change.event_name(), &fields, by)?;
    Ok(User { state, ..user })
}

/// Checks that the author is an active administrator, and no other transaction ends that before the commit: two
/// administrators who block each other at the same time would leave none.
pub(super) fn check_power(
    tx: &mut dyn WriteTransaction,
    id: UserId,
    is_revocation: bool,
    by: AccountEditor,
) -> Result<(), StateChangeError> {
    let Some(author) = by.id.filter(|_| is_revocation) else {
        return Ok(());
    };
    if author == id {
        return Err(StateChangeError::Refused(
            "The API initiating user cannot be blocked or deleted by the API",
        ));
    }
    lock_administrator(tx, by)
}

/// Checks that the author is an active administrator, and locks the account until the commit. The command line always may.
pub(super) fn lock_administrator(
    tx: &mut dyn WriteTransaction,
    by: AccountEditor,
) -> Result<(), StateChangeError> {
    let Some(author) = by.id else {
        return Ok(());
    };
    let may = tx.lock_user(author)? && is_administrator(tx, author)?;
    may.then_some(()).ok_or(StateChangeError::Forbidden)
}

/// True if the user is an active administrator.
pub(super) fn is_administrator<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    id: UserId,
) -> Result<bool, StoreError> {
    let found = tx.find_user(id)?;
    Ok(found.is_some_and(|user| user.is_admin && user.state == UserState::Active))
}

/// True if the account was used within the last [`StateChange::UNUSED_DAYS`] days.
fn was_used<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    id: UserId,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let since = now.plus_seconds(-StateChange::UNUSED_DAYS * 24 * 60 * 60);
    let activity = tx.list_user_activity(&[id])?;
    let seen = activity
        .first()
        .and_then(|(_, activity)| activity.last_seen_at);
    Ok(seen.is_some_and(|seen| seen > since))
}

pub(super) fn record(
    tx: &mut dyn WriteTransaction,
    user: UserId,
    event_name: AuditEventName,
    fields: &[(&'static str, &str)],
    by: AccountEditor,
) -> Result<(), StoreError> {
    tx.insert_audit_entries(&[NewAuditEntry {
        author_id: by.id,
        entity: AuditEntity::User(user),
        event_name,
        target: None,
        details: AuditDetails::new(fields),
        created_at: by.now,
        impersonator_id: None,
    }])
}
