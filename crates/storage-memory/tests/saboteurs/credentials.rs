//! Saboteurs of what people sign in with.

use ::accounts::password::PasswordHash;
use ::accounts::{Credentials, Failures, InsertUser, NewUser, User, UserState};
use api_conventions::ids::UserId;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::fault_injection::{Reading, Saboteur, Writing};

/// The ids of all users that a case makes.
fn everybody() -> impl Iterator<Item = UserId> {
    (1..10).map(UserId::new)
}

pub(crate) struct LosesPasswords;

impl Saboteur for LosesPasswords {
    fn insert_user(&self, at: &mut Writing<'_>, user: &NewUser) -> Result<InsertUser, StoreError> {
        at.tx.insert_user(&NewUser {
            password: None,
            ..user.clone()
        })
    }
}

pub(crate) struct KnowsEverybody;

impl Saboteur for KnowsEverybody {
    fn set_user_state(
        &self,
        at: &mut Writing<'_>,
        id: UserId,
        state: UserState,
    ) -> Result<bool, StoreError> {
        at.tx.set_user_state(id, state).map(|_| true)
    }
}

pub(crate) struct MindsCaseOfAddresses;

impl Saboteur for MindsCaseOfAddresses {
    fn find_credentials(
        &self,
        at: &mut Reading<'_>,
        login: &str,
    ) -> Result<Option<Credentials>, StoreError> {
        let found = at.tx.find_credentials(login)?;
        Ok(found.filter(|found| !login.contains('@') || found.user.email == login))
    }
}

pub(crate) struct PrefersAddresses;

impl Saboteur for PrefersAddresses {
    fn find_credentials(
        &self,
        at: &mut Reading<'_>,
        login: &str,
    ) -> Result<Option<Credentials>, StoreError> {
        for id in everybody() {
            let found = at.tx.find_credentials_of(id)?;
            let its = |found: &Credentials| found.user.email.eq_ignore_ascii_case(login);
            if let Some(found) = found.filter(its) {
                return Ok(Some(found));
            }
        }
        at.tx.find_credentials(login)
    }
}

pub(crate) struct LetsBotsIn;

impl Saboteur for LetsBotsIn {
    fn find_credentials(
        &self,
        at: &mut Reading<'_>,
        login: &str,
    ) -> Result<Option<Credentials>, StoreError> {
        let user = at.tx.find_user_by_username(login)?;
        let known = at.tx.find_credentials(login)?;
        Ok(known.or(user.map(|user| Credentials {
            user,
            password: None,
            second_factor: None,
        })))
    }
}

pub(crate) struct ChangesEveryPassword;

impl Saboteur for ChangesEveryPassword {
    fn set_password(
        &self,
        at: &mut Writing<'_>,
        id: UserId,
        password: &PasswordHash,
    ) -> Result<bool, StoreError> {
        for other in everybody() {
            at.tx.set_password(other, password)?;
        }
        at.tx.set_password(id, password)
    }
}

pub(crate) struct BlocksForGood;

impl Saboteur for BlocksForGood {
    fn set_user_state(
        &self,
        at: &mut Writing<'_>,
        id: UserId,
        state: UserState,
    ) -> Result<bool, StoreError> {
        if state == UserState::Active {
            return Ok(at.tx.find_user(id)?.is_some());
        }
        at.tx.set_user_state(id, state)
    }
}

pub(crate) struct CutsSecrets;

impl Saboteur for CutsSecrets {
    fn put_second_factor(
        &self,
        at: &mut Writing<'_>,
        id: UserId,
        sealed: &[u8],
        last_step: i64,
        codes: &[SecretDigest],
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let cut = &sealed[..sealed.len().min(255)];
        at.tx.put_second_factor(id, cut, last_step, codes, now)
    }
}

pub(crate) struct HidesTheFactor;

impl Saboteur for HidesTheFactor {
    fn list_users_by_id(
        &self,
        at: &mut Reading<'_>,
        ids: &[UserId],
    ) -> Result<Vec<User>, StoreError> {
        let mut users = at.tx.list_users_by_id(ids)?;
        for user in &mut users {
            user.two_factor_enabled = false;
        }
        Ok(users)
    }
}

pub(crate) struct KeepsTheLastStep;

impl Saboteur for KeepsTheLastStep {
    fn put_second_factor(
        &self,
        at: &mut Writing<'_>,
        id: UserId,
        sealed: &[u8],
        last_step: i64,
        codes: &[SecretDigest],
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let known = at.tx.find_credentials_of(id)?;
        let old = known.and_then(|known| known.second_factor);
        let last_step = old.map_or(last_step, |old| old.last_step.max(last_step));
        at.tx.put_second_factor(id, sealed, last_step, codes, now)
    }
}

