//! Access of a user, across crates: its state, its sessions, its grants and the authentication epoch.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use ::accounts::{NewSession, RevocationSubject, UserState};
use api_conventions::ids::{ApplicationId, GrantId, SessionId, UserId};
use api_conventions::secret::SecretDigest;
use oauth_provider::{GrantState, NewGrant, Redemption, TokenSubject};
use storage::{StoreError, StoreExt as _};

use crate::areas::{AreaHarness, Everything};
use crate::complete::{CompleteReadTx, CompleteWriteTx};
use crate::probe_rows::refusal;
use crate::samples::{SetOnDrop, timestamp};
use crate::{accounts, oauth, sign_in};

/// An active user, and an application.
#[derive(Debug, Clone, Copy)]
struct TestActor {
    user: UserId,
    app: ApplicationId,
}

impl TestActor {
    fn of(store: &Everything) -> Self {
        let created = store.change(|tx| {
            let user = accounts::insert(tx, &accounts::user("actor"))?;
            let app = tx.insert_application(&oauth::application("app", None))?;
            Ok(Self { user, app })
        });
        created.wait().unwrap()
    }

    /// Activates the user, and gives it a session and a pair of tokens, both with this text.
    fn act(self, tx: &mut dyn CompleteWriteTx, text: &str) -> Result<(), StoreError> {
        assert!(tx.set_user_state(self.user, UserState::Active)?);
        let session = tx.insert_session(&sign_in::session(self.user, text))?;
        let grant = NewGrant {
            session_id: Some(session),
            ..oauth::grant(self.app, self.user, text)
        };
        let id = tx.insert_grant(&grant)?;
        let pair = oauth::pair(id, TokenSubject::user(self.user, self.app), text);
        let redeemed = tx.redeem_code(&SecretDigest::of(text), &pair, timestamp(1))?;
        assert!(matches!(redeemed, Redemption::Redeemed(_)), "{redeemed:?}");
        Ok(())
    }

    /// Blocks the user, and revokes its sessions and grants.
    fn block(self, tx: &mut dyn CompleteWriteTx) -> Result<(), StoreError> {
        assert!(tx.set_user_state(self.user, UserState::Blocked { at: timestamp(9) })?);
        assert_eq!(tx.delete_sessions_of(self.user, None)?, 1);
        assert_eq!(tx.revoke_grants_of_user(self.user, None, timestamp(9))?, 1);
        tx.raise_auth_epoch(&[RevocationSubject::User(self.user)])
            .map(drop)
    }

    /// Access of the user: by its state, by a session, and by a grant.
    fn access(self, tx: &mut dyn CompleteReadTx) -> Result<[bool; 3], StoreError> {
        let user = tx.find_user(self.user)?.expect("the user exists");
        let authorized = tx.list_authorized_applications(self.user, timestamp(2))?;
        Ok([
            user.state == UserState::Active,
            !tx.list_sessions(self.user)?.is_empty(),
            !authorized.is_empty(),
        ])
    }

    /// The committed access of the user, and the epoch.
    fn access_and_epoch(self, store: &Everything) -> ([bool; 3], i64) {
        let seen = store.query(move |tx| Ok((self.access(tx)?, tx.auth_epoch()?)));
        seen.wait().unwrap()
    }
}

pub(super) fn x10_a_user_loses_all_access_together(harness: &mut AreaHarness<Everything>) {
    let store = harness.store();
    let actor = TestActor::of(store);
    let acted = store.change(move |tx| actor.act(tx, "first"));
    acted.wait().unwrap();
    let (access, epoch) = actor.access_and_epoch(store);
    assert_eq!(access, [true; 3]);
    let blocked = store.change(move |tx| {
        actor.block(tx)?;
        // The closure sees its own changes, in every crate.
        actor.access(tx)
    });
    assert_eq!(blocked.wait().unwrap(), [false; 3]);
    assert_eq!(actor.access_and_epoch(store), ([false; 3], epoch + 1));
}

