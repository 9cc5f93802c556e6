//! Signing in and out, with what depends on it: when a session ends, authorizations that it began and nobody redeemed
//! end with it.
//!
//! Where transactions run side by side, anyone who writes what follows from a session or a user locks it first, and anyone who
//! ends one does that first and then looks for what followed. So none of it is overlooked. What caches have to forget is
//! recorded by the transaction.

use accounts::flow::check_password::{
    Attempt, PasswordOutcome, RightPassword, verify_password_attempt,
};
use accounts::flow::second_factor::{Proof, ProofOutcome, verify_second_factor};
use accounts::flow::sessions::{Browser, list_live_sessions};
use accounts::flow::sign_in::{SignIn, SignInRequest, complete_sign_in, sign_in};
use accounts::{Session, SessionLifetime, UserState};
use api_conventions::ids::{SessionId, UserId};
use api_conventions::time::Timestamp;
use oauth_provider::flow::authorize::SignedIn;
use storage::StoreError;

use crate::database::WriteTransaction;
use crate::settings::SignInRules;

/// Somebody who gave a login and a password.
#[derive(Debug, Clone)]
pub struct PasswordSignIn {
    /// The attempt.
    pub attempt: Attempt,
    /// The password, when it was found right.
    pub right: Option<RightPassword>,
    /// The browser with the cookie that it is to get.
    pub browser: Browser,
    /// The session that the browser has; it ends when another begins.
    pub replaced: Option<SessionId>,
}

/// How far somebody came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignInStep {
    /// Signed in.
    SignedIn,
    /// The second factor is to follow.
    SecondFactorMissing,
    /// The account is blocked.
    Blocked,
    /// What was given is wrong.
    Wrong,
    /// Too many failures.
    LockedOut {
        /// Seconds until the lockout ends.
        seconds: i64,
    },
    /// The session in which the second factor was given is over.
    Expired,
}

/// Signs in with a password, or begins to. Every outcome is to be committed.
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

/// Somebody who gave a second factor.
#[derive(Debug)]
pub struct SecondFactorSignIn {
    /// The session that waits for it.
    pub pending_session: Session,
    /// What was given.
    pub proof: Proof,
    /// The browser with the cookie that it is to get.
    pub browser: Browser,
    /// Now.
    pub now: Timestamp,
}

/// Signs in with the second factor. Every outcome is to be committed.
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

/// Whether the session is still there: what the request found may be a few seconds old.
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

/// Ends all sessions of a user but this one, with what they began and nobody redeemed, and gives how many sessions ended.
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

/// The same for somebody who distrusts what happened elsewhere: all that applications were permitted ends, too, because
/// anyone who sat there may have permitted it.
///
/// # Errors
/// Failures of the store.
pub fn sign_out_everywhere_else(
    tx: &mut dyn WriteTransaction,
    user_id: UserId,
    kept: SessionId,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.delete_sessions_of(user_id, Some(kept))?;
    tx.revoke_grants_of_user(user_id, None, now).map(drop)
}

/// Whether the session of a request is still there, with the cookie that it had, and its user may act: what the request
/// found may be a few seconds old, and something is about to be written that outlives the session. Both are locked, so
/// that anyone who ends either of them sees what is written.
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
    // A change of the password lets the session go on with another cookie, and notes the time.
    let is_same = |session: &Session| {
        session.id == found.session_id && session.authenticated_at == found.auth_time
    };
    Ok(user.is_some_and(|user| user.state == UserState::Active) && live.iter().any(is_same))
}

/// Signs a browser out. `false` when its session had ended.
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

/// Signs out another browser of the same user. `false` when the user has no such session.
///
/// # Errors
/// Failures of the store.
pub fn sign_out_own(
    tx: &mut dyn WriteTransaction,
    user_id: UserId,
    session: SessionId,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let own = tx.list_sessions(user_id)?;
    if own.iter().any(|own| own.id == session) {
        sign_out(tx, session, now)
    } else {
        Ok(false)
    }
}