pub(crate) struct LeavesTheFactorOn;

impl Saboteur for LeavesTheFactorOn {
    fn delete_second_factor(&self, at: &mut Writing<'_>, id: UserId) -> Result<bool, StoreError> {
        let known = at.tx.find_credentials_of(id)?;
        Ok(known.is_some_and(|known| known.second_factor.is_some()))
    }
}

pub(crate) struct AllowsEarlierSteps;

impl Saboteur for AllowsEarlierSteps {
    fn take_time_step(
        &self,
        at: &mut Writing<'_>,
        id: UserId,
        step: i64,
    ) -> Result<bool, StoreError> {
        let taken = at.tx.take_time_step(id, step)?;
        let known = at.tx.find_credentials_of(id)?;
        let factor = known.and_then(|known| known.second_factor);
        Ok(taken || factor.is_some_and(|factor| step < factor.last_step))
    }
}

pub(crate) struct SpendsAgain;

impl Saboteur for SpendsAgain {
    fn take_time_step(
        &self,
        at: &mut Writing<'_>,
        id: UserId,
        step: i64,
    ) -> Result<bool, StoreError> {
        at.tx.take_time_step(id, step).map(|_| true)
    }

    fn take_recovery_code(
        &self,
        at: &mut Writing<'_>,
        id: UserId,
        code: &SecretDigest,
    ) -> Result<bool, StoreError> {
        at.tx.take_recovery_code(id, code).map(|_| true)
    }
}

pub(crate) struct SharesRecoveryCodes;

impl Saboteur for SharesRecoveryCodes {
    fn take_recovery_code(
        &self,
        at: &mut Writing<'_>,
        _: UserId,
        code: &SecretDigest,
    ) -> Result<bool, StoreError> {
        for id in everybody() {
            if at.tx.take_recovery_code(id, code)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

pub(crate) struct KeepsOldCodes;

impl Saboteur for KeepsOldCodes {
    fn replace_recovery_codes(
        &self,
        at: &mut Writing<'_>,
        id: UserId,
        _: &[SecretDigest],
    ) -> Result<bool, StoreError> {
        let known = at.tx.find_credentials_of(id)?;
        Ok(known.is_some_and(|known| known.second_factor.is_some()))
    }
}

pub(crate) struct CountsTogether;

impl Saboteur for CountsTogether {
    fn count_failure(
        &self,
        at: &mut Writing<'_>,
        _: &SecretDigest,
        window_seconds: i64,
        now: Timestamp,
    ) -> Result<Failures, StoreError> {
        let one = SecretDigest::of("one for all");
        at.tx.count_failure(&one, window_seconds, now)
    }
}

pub(crate) struct NeverBeginsAnew;

impl Saboteur for NeverBeginsAnew {
    fn count_failure(
        &self,
        at: &mut Writing<'_>,
        key: &SecretDigest,
        _: i64,
        now: Timestamp,
    ) -> Result<Failures, StoreError> {
        at.tx.count_failure(key, i64::MAX, now)
    }
}

pub(crate) struct LosesCounts;

impl Saboteur for LosesCounts {
    fn count_failure(
        &self,
        at: &mut Writing<'_>,
        key: &SecretDigest,
        window_seconds: i64,
        now: Timestamp,
    ) -> Result<Failures, StoreError> {
        match at.tx.find_failures(key)? {
            // As if somebody else had written the same number in the meantime.
            Some(known) if known.count == 5 => Ok(known),
            _ => at.tx.count_failure(key, window_seconds, now),
        }
    }
}

pub(crate) struct ForgetsAllFailures;

impl Saboteur for ForgetsAllFailures {
    fn forget_failures(&self, at: &mut Writing<'_>, _: &SecretDigest) -> Result<(), StoreError> {
        at.tx.delete_old_failures(Timestamp::MAX).map(drop)
    }
}

pub(crate) struct DeletesFailuresEarly;

impl Saboteur for DeletesFailuresEarly {
    fn delete_old_failures(
        &self,
        at: &mut Writing<'_>,
        before: Timestamp,
    ) -> Result<usize, StoreError> {
        at.tx.delete_old_failures(before.plus_seconds(1))
    }
}

pub(crate) struct LocksAnybody;

impl Saboteur for LocksAnybody {
    fn lock_user(&self, _: &mut Writing<'_>, _: UserId) -> Result<bool, StoreError> {
        Ok(true)
    }
}
