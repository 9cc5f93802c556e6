//! Saboteurs of users and tokens.

use ::accounts::{InsertUser, NewToken, NewUser, Revocation, Revoked, User, UserKind};
use api_conventions::ids::{TokenId, UserId};
use api_conventions::scope::ScopeSet;
use api_conventions::time::Timestamp;
use storage::{StoreError, StoreErrorKind};

use crate::fault_injection::{Reading, Saboteur, Writing};

pub(crate) struct TrimsNames;

impl Saboteur for TrimsNames {
    fn insert_user(&self, at: &mut Writing<'_>, user: &NewUser) -> Result<InsertUser, StoreError> {
        let name = user.name.chars().take(20).collect();
        at.tx.insert_user(&NewUser {
            name,
            ..user.clone()
        })
    }
}

pub(crate) struct FailsOnAbsence;

impl Saboteur for FailsOnAbsence {
    fn find_user(&self, at: &mut Reading<'_>, id: UserId) -> Result<Option<User>, StoreError> {
        let absent = || StoreError::new(StoreErrorKind::Internal, "find user");
        at.tx.find_user(id)?.ok_or_else(absent).map(Some)
    }
}

pub(crate) struct MatchesWildcards;

impl Saboteur for MatchesWildcards {
    fn find_user_by_username(
        &self,
        at: &mut Reading<'_>,
        username: &str,
    ) -> Result<Option<User>, StoreError> {
        at.tx.find_user_by_username(&username.replace('_', "."))
    }
}

pub(crate) struct MindsCase;

impl Saboteur for MindsCase {
    fn find_user_by_username(
        &self,
        at: &mut Reading<'_>,
        username: &str,
    ) -> Result<Option<User>, StoreError> {
        let found = at.tx.find_user_by_username(username)?;
        Ok(found.filter(|user| user.username.as_str() == username))
    }

    fn insert_user(&self, at: &mut Writing<'_>, user: &NewUser) -> Result<InsertUser, StoreError> {
        let taken = at.tx.find_user_by_username(user.username.as_str())?;
        match taken {
            Some(other) if other.username != user.username => Ok(InsertUser::Inserted(other.id)),
            _ => at.tx.insert_user(user),
        }
    }
}

pub(crate) struct SharesAddresses;

impl Saboteur for SharesAddresses {
    fn insert_user(&self, at: &mut Writing<'_>, user: &NewUser) -> Result<InsertUser, StoreError> {
        match at.tx.insert_user(user)? {
            InsertUser::EmailTaken => Ok(InsertUser::Inserted(UserId::new(1))),
            outcome => Ok(outcome),
        }
    }
}

pub(crate) struct LetsBothWin;

impl Saboteur for LetsBothWin {
    fn insert_user(&self, at: &mut Writing<'_>, user: &NewUser) -> Result<InsertUser, StoreError> {
        match at.tx.insert_user(user)? {
            InsertUser::UsernameTaken => Ok(InsertUser::Inserted(UserId::new(1))),
            outcome => Ok(outcome),
        }
    }
}

pub(crate) struct ListsRepeats;

impl Saboteur for ListsRepeats {
    fn list_users_by_id(
        &self,
        at: &mut Reading<'_>,
        ids: &[UserId],
    ) -> Result<Vec<User>, StoreError> {
        let mut users = Vec::new();
        for id in ids {
            users.extend(at.tx.find_user(*id)?);
        }
        Ok(users)
    }
}

pub(crate) struct LetsInASecondBot;

impl Saboteur for LetsInASecondBot {
    fn insert_user(&self, at: &mut Writing<'_>, user: &NewUser) -> Result<InsertUser, StoreError> {
        let known = at.tx.find_bot(user.kind)?;
        match known {
            Some(bot) if user.kind != UserKind::Human => Ok(InsertUser::Inserted(bot.id)),
            _ => at.tx.insert_user(user),
        }
    }
}

pub(crate) struct LosesScopes;

