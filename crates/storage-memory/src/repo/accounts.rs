//! Users and access tokens.

use std::collections::BTreeMap;
use std::ops::Deref;

use accounts::{
    AccessToken, AccountQueries, AccountRepository, InsertUser, NewToken, NewUser, Revocation,
    Revoked, TokenState, UpdateUser, User, UserActivity, UserChange, UserFilter, UserKind,
    UserOrder, UserState,
};
use api_conventions::ids::{TokenId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::conflict;
use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};
use crate::table::{Table, any_holds};

/// The tables of the crate.
#[derive(Debug, Clone)]
pub(crate) struct Tables {
    pub(super) users: Table<UserId, User>,
    pub(super) tokens: Table<TokenId, (SecretDigest, AccessToken)>,
    /// Sign-ins, without the uses of sessions and tokens.
    pub(super) sign_ins: BTreeMap<UserId, UserActivity>,
    epoch: i64,
    /// What was revoked, in the order of the epochs.
    revocations: Vec<Revocation>,
}

impl Default for Tables {
    fn default() -> Self {
        Self {
            users: Table::default(),
            tokens: Table::default(),
            sign_ins: BTreeMap::new(),
            epoch: 1,
            revocations: Vec::new(),
        }
    }
}

impl<S: Deref<Target = State>> AccountQueries for MemoryTx<S> {
    fn find_user(&mut self, id: UserId) -> Result<Option<User>, StoreError> {
        Ok(self.0.accounts.users.get(id).cloned())
    }

    fn find_user_by_username(&mut self, username: &str) -> Result<Option<User>, StoreError> {
        let key = username.to_lowercase();
        let users = &self.0.accounts.users;
        Ok(users
            .find(|user| user.username.lookup_key() == key)
            .cloned())
    }

    fn list_users_by_id(&mut self, ids: &[UserId]) -> Result<Vec<User>, StoreError> {
        let users = self.0.accounts.users.rows();
        Ok(users
            .filter(|user| ids.contains(&user.id))
            .cloned()
            .collect())
    }

    fn list_users_by_username(&mut self, usernames: &[&str]) -> Result<Vec<User>, StoreError> {
        let keys: Vec<String> = usernames.iter().map(|name| name.to_lowercase()).collect();
        let users = self.0.accounts.users.rows();
        let named = users.filter(|user| keys.contains(&user.username.lookup_key()));
        Ok(named.cloned().collect())
    }

    fn list_users(
        &mut self,
        filter: &UserFilter,
        page: OffsetPage,
    ) -> Result<Page<User>, StoreError> {
        let key = |user: &User| match filter.order_by {
            UserOrder::Id => (String::new(), None),
            UserOrder::Name => (user.name.to_lowercase(), None),
            UserOrder::Username => (user.username.lookup_key(), None),
            UserOrder::CreatedAt => (String::new(), Some(user.created_at)),
        };
        let users = &self.0.accounts.users;
        Ok(users.page(|user| is_listed(user, filter), key, filter.sort, page))
    }

    fn find_bot(&mut self, kind: UserKind) -> Result<Option<User>, StoreError> {
        let users = &self.0.accounts.users;
        let bot = users.find(|user| kind != UserKind::Human && user.kind == kind);
        Ok(bot.cloned())
    }

    fn find_token_by_digest(
        &mut self,
        digest: &SecretDigest,
    ) -> Result<Option<AccessToken>, StoreError> {
        let found = self.0.accounts.tokens.find(|(its, _)| its == digest);
        Ok(found.map(|(_, token)| token.clone()))
    }

    fn list_token_names(&mut self, ids: &[TokenId]) -> Result<Vec<(TokenId, String)>, StoreError> {
        let tokens = self.0.accounts.tokens.rows();
        let named = tokens.filter(|(_, token)| ids.contains(&token.id));
        Ok(named
            .map(|(_, token)| (token.id, token.name.clone()))
            .collect())
    }

    fn auth_epoch(&mut self) -> Result<i64, StoreError> {
        Ok(self.0.accounts.epoch)
    }

    fn list_revocations_after(
        &mut self,
        epoch: i64,
        limit: usize,
    ) -> Result<Vec<Revocation>, StoreError> {
        let kept = self.0.accounts.revocations.iter();
        let later = kept.filter(|revocation| revocation.epoch > epoch);
        Ok(later.take(limit).copied().collect())
    }
}

