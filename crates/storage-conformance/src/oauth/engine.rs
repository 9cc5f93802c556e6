//! The invariants that oxide-auth publishes for its authorizers and issuers, checked on a store through
//! [`StoreSession`].

use api_conventions::ids::UserId;
use api_conventions::scope::Scope;
use api_conventions::secret::SecretSource;
use chrono::{DateTime, Utc};
use oauth_provider::engine::StoreSession;
use oauth_provider::{Policy, ScopeEntry, ScopeRegistry};
use oxide_auth::primitives::authorizer::Authorizer as _;
use oxide_auth::primitives::grant::{Extensions, Grant};
use oxide_auth::primitives::issuer::Issuer as _;

use super::application;
use crate::areas::{AreaHarness, Oauth};
use crate::samples::timestamp;
use oauth_provider::OauthWriteTx;
use storage::StoreExt as _;

/// A source of bytes that never repeat.
struct Counter(std::sync::atomic::AtomicU64);

impl SecretSource for Counter {
    fn fill(&self, bytes: &mut [u8]) {
        let number = self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        for (byte, of_number) in bytes.iter_mut().zip(number.to_be_bytes()) {
            *byte = of_number;
        }
    }
}

fn grant(owner: UserId) -> Grant {
    Grant {
        owner_id: owner.to_string(),
        client_id: "engine".to_owned(),
        scope: "api read_user".parse().unwrap(),
        redirect_uri: "https://example.com/redirect_me".parse().unwrap(),
        until: DateTime::from_timestamp_micros(timestamp(60).as_micros()).unwrap(),
        extensions: Extensions::new(),
    }
}

/// The policy of a host with the scopes of the grant.
fn policy() -> Policy {
    let entry = |name| ScopeEntry::new(Scope::from_static(name), name, name);
    Policy::new(ScopeRegistry::new(["api", "read_user"].map(entry)).unwrap())
}

/// Runs `invariants` over a session of the store at the time 0, in one transaction.
fn check(
    harness: &AreaHarness<Oauth>,
    invariants: fn(&mut StoreSession<'_, dyn OauthWriteTx + '_>, Grant),
) {
    let [owner, ..] = harness.people();
    let done = harness.store().change(move |tx| {
        tx.insert_application(&application("engine", None))?;
        let secrets = Counter(0.into());
        let mut session = StoreSession::new(tx, policy(), &secrets, timestamp(0));
        invariants(&mut session, grant(owner));
        Ok(())
    });
    done.wait().unwrap();
}

/// Checks that a code returns its grant, once, and that all codes differ.
///
/// # Panics
/// When the store violates an invariant.
pub fn check_authorizer_invariants(harness: &AreaHarness<Oauth>) {
    check(harness, |session, grant| {
        let code = session.authorize(grant.clone()).unwrap();
        assert_eq!(session.extract(&code).unwrap(), Some(grant.clone()));
        assert_eq!(
            session.extract(&code).unwrap(),
            None,
            "a code is usable once"
        );
        assert_eq!(session.extract("unknown").unwrap(), None);
        assert_ne!(session.authorize(grant).unwrap(), code);
    });
}

/// Checks that a token returns its owner, that all tokens differ, and that a refresh leaves one pair.
///
/// # Panics
/// When the store violates an invariant.
pub fn check_issuer_invariants(harness: &AreaHarness<Oauth>) {
    check(harness, |session, grant| {
        let first = session.issue(grant.clone()).unwrap();
        let recovered = session.recover_token(&first.token).unwrap().unwrap();
        assert_eq!(
            (recovered.owner_id, recovered.client_id, recovered.scope),
            (
                grant.owner_id.clone(),
                grant.client_id.clone(),
                grant.scope.clone()
            )
        );
        assert!(DateTime::<Utc>::UNIX_EPOCH < recovered.until && recovered.until == first.until);
        let refresh = first.refresh.unwrap();
        assert!(session.recover_refresh(&refresh).unwrap().is_some());
        assert!(session.recover_token(&refresh).unwrap().is_none());
        let second = session.issue(grant.clone()).unwrap();
        let mut all = vec![
            first.token.clone(),
            refresh.clone(),
            second.token,
            second.refresh.unwrap(),
        ];
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 4);
        let next = session.refresh(&refresh, grant).unwrap();
        assert_ne!(next.refresh.as_ref(), Some(&refresh));
        assert!(session.recover_token(&next.token).unwrap().is_some());
        assert!(session.recover_token(&first.token).unwrap().is_none());
        assert!(session.recover_refresh(&refresh).unwrap().is_none());
    });
}