impl Saboteur for LosesScopes {
    fn insert_token(&self, at: &mut Writing<'_>, token: &NewToken) -> Result<TokenId, StoreError> {
        at.tx.insert_token(&NewToken {
            scopes: ScopeSet::default(),
            ..token.clone()
        })
    }
}

pub(crate) struct SharesDigests;

impl Saboteur for SharesDigests {
    fn insert_token(&self, at: &mut Writing<'_>, token: &NewToken) -> Result<TokenId, StoreError> {
        match at.tx.find_token_by_digest(&token.digest)? {
            Some(other) => Ok(other.id),
            None => at.tx.insert_token(token),
        }
    }
}

pub(crate) struct RevokesAgain;

impl Saboteur for RevokesAgain {
    fn revoke_token(
        &self,
        at: &mut Writing<'_>,
        id: TokenId,
        moment: Timestamp,
    ) -> Result<bool, StoreError> {
        at.tx.revoke_token(id, moment).map(|_| true)
    }
}

pub(crate) struct NotesTheFirstUse;

impl Saboteur for NotesTheFirstUse {
    fn touch_tokens(
        &self,
        at: &mut Writing<'_>,
        used: &[(TokenId, Timestamp)],
    ) -> Result<(), StoreError> {
        at.tx.touch_tokens(used.get(..1).unwrap_or_default())
    }
}

pub(crate) struct SharesEpochs;

impl Saboteur for SharesEpochs {
    fn raise_auth_epoch(
        &self,
        at: &mut Writing<'_>,
        revoked: &[Revoked],
    ) -> Result<i64, StoreError> {
        let epoch = at.tx.auth_epoch()?;
        // Every other raise is forgotten.
        if epoch % 2 == 0 {
            return Ok(epoch);
        }
        at.tx.raise_auth_epoch(revoked)
    }
}

/// Keeps the first of several revocations only.
pub(crate) struct KeepsTheFirstRevocation;

impl Saboteur for KeepsTheFirstRevocation {
    fn raise_auth_epoch(
        &self,
        at: &mut Writing<'_>,
        revoked: &[Revoked],
    ) -> Result<i64, StoreError> {
        let first = revoked.get(..1).unwrap_or_default();
        at.tx.raise_auth_epoch(first)
    }
}

/// Lists the epoch that was asked about, too.
pub(crate) struct ListsTheEpochItself;

impl Saboteur for ListsTheEpochItself {
    fn list_revocations_after(
        &self,
        at: &mut Reading<'_>,
        epoch: i64,
        limit: usize,
    ) -> Result<Vec<Revocation>, StoreError> {
        at.tx.list_revocations_after(epoch - 1, limit)
    }
}

/// Lists the last revocations where there is no room for all.
pub(crate) struct ListsTheLastRevocations;

impl Saboteur for ListsTheLastRevocations {
    fn list_revocations_after(
        &self,
        at: &mut Reading<'_>,
        epoch: i64,
        limit: usize,
    ) -> Result<Vec<Revocation>, StoreError> {
        let all = at.tx.list_revocations_after(epoch, usize::MAX)?;
        let skipped = all.len().saturating_sub(limit);
        Ok(all.into_iter().skip(skipped).collect())
    }
}

pub(crate) struct ForgetsOneEpochMore;

impl Saboteur for ForgetsOneEpochMore {
    fn forget_revocations_through(
        &self,
        at: &mut Writing<'_>,
        epoch: i64,
    ) -> Result<usize, StoreError> {
        at.tx.forget_revocations_through(epoch + 1)
    }
}

/// Lists the revocations of the newest epoch only when a newer one has begun.
pub(crate) struct ListsRevocationsLate;

impl Saboteur for ListsRevocationsLate {
    fn list_revocations_after(
        &self,
        at: &mut Reading<'_>,
        epoch: i64,
        limit: usize,
    ) -> Result<Vec<Revocation>, StoreError> {
        let newest = at.tx.auth_epoch()?;
        let mut listed = at.tx.list_revocations_after(epoch, limit)?;
        listed.retain(|kept| kept.epoch < newest);
        Ok(listed)
    }
}
