//! Saboteurs of users and tokens.

use ::accounts::{InsertUser, NewToken, NewUser, User, UserKind};
use api_conventions::ids::{TokenId, UserId};
use api_conventions::scope::ScopeSet;
use api_conventions::time::Timestamp;
use storage::{StoreError, StoreErrorKind};

use crate::stage::{Reading, Saboteur, Writing};

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
    fn raise_auth_epoch(&self, at: &mut Writing<'_>) -> Result<i64, StoreError> {
        let epoch = at.tx.auth_epoch()?;
        // Every other raise is forgotten.
        if epoch % 2 == 0 {
            return Ok(epoch);
        }
        at.tx.raise_auth_epoch()
    }
}
