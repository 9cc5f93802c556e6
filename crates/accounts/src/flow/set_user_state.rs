//! Blocking and unblocking of accounts.

use api_conventions::ids::UserId;
use storage::StoreError;

use crate::model::{UserKind, UserState};
use crate::store::{AccountQueries, CredentialRepository, SessionRepository};

/// Blocks or unblocks an account. Blocking ends all its sessions; its tokens stay, but are refused while it is blocked.
/// The caller must revoke the grants of applications. Returns `false` and does nothing if there is no such user, or the
/// user is a bot.
///
/// # Errors
/// Failures of the store.
pub fn set_user_state<R>(repos: &mut R, id: UserId, state: UserState) -> Result<bool, StoreError>
where
    R: CredentialRepository + SessionRepository + AccountQueries + ?Sized,
{
    let user = repos.find_user(id)?;
    let is_human = user.is_some_and(|user| user.kind == UserKind::Human);
    if !is_human || !repos.set_user_state(id, state)? {
        return Ok(false);
    }
    if state != UserState::Active {
        repos.delete_sessions_of(id, None)?;
    }
    Ok(true)
}
