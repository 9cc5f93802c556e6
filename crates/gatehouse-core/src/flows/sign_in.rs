//! Signing in and out: when a session ends, its unredeemed authorization codes end with it.
//!
//! With concurrent transactions, a transaction that writes something dependent on a session or user locks it first, and
//! one that ends a session or user does so first and then looks for dependents. So none is missed. The transaction
//! itself records what caches must invalidate.

use accounts::flow::check_password::{
    Attempt, PasswordOutcome, VerifiedPassword, verify_password_attempt,
};
use accounts::flow::second_factor::{Proof, ProofOutcome, verify_second_factor};
use accounts::flow::sessions::{Browser, list_live_sessions};
use accounts::flow::sign_in::{SignIn, SignInRequest, complete_sign_in, sign_in};
use accounts::{AuditEventName, Session, SessionLifetime, UserState};
use api_conventions::ids::{SessionId, UserId};
use api_conventions::time::Timestamp;
use oauth_provider::flow::authorize::SignedIn;
use storage::StoreError;

use super::users::{AccountEditor, record};
use crate::database::WriteTransaction;
use crate::settings::SignInRules;

/// A sign-in with login and password.
#[derive(Debug, Clone)]
pub struct PasswordSignIn {
    /// The sign-in attempt.
    pub attempt: Attempt,
    /// The password, if it was right.
    pub right: Option<VerifiedPassword>,
    /// The browser, with the new cookie for it.
    pub browser: Browser,
    /// Current session of the browser, which ends when the new one begins.
    pub replaced: Option<SessionId>,
}

/// Result of a sign-in step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignInStep {
    /// Signed in.
    SignedIn,
    /// The second factor is still required.
    SecondFactorMissing,
    /// The account is blocked.
    Blocked,
    /// The password or second factor is wrong.
    Wrong,
    /// Too many failures.
    LockedOut {
        /// Seconds until the lockout ends.
        seconds: i64,
    },
    /// The session that was waiting for the second factor has ended.
    Expired,
}

/// Signs in with a password, or starts a sign-in with a second factor. Commit the transaction whatever the outcome.
///
/// # Errors
/// Failures of the store.
pub fn sign_in_by_password(
    tx: &mut dyn WriteTransaction,
    request: PasswordSignIn,
    rules: &SignInRules,
) -> Result<SignInStep, StoreError> {
    let now = request.attempt.now;
    let credentials =
        match verify_password_attempt(tx, &request.attempt, request.right, &rules.policy)? {
            PasswordOutcome::Right(credentials) => credentials,
            PasswordOutcome::Wrong => return Ok(SignInStep::Wrong),
            PasswordOutcome::LockedOut { seconds } => return Ok(SignInStep::LockedOut { seconds }),
        };
    let mut proven = SignInRequest::new(*credentials, request.browser, now);
    proven.replaced = request.replaced;
    let outcome = sign_in(tx, &proven, rules.lifetime)?;
    let has_begun = matches!(
        outcome,
        SignIn::SignedIn(_) | SignIn::SecondFactorMissing(_)
    );
    if let Some(replaced) = request.replaced.filter(|_| has_begun) {
        tx.revoke_unredeemed(replaced, now)?;
    }
    Ok(match outcome {
        SignIn::SignedIn(_) => SignInStep::SignedIn,
        SignIn::SecondFactorMissing(_) => SignInStep::SecondFactorMissing,
        SignIn::Blocked => SignInStep::Blocked,
        SignIn::Outdated => SignInStep::Wrong,
    })
}

/// A sign-in with a second factor.
#[derive(Debug)]
pub struct SecondFactorSignIn {
    /// The session that waits for the second factor.
    pub pending_session: Session,
    /// The second factor that was entered.
    pub proof: Proof,
    /// The browser, with the new cookie for it.
    pub browser: Browser,
    /// Current time.
    pub now: Timestamp,
}

/// Signs in with the second factor. Commit the transaction whatever the outcome.
///
/// # Errors
/// Failures of the store.
pub fn sign_in_by_second_factor(
    tx: &mut dyn WriteTransaction,
    request: &SecondFactorSignIn,
    rules: &SignInRules,
) -> Result<SignInStep, StoreError> {
    let user_id = request.pending_session.user_id;
    if !is_waiting(tx, &request.pending_session, rules.lifetime, request.now)? {
        return Ok(SignInStep::Expired);
    }
    let policy = rules.policy.per_login;
    match verify_second_factor(tx, user_id, &request.proof, policy, request.now)? {
        ProofOutcome::Right => {
            let (lifetime, now) = (rules.lifetime, request.now);
            let begun = complete_sign_in(
                tx,
                &request.pending_session,
                &request.browser,
                lifetime,
                now,
            )?;
            Ok(begun.map_or(SignInStep::Expired, |_| SignInStep::SignedIn))
        }
        ProofOutcome::Wrong => Ok(SignInStep::Wrong),
        ProofOutcome::LockedOut { seconds } => Ok(SignInStep::LockedOut { seconds }),
        ProofOutcome::Off => Ok(SignInStep::Expired),
    }
}

