//! Creation of an account with its namespace.

use accounts::model::{GHOST_NAME, GHOST_USERNAME};
use accounts::{InsertUser, NewUser, User, UserKind, Username};
use api_conventions::access::Visibility;
use api_conventions::error::ValidationFailures;
use api_conventions::ids::UserId;
use api_conventions::reference::FullPath;
use api_conventions::time::Timestamp;
use api_conventions::validation;
use projects::flow::create_namespace::{CreateNamespaceError, create_namespace};
use projects::{NamespaceKind, NewNamespace};
use storage::{StoreError, StoreErrorKind};

use crate::database::WriteTransaction;

/// Username of the bot that authors the actions of alert intake.
const ALERT_BOT: &str = "alert-bot";

/// Reason why an account is not created. Nothing is stored then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CreateUserError {
    /// Some attributes are invalid; each is listed with its errors.
    #[error("invalid user: {0}")]
    Invalid(ValidationFailures),
    /// Another user, or a group, has this name.
    #[error("the username has already been taken")]
    UsernameTaken,
    /// Another user has this address.
    #[error("the email has already been taken")]
    EmailTaken,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Creates an account and the namespace of the same name. The caller records it in the audit log.
///
/// # Errors
/// See [`CreateUserError`].
pub(super) fn create_user(
    tx: &mut dyn WriteTransaction,
    request: &NewUser,
) -> Result<User, CreateUserError> {
    let user = create_account(tx, request)?;
    let namespace = NewNamespace {
        kind: NamespaceKind::User,
        name: user.name.clone(),
        path: user.username.as_str().to_owned(),
        parent: None,
        visibility: Visibility::Public,
        owner: user.id,
        created_at: request.created_at,
    };
    match create_namespace(tx, &namespace) {
        Ok(_) => {}
        Err(CreateNamespaceError::Store(error)) => return Err(error.into()),
        Err(CreateNamespaceError::Invalid(failures)) => {
            return Err(CreateUserError::Invalid(failures));
        }
        // A group may have this name.
        Err(_) => return Err(CreateUserError::UsernameTaken),
    }
    Ok(user)
}

/// Creates an account without a namespace, which cannot create projects of its own.
///
/// # Errors
/// See [`CreateUserError`].
pub(super) fn create_account(
    tx: &mut dyn WriteTransaction,
    request: &NewUser,
) -> Result<User, CreateUserError> {
    let failures = validation::check(request);
    if !failures.is_empty() {
        return Err(CreateUserError::Invalid(failures));
    }
    let id = match tx.insert_user(&request.clone().trimmed())? {
        InsertUser::Inserted(id) => id,
        InsertUser::UsernameTaken => return Err(CreateUserError::UsernameTaken),
        InsertUser::EmailTaken => return Err(CreateUserError::EmailTaken),
    };
    let made = tx.find_user(id)?;
    Ok(made
        .ok_or_else(|| StoreError::inconsistent("users", id, "row missing after its insertion"))?)
}

/// Names that the ghost tries: another user may have the first ones.
const GHOST_NAMES: i32 = 100;

/// Returns the ghost, who is the author of what deleted users left, creating it if it does not exist. It has no namespace.
///
/// # Errors
/// Failures of the store; a conflict if other users have all names of the ghost.
pub(super) fn ensure_ghost(
    tx: &mut dyn WriteTransaction,
    now: Timestamp,
) -> Result<UserId, StoreError> {
    if let Some(ghost) = tx.find_bot(UserKind::Ghost)? {
        return Ok(ghost.id);
    }
    let refused = || StoreError::new(StoreErrorKind::Conflict, "create the ghost");
    for number in 0..GHOST_NAMES {
        let suffix = if number == 0 {
            String::new()
        } else {
            number.to_string()
        };
        let username = format!("{GHOST_USERNAME}{suffix}");
        let path = FullPath::parse(&username).ok_or_else(refused)?;
        let is_group = tx.find_namespace(&path)?.is_some();
        if is_group || tx.find_user_by_username(&username)?.is_some() {
            continue;
        }
        let request = NewUser {
            username: Username::parse(&username).map_err(|error| refused().with_source(error))?,
            name: GHOST_NAME.to_owned(),
            email: String::new(),
            kind: UserKind::Ghost,
            is_admin: false,
            password: None,
            created_at: now,
        };
        return match create_account(tx, &request) {
            Ok(ghost) => Ok(ghost.id),
            Err(CreateUserError::Store(error)) => Err(error),
            Err(taken) => Err(refused().with_source(taken)),
        };
    }
    Err(refused())
}

/// Returns the bot that authors the actions of alert intake, creating it if it does not exist.
///
/// # Errors
/// Failures of the store; a conflict when a person or group has the bot's name.
pub fn ensure_alert_bot(
    tx: &mut dyn WriteTransaction,
    now: Timestamp,
) -> Result<UserId, StoreError> {
    if let Some(bot) = tx.find_bot(UserKind::AlertBot)? {
        return Ok(bot.id);
    }
    let refused = || StoreError::new(StoreErrorKind::Conflict, "create the alert bot");
    let request = NewUser {
        username: Username::parse(ALERT_BOT).map_err(|error| refused().with_source(error))?,
        name: "Alert bot".to_owned(),
        email: String::new(),
        kind: UserKind::AlertBot,
        is_admin: false,
        password: None,
        created_at: now,
    };
    match create_user(tx, &request) {
        Ok(bot) => Ok(bot.id),
        Err(CreateUserError::Store(error)) => Err(error),
        Err(taken) => Err(refused().with_source(taken)),
    }
}
