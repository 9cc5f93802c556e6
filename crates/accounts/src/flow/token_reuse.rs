//! Use of a token after its rotation: a sign that the token was stolen, or that a copy of it is still configured.

use api_conventions::ids::TokenId;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::token_audit::{Change, record};
use crate::model::{AccessToken, AuditEventName, TokenState};
use crate::store::{AccountQueries, AccountRepository, AuditRepository};

/// Time after a rotation in which the old token is refused without consequences, in seconds. Requests that were sent
/// before the rotation can still arrive.
pub const GRACE_SECONDS: i64 = 60;

/// True if the use of this token at `now` ends its family: the token was rotated before the time of grace, and a
/// successor is active.
pub(super) fn ends_family<R: AccountQueries + ?Sized>(
    repos: &mut R,
    token: &AccessToken,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let TokenState::Revoked { at } = token.state else {
        return Ok(false);
    };
    Ok(now >= at.plus_seconds(GRACE_SECONDS)
        && repos
            .find_successor_token(token.family(), token.id)?
            .is_some())
}

/// Revokes the successor of a rotated token that was used again, and records it in the audit log. Returns the revoked
/// successor; `None` if no successor is active.
///
/// # Errors
/// Failures of the store.
pub fn end_token_family<R: AccountRepository + AuditRepository + ?Sized>(
    repos: &mut R,
    id: TokenId,
    now: Timestamp,
) -> Result<Option<AccessToken>, StoreError> {
    let Some(token) = repos.find_token(id)? else {
        return Ok(None);
    };
    let mut last = token.id;
    while let Some(successor) = repos.find_successor_token(token.family(), last)? {
        if repos.revoke_token(successor.id, now)? {
            let change = Change {
                author_id: None,
                now,
            };
            record(repos, AuditEventName::RotatedTokenUsed, &successor, change)?;
            return Ok(Some(successor));
        }
        // A concurrent transaction revoked or rotated it; a rotation inserted another successor.
        last = successor.id;
    }
    Ok(None)
}