fn is_listed(user: &User, filter: &UserFilter) -> bool {
    let is_active = user.state == UserState::Active;
    let named = filter
        .username
        .as_ref()
        .is_none_or(|name| user.username.lookup_key() == name.to_lowercase());
    let found = filter.search.as_ref().is_none_or(|text| {
        let is_address = user.email.to_lowercase() == text.to_lowercase();
        any_holds(&[&user.name, user.username.as_str()], text)
            || !user.email.is_empty() && is_address
            || filter.search_in_emails && any_holds(&[&user.email], text)
    });
    named
        && found
        && (!filter.active || is_active)
        && (!filter.blocked || !is_active)
        && (!filter.humans || user.kind == UserKind::Human)
        && (!filter.admins || user.is_admin)
        && filter
            .two_factor
            .is_none_or(|wanted| wanted == user.two_factor_enabled)
        && filter.id_after.is_none_or(|id| user.id > id)
        && filter.id_before.is_none_or(|id| user.id < id)
        && filter
            .created_after
            .is_none_or(|time| user.created_at > time)
        && filter
            .created_before
            .is_none_or(|time| user.created_at < time)
}

impl AccountRepository for MemoryWriteTx<'_> {
    fn insert_user(&mut self, new: &NewUser) -> Result<InsertUser, StoreError> {
        let users = &mut self.0.accounts.users;
        let name = new.username.lookup_key();
        if users.has(|user| user.username.lookup_key() == name) {
            return Ok(InsertUser::UsernameTaken);
        }
        let email = new.email.to_lowercase();
        if !email.is_empty() && users.has(|user| user.email.to_lowercase() == email) {
            return Ok(InsertUser::EmailTaken);
        }
        if new.kind != UserKind::Human && users.has(|user| user.kind == new.kind) {
            return Err(conflict("insert a second bot of a kind"));
        }
        let id = users.insert(|id| User {
            id,
            username: new.username.clone(),
            name: new.name.clone(),
            email: new.email.clone(),
            kind: new.kind,
            is_admin: new.is_admin,
            state: UserState::Active,
            two_factor_enabled: false,
            private_profile: false,
            created_at: new.created_at,
        });
        if let Some(password) = &new.password {
            self.0.credentials.set_password(id, password);
        }
        Ok(InsertUser::Inserted(id))
    }

    fn update_user(&mut self, id: UserId, change: &UserChange) -> Result<UpdateUser, StoreError> {
        let users = &mut self.0.accounts.users;
        let email = change.email.as_deref().unwrap_or_default().to_lowercase();
        let is_other = |user: &User| user.id != id && user.email.to_lowercase() == email;
        let is_taken = !email.is_empty() && users.has(is_other);
        let Some(user) = users.get_mut(id) else {
            return Ok(UpdateUser::Unknown);
        };
        if is_taken {
            return Ok(UpdateUser::EmailTaken);
        }
        let change = change.clone();
        user.name = change.name.unwrap_or_else(|| user.name.clone());
        user.email = change.email.unwrap_or_else(|| user.email.clone());
        user.is_admin = change.is_admin.unwrap_or(user.is_admin);
        user.private_profile = change.private_profile.unwrap_or(user.private_profile);
        Ok(UpdateUser::Updated(Box::new(user.clone())))
    }

    fn insert_token(&mut self, new: &NewToken) -> Result<TokenId, StoreError> {
        let tokens = &mut self.0.accounts.tokens;
        if tokens.has(|(digest, _)| *digest == new.digest) {
            return Err(conflict("insert a token whose digest exists"));
        }
        let token = |id| AccessToken {
            id,
            user_id: new.user_id,
            name: new.name.clone(),
            kind: new.kind,
            scopes: new.scopes.clone(),
            expires_on: new.expires_on,
            state: TokenState::Active,
            created_at: new.created_at,
            last_used_at: None,
        };
        Ok(tokens.insert(|id| (new.digest, token(id))))
    }

    fn revoke_token(&mut self, id: TokenId, at: Timestamp) -> Result<bool, StoreError> {
        let active = self.0.accounts.tokens.get_mut(id);
        let active = active.filter(|(_, token)| token.state == TokenState::Active);
        Ok(active
            .map(|(_, token)| token.state = TokenState::Revoked { at })
            .is_some())
    }

    fn touch_tokens(&mut self, used: &[(TokenId, Timestamp)]) -> Result<(), StoreError> {
        for (id, at) in used {
            let tokens = &mut self.0.accounts.tokens;
            tokens.update(*id, |(_, token)| {
                token.last_used_at = token.last_used_at.max(Some(*at));
            });
        }
        Ok(())
    }

    fn raise_auth_epoch(&mut self, revoked: &[Revoked]) -> Result<i64, StoreError> {
        let tables = &mut self.0.accounts;
        tables.epoch += 1;
        let epoch = tables.epoch;
        let kept = revoked.iter().map(|revoked| Revocation {
            epoch,
            revoked: *revoked,
        });
        tables.revocations.extend(kept);
        Ok(epoch)
    }

    fn forget_revocations_through(&mut self, epoch: i64) -> Result<usize, StoreError> {
        let kept = &mut self.0.accounts.revocations;
        let before = kept.len();
        kept.retain(|revocation| revocation.epoch > epoch);
        Ok(before - kept.len())
    }
}