/// True if the pending session still exists: the session found by the request may be a few seconds out of date.
fn is_waiting(
    tx: &mut dyn WriteTransaction,
    session: &Session,
    lifetime: SessionLifetime,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let sessions = tx.list_sessions(session.user_id)?;
    let found = sessions.iter().find(|other| other.id == session.id);
    Ok(found.is_some_and(|found| found.is_alive(now, lifetime)))
}

/// Ends all sessions of a user except this one, with their unredeemed authorization codes. Returns the number of ended
/// sessions.
///
/// # Errors
/// Failures of the store.
pub fn end_others(
    tx: &mut dyn WriteTransaction,
    user_id: UserId,
    kept: SessionId,
    now: Timestamp,
) -> Result<usize, StoreError> {
    let sessions = tx.list_sessions(user_id)?;
    let ended = tx.delete_sessions_of(user_id, Some(kept))?;
    for session in sessions.iter().filter(|session| session.id != kept) {
        tx.revoke_unredeemed(session.id, now)?;
    }
    Ok(ended)
}

/// Ends all sessions of a user except this one, and revokes all OAuth grants, for a user who distrusts the other
/// sessions.
/// Anyone with access to such a session may have authorized an application. Recorded in the audit log if anything ends.
///
/// # Errors
/// Failures of the store.
pub fn sign_out_everywhere_else(
    tx: &mut dyn WriteTransaction,
    user_id: UserId,
    kept: SessionId,
    now: Timestamp,
) -> Result<(), StoreError> {
    let ended = tx.delete_sessions_of(user_id, Some(kept))?;
    let revoked = tx.revoke_grants_of_user(user_id, None, now)?;
    if ended == 0 && revoked == 0 {
        return Ok(());
    }
    let (ended, revoked) = (ended.to_string(), revoked.to_string());
    let fields = [
        ("sessions", ended.as_str()),
        ("revoked_grants", revoked.as_str()),
    ];
    record_ended(tx, user_id, &fields, now)
}

/// True if the session of a request still exists with the same cookie, and its user is active.
/// The session found by the request may be a few seconds out of date, and the caller is about to write something that
/// outlives it. Both are locked, so that a transaction that ends either of them sees what is written.
///
/// # Errors
/// Failures of the store.
pub fn is_signed_in(
    tx: &mut dyn WriteTransaction,
    found: &SignedIn,
    lifetime: SessionLifetime,
    now: Timestamp,
) -> Result<bool, StoreError> {
    if !tx.lock_user(found.user_id)? || !tx.lock_session(found.session_id)? {
        return Ok(false);
    }
    let user = tx.find_user(found.user_id)?;
    let live = list_live_sessions(tx, found.user_id, lifetime, now)?;
    // A password change keeps the session but replaces its cookie, and updates this time.
    let is_same = |session: &Session| {
        session.id == found.session_id && session.authenticated_at == found.auth_time
    };
    Ok(user.is_some_and(|user| user.state == UserState::Active) && live.iter().any(is_same))
}

/// Signs out a browser; `false` if its session had already ended.
///
/// # Errors
/// Failures of the store.
pub fn sign_out(
    tx: &mut dyn WriteTransaction,
    session: SessionId,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let ended = tx.delete_session(session)?;
    tx.revoke_unredeemed(session, now)?;
    Ok(ended)
}

/// Ends a session of a user, and records it in the audit log unless it is the session `current`, in which the user just
/// signs out. Returns `false` if the user has no such session.
///
/// # Errors
/// Failures of the store.
pub fn sign_out_own(
    tx: &mut dyn WriteTransaction,
    user_id: UserId,
    session: SessionId,
    current: SessionId,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let own = tx.list_sessions(user_id)?;
    let Some(own) = own.into_iter().find(|own| own.id == session) else {
        return Ok(false);
    };
    let is_ended = sign_out(tx, session, now)?;
    if is_ended && session != current {
        let fields = [("sessions", "1"), ("signed_in_from", own.address.as_str())];
        record_ended(tx, user_id, &fields, now)?;
    }
    Ok(is_ended)
}

/// Records that a user ended other sessions of their account.
fn record_ended(
    tx: &mut dyn WriteTransaction,
    user_id: UserId,
    fields: &[(&'static str, &str)],
    now: Timestamp,
) -> Result<(), StoreError> {
    let by = AccountEditor {
        id: Some(user_id),
        now,
    };
    record(tx, user_id, AuditEventName::SessionsEnded, fields, by)
}
