//! Blocking an account, and letting it act again.

use api_conventions::ids::UserId;
use storage::StoreError;

use crate::model::{UserKind, UserState};
use crate::store::{AccountQueries, CredentialRepository, SessionRepository};

/// Blocks an account or lets it act again. Blocking ends all its sessions; its tokens stay and are refused while it is
/// blocked. What applications were permitted is the caller's to end. `false`, and nothing done, when there is no such
/// user, or it is a bot.
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