pub(super) fn x11_a_refused_block_revokes_nothing(harness: &mut AreaHarness<Everything>) {
    let store = harness.store();
    let actor = TestActor::of(store);
    let acted = store.change(move |tx| actor.act(tx, "first"));
    acted.wait().unwrap();
    let before = actor.access_and_epoch(store);
    let refused = store.change(move |tx| {
        actor.block(tx)?;
        Err::<(), _>(refusal())
    });
    assert!(refused.wait().is_err());
    assert_eq!(actor.access_and_epoch(store), before);
    // The user can be blocked again.
    let blocked = store.change(move |tx| actor.block(tx));
    blocked.wait().unwrap();
    assert_eq!(actor.access_and_epoch(store), ([false; 3], before.1 + 1));
}

pub(super) fn x12_no_reader_sees_a_blocked_user_with_access_left(
    harness: &mut AreaHarness<Everything>,
) {
    let store = harness.store();
    let actor = TestActor::of(store);
    let acted = store.change(move |tx| actor.act(tx, "first"));
    acted.wait().unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        // The flag is also raised when a write fails; otherwise the reader would never end.
        let raised = SetOnDrop(&done);
        let reader = scope.spawn(|| {
            while !done.load(Ordering::Acquire) {
                let (access, _) = actor.access_and_epoch(store);
                assert!(access == [true; 3] || access == [false; 3], "{access:?}");
            }
        });
        for round in 0..20 {
            let blocked = store.change(move |tx| actor.block(tx));
            blocked.wait().unwrap();
            let acted = store.change(move |tx| actor.act(tx, &format!("round {round}")));
            acted.wait().unwrap();
        }
        drop(raised);
        reader.join().unwrap();
    });
}

pub(super) fn x13_an_ended_session_takes_its_requests_and_leaves_its_grants(
    harness: &mut AreaHarness<Everything>,
) {
    let store = harness.store();
    let actor = TestActor::of(store);
    let begun = store.change(move |tx| {
        let mut begin = |text| begin(tx, actor, text);
        Ok([
            begin("one")?,
            begin("all but one")?,
            begin("unused")?,
            begin("kept")?,
        ])
    });
    let [one, all_but_one, unused, kept] = begun.wait().unwrap();
    let ended = store.change(move |tx| {
        assert!(tx.delete_session(one.0)?);
        tx.touch_sessions(&[(all_but_one.0, timestamp(50)), (kept.0, timestamp(50))])?;
        assert_eq!(tx.delete_ended_sessions(timestamp(0), timestamp(50), 9)?, 1);
        assert_eq!(tx.delete_sessions_of(actor.user, Some(kept.0))?, 1);
        Ok(())
    });
    ended.wait().unwrap();
    let seen = store.query(move |tx| {
        for text in ["one", "all but one", "unused"] {
            let waiting = tx.find_authorization_request(&handle(text))?;
            assert_eq!(waiting, None, "{text}");
        }
        assert!(tx.find_authorization_request(&handle("kept"))?.is_some());
        for (session, grant) in [one, all_but_one, unused, kept] {
            let grant = tx.find_grant(grant)?.expect("the grant exists");
            assert_eq!(grant.session_id, Some(session));
            assert_eq!(grant.state, GrantState::Issued, "the caller ends that");
        }
        Ok(())
    });
    seen.wait().unwrap();
}

/// Digest of the handle of an authorization request.
fn handle(text: &str) -> SecretDigest {
    SecretDigest::of(&format!("handle {text}"))
}

/// Begins a session with a pending request, and a grant whose code was not redeemed.
fn begin(
    tx: &mut dyn CompleteWriteTx,
    actor: TestActor,
    text: &str,
) -> Result<(SessionId, GrantId), StoreError> {
    let session = tx.insert_session(&NewSession {
        expires_at: timestamp(1_000),
        ..sign_in::session(actor.user, text)
    })?;
    let request = oauth::request(actor.app, actor.user, session);
    tx.insert_authorization_request(&handle(text), &request)?;
    let grant = tx.insert_grant(&NewGrant {
        session_id: Some(session),
        ..oauth::grant(actor.app, actor.user, text)
    })?;
    Ok((session, grant))
}
