//! What outlives the store.

use oauth_provider::{Redemption, Rotation, SigningAlgorithm, TokenPairState};

use super::samples::{Cast, ask, change, digest, find_grant, refresh, seed, state_of};
use crate::Harness;
use crate::reach::Oauth;
use crate::samples::moment;

pub(super) fn o70_rotations_and_redemptions_outlive_the_store<H: Harness>(harness: &mut H)
where
    H::Store: Oauth,
{
    let cast = Cast::of(harness);
    let store = harness.store();
    let id = cast.redeemed(store, "old");
    let ended = cast.redeemed(store, "ended");
    change(store, move |tx| {
        let next = cast.pair(id, "new");
        tx.rotate_pair(&refresh("old"), seed(5), &next, moment(9))?;
        tx.revoke_grant(ended, moment(10))?;
        tx.insert_authorization_request(&digest("handle"), &cast.request())?;
        tx.insert_signing_key(&oauth_provider::NewSigningKey {
            kid: "kid".to_owned(),
            algorithm: SigningAlgorithm::Es256,
            generation: 1,
            public_jwk: "{}".to_owned(),
            sealed: vec![0],
            created_at: moment(0),
            signs_from: moment(0),
        })
    });
    harness.reopen();
    let store = harness.store();
    let rotated = TokenPairState::Rotated {
        at: moment(9),
        seed: seed(5),
    };
    assert_eq!(state_of(store, "old"), rotated);
    assert_eq!(state_of(store, "new"), TokenPairState::Current);
    let revoked = TokenPairState::Revoked { at: moment(10) };
    assert_eq!(state_of(store, "ended"), revoked);
    assert_eq!(find_grant(store, id).application_id, Some(cast.app));
    ask(store, move |tx| {
        assert!(tx.find_application(cast.app)?.is_some());
        let waiting = tx.find_authorization_request(&digest("handle"))?;
        assert_eq!(waiting, Some(cast.request()));
        assert_eq!(tx.list_signing_keys()?.len(), 1);
        Ok(())
    });
    // What was used before stays used.
    let again = change(store, move |tx| {
        let pair = cast.pair(id, "again");
        let redeemed = tx.redeem_code(&digest("old"), &pair, moment(11))?;
        assert_eq!(redeemed, Redemption::AlreadyUsed(id));
        tx.rotate_pair(&refresh("old"), seed(6), &pair, moment(11))
    });
    assert!(matches!(again, Rotation::NotCurrent(_)), "{again:?}");
}
