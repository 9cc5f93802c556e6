//! What people sign in with, and how often they failed to.

use std::collections::BTreeMap;
use std::ops::Deref;

use accounts::password::PasswordHash;
use accounts::{
    CredentialQueries, CredentialRepository, Credentials, Failures, SecondFactor, User, UserKind,
    UserState,
};
use api_conventions::ids::UserId;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};

/// The tables of passwords, second factors and failures.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tables {
    passwords: BTreeMap<UserId, PasswordHash>,
    factors: BTreeMap<UserId, Factor>,
    failures: BTreeMap<[u8; 32], Failures>,
}

/// A second factor that is on.
#[derive(Debug, Clone)]
struct Factor {
    sealed: Vec<u8>,
    last_step: i64,
    enabled_at: Timestamp,
    recovery_codes: Vec<SecretDigest>,
}

impl Tables {
    pub(super) fn set_password(&mut self, id: UserId, password: &PasswordHash) {
        self.passwords.insert(id, password.clone());
    }

    /// What this user signs in with; bots sign in with nothing.
    fn of(&self, user: User) -> Option<Credentials> {
        let factor = self.factors.get(&user.id).map(|factor| SecondFactor {
            sealed: factor.sealed.clone(),
            last_step: factor.last_step,
            enabled_at: factor.enabled_at,
            recovery_codes_left: factor.recovery_codes.len(),
        });
        (user.kind == UserKind::Human).then(|| Credentials {
            password: self.passwords.get(&user.id).cloned(),
            second_factor: factor,
            user,
        })
    }
}

impl<S: Deref<Target = State>> CredentialQueries for MemoryTx<S> {
    fn find_credentials(&mut self, login: &str) -> Result<Option<Credentials>, StoreError> {
        let (users, key) = (&self.0.accounts.users, login.to_lowercase());
        let human = |user: &User| user.kind == UserKind::Human;
        let by_name = users.find(|user| human(user) && user.username.lookup_key() == key);
        // Users without an address have the empty text for one, and nobody signs in with that.
        let by_address = || {
            let has_it = |user: &User| !key.is_empty() && user.email.to_lowercase() == key;
            users.find(|user| human(user) && has_it(user))
        };
        let user = by_name.or_else(by_address);
        Ok(user.and_then(|user| self.0.credentials.of(user.clone())))
    }

    fn find_credentials_of(&mut self, id: UserId) -> Result<Option<Credentials>, StoreError> {
        let user = self.0.accounts.users.get(id).cloned();
        Ok(user.and_then(|user| self.0.credentials.of(user)))
    }

    fn find_failures(&mut self, key: &SecretDigest) -> Result<Option<Failures>, StoreError> {
        Ok(self.0.credentials.failures.get(key.as_bytes()).copied())
    }
}

impl MemoryWriteTx<'_> {
    fn user_mut(&mut self, id: UserId) -> Option<&mut User> {
        self.0.accounts.users.get_mut(id)
    }

    fn factor_mut(&mut self, id: UserId) -> Option<&mut Factor> {
        self.0.credentials.factors.get_mut(&id)
    }
}

impl CredentialRepository for MemoryWriteTx<'_> {
    /// There is one writer at a time, so its transaction locks everything.
    fn lock_user(&mut self, id: UserId) -> Result<bool, StoreError> {
        Ok(self.user_mut(id).is_some())
    }

    fn set_password(&mut self, id: UserId, password: &PasswordHash) -> Result<bool, StoreError> {
        let known = self.user_mut(id).is_some();
        if known {
            self.0.credentials.set_password(id, password);
        }
        Ok(known)
    }

    fn set_user_state(&mut self, id: UserId, state: UserState) -> Result<bool, StoreError> {
        let user = self.user_mut(id);
        Ok(user.map(|user| user.state = state).is_some())
    }

    fn put_second_factor(
        &mut self,
        id: UserId,
        sealed: &[u8],
        last_step: i64,
        recovery_codes: &[SecretDigest],
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let Some(user) = self.user_mut(id) else {
            return Ok(false);
        };
        user.two_factor_enabled = true;
        let factor = Factor {
            sealed: sealed.to_vec(),
            last_step,
            enabled_at: now,
            recovery_codes: recovery_codes.to_vec(),
        };
        self.0.credentials.factors.insert(id, factor);
        Ok(true)
    }

    fn delete_second_factor(&mut self, id: UserId) -> Result<bool, StoreError> {
        if let Some(user) = self.user_mut(id) {
            user.two_factor_enabled = false;
        }
        Ok(self.0.credentials.factors.remove(&id).is_some())
    }

    fn take_time_step(&mut self, id: UserId, step: i64) -> Result<bool, StoreError> {
        let unspent = self.factor_mut(id).filter(|factor| factor.last_step < step);
        Ok(unspent.map(|factor| factor.last_step = step).is_some())
    }

    fn take_recovery_code(&mut self, id: UserId, code: &SecretDigest) -> Result<bool, StoreError> {
        let Some(factor) = self.factor_mut(id) else {
            return Ok(false);
        };
        let before = factor.recovery_codes.len();
        factor.recovery_codes.retain(|other| other != code);
        Ok(factor.recovery_codes.len() < before)
    }

    fn replace_recovery_codes(
        &mut self,
        id: UserId,
        codes: &[SecretDigest],
    ) -> Result<bool, StoreError> {
        let factor = self.factor_mut(id);
        let replaced = factor.map(|factor| factor.recovery_codes = codes.to_vec());
        Ok(replaced.is_some())
    }

    fn count_failure(
        &mut self,
        key: &SecretDigest,
        window_seconds: i64,
        now: Timestamp,
    ) -> Result<Failures, StoreError> {
        let first = Failures {
            count: 0,
            since: now,
        };
        let failures = &mut self.0.credentials.failures;
        let counted = failures.entry(*key.as_bytes()).or_insert(first);
        if counted.since.plus_seconds(window_seconds) <= now {
            *counted = first;
        }
        counted.count += 1;
        Ok(*counted)
    }

    fn forget_failures(&mut self, key: &SecretDigest) -> Result<(), StoreError> {
        self.0.credentials.failures.remove(key.as_bytes());
        Ok(())
    }

    fn delete_old_failures(&mut self, before: Timestamp) -> Result<usize, StoreError> {
        let failures = &mut self.0.credentials.failures;
        let all = failures.len();
        failures.retain(|_, counted| counted.since >= before);
        Ok(all - failures.len())
    }
}
