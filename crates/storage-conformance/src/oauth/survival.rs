//! Rows that survive a restart of the store.

use oauth_provider::{Redemption, Rotation, SigningAlgorithm, TokenPairState};

use super::samples::{Fixture, digest, find_grant, read, refresh, seed, state_of, write};
use crate::areas::{AreaHarness, Oauth};
use crate::samples::timestamp;

pub(super) fn o70_rotations_and_redemptions_outlive_the_store(harness: &mut AreaHarness<Oauth>) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    let id = fixture.redeemed(store, "old");
    let ended = fixture.redeemed(store, "ended");
    write(store, move |tx| {
        let next = fixture.pair(id, "new");
        tx.rotate_pair(&refresh("old"), seed(5), &next, timestamp(9))?;
        tx.revoke_grant(ended, timestamp(10))?;
        tx.insert_authorization_request(&digest("handle"), &fixture.request())?;
        tx.insert_signing_key(&oauth_provider::NewSigningKey {
            kid: "kid".to_owned(),
            algorithm: SigningAlgorithm::Es256,
            generation: 1,
            public_jwk: "{}".to_owned(),
            sealed: vec![0],
            created_at: timestamp(0),
            signs_from: timestamp(0),
        })
    });
    harness.reopen();
    let store = harness.store();
    let rotated = TokenPairState::Rotated {
        at: timestamp(9),
        seed: seed(5),
    };
    assert_eq!(state_of(store, "old"), rotated);
    assert_eq!(state_of(store, "new"), TokenPairState::Current);
    let revoked = TokenPairState::Revoked { at: timestamp(10) };
    assert_eq!(state_of(store, "ended"), revoked);
    assert_eq!(
        find_grant(store, id).subject.application_id(),
        Some(fixture.app)
    );
    read(store, move |tx| {
        assert!(tx.find_application(fixture.app)?.is_some());
        let waiting = tx.find_authorization_request(&digest("handle"))?;
        assert_eq!(waiting, Some(fixture.request()));
        assert_eq!(tx.list_signing_keys()?.len(), 1);
        Ok(())
    });
    // A used code or token stays used.
    let again = write(store, move |tx| {
        let pair = fixture.pair(id, "again");
        let redeemed = tx.redeem_code(&digest("old"), &pair, timestamp(11))?;
        assert_eq!(redeemed, Redemption::AlreadyUsed(id));
        tx.rotate_pair(&refresh("old"), seed(6), &pair, timestamp(11))
    });
    assert!(matches!(again, Rotation::NotCurrent(_)), "{again:?}");
}
