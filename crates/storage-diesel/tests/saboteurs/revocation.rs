//! Saboteurs of the revocation of access, across crates.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use ::accounts::{
    AccountRepository as _, CredentialRepository as _, InsertUser, NewSession, NewUser,
    RevocationSubject, SessionRepository as _, UserState,
};
use api_conventions::ids::{ApplicationId, GrantId, SessionId, UserId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use oauth_provider::{
    ApplicationRepository as _, GrantRepository as _, NewApplication, NewGrant, NewTokenPair,
    Redemption,
};
use storage::{Store as _, StoreError};
use storage_diesel::SqliteWriteTx;

use crate::fault_injection::{DynPromise, FaultContext, Saboteur, WriteHook, WriteWork};

/// Commits each change of a user at once, even if the transaction fails.
pub(crate) struct CommitsEachStatement;

/// Writes to the shared rows, and then pauses.
fn at_once<T: Send + 'static>(
    at: &WriteHook<'_>,
    work: impl Fn(&mut SqliteWriteTx<'_>) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let written = at.rows.with(|store| store.write(work)).wait();
    thread::park_timeout(Duration::from_millis(1));
    written
}

impl Saboteur for CommitsEachStatement {
    fn write(&self, context: &FaultContext, work: WriteWork, promise: Box<dyn DynPromise>) {
        promise.fulfil(context.write_on_thread(work));
    }

    fn insert_user(
        &self,
        at: &mut WriteHook<'_>,
        user: &NewUser,
    ) -> Result<InsertUser, StoreError> {
        let user = user.clone();
        at_once(at, move |tx| tx.insert_user(&user))
    }

    fn insert_application(
        &self,
        at: &mut WriteHook<'_>,
        new: &NewApplication,
    ) -> Result<ApplicationId, StoreError> {
        let new = new.clone();
        at_once(at, move |tx| tx.insert_application(&new))
    }

    fn set_user_state(
        &self,
        at: &mut WriteHook<'_>,
        id: UserId,
        state: UserState,
    ) -> Result<bool, StoreError> {
        at_once(at, move |tx| tx.set_user_state(id, state))
    }

    fn insert_session(
        &self,
        at: &mut WriteHook<'_>,
        new: &NewSession,
    ) -> Result<SessionId, StoreError> {
        let new = new.clone();
        at_once(at, move |tx| tx.insert_session(&new))
    }

    fn delete_sessions_of(
        &self,
        at: &mut WriteHook<'_>,
        user: UserId,
        except: Option<SessionId>,
    ) -> Result<usize, StoreError> {
        at_once(at, move |tx| tx.delete_sessions_of(user, except))
    }

    fn insert_grant(&self, at: &mut WriteHook<'_>, new: &NewGrant) -> Result<GrantId, StoreError> {
        let new = new.clone();
        at_once(at, move |tx| tx.insert_grant(&new))
    }

    fn redeem_code(
        &self,
        at: &mut WriteHook<'_>,
        code: &SecretDigest,
        pair: &NewTokenPair,
        now: Timestamp,
    ) -> Result<Redemption, StoreError> {
        let (code, pair) = (*code, pair.clone());
        at_once(at, move |tx| tx.redeem_code(&code, &pair, now))
    }

    fn revoke_grants_of_user(
        &self,
        at: &mut WriteHook<'_>,
        user: UserId,
        app: Option<ApplicationId>,
        now: Timestamp,
    ) -> Result<usize, StoreError> {
        at_once(at, move |tx| tx.revoke_grants_of_user(user, app, now))
    }

    fn raise_auth_epoch(
        &self,
        at: &mut WriteHook<'_>,
        revoked: &[RevocationSubject],
    ) -> Result<i64, StoreError> {
        let revoked = revoked.to_vec();
        at_once(at, move |tx| tx.raise_auth_epoch(&revoked))
    }
}

/// Ignores the locks of other writers, and reports the requested end as done.
pub(crate) struct IgnoresLocks;

impl Saboteur for IgnoresLocks {
    fn write(&self, context: &FaultContext, work: WriteWork, promise: Box<dyn DynPromise>) {
        if context.flag.swap(true, Ordering::SeqCst) {
            return promise.fulfil(context.write_on_thread(work));
        }
        let outcome = context.write(work);
        context.flag.store(false, Ordering::SeqCst);
        promise.fulfil(outcome);
    }

    fn delete_session(&self, at: &mut WriteHook<'_>, id: SessionId) -> Result<bool, StoreError> {
        at.tx.delete_session(id).map(|_| true)
    }

    fn set_user_state(
        &self,
        at: &mut WriteHook<'_>,
        id: UserId,
        state: UserState,
    ) -> Result<bool, StoreError> {
        at.tx.set_user_state(id, state).map(|_| true)
    }
}
