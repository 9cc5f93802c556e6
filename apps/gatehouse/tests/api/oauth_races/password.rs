//! Password checks that race a block of their user.

use std::thread;

use super::{all_at_once, on_each_database};
use crate::database::{database, server_on};
use crate::support::browser::TestBrowser;
use crate::support::relying_party::RelyingParty;
use crate::support::rows::HeldRows;
use crate::support::{TestServer, eventually};

/// Credentials obtained by a password.
enum ObtainedCredential {
    Token(String),
    Session(Box<TestBrowser>),
    Nothing,
}

fn by_grant(shop: &RelyingParty, password: &str) -> ObtainedCredential {
    let answer = shop.by_password("dev", password);
    if answer.status == 200 {
        let token = answer.json()["access_token"].clone();
        return ObtainedCredential::Token(token.as_str().unwrap().to_owned());
    }
    let refused = answer.expect(400);
    assert_eq!(refused["error"], "invalid_grant");
    ObtainedCredential::Nothing
}

fn by_sign_in(server: &TestServer, password: &str) -> ObtainedCredential {
    let mut browser = server.browser();
    let answer = browser.try_sign_in("dev", password);
    if answer.status == 303 {
        return ObtainedCredential::Session(Box::new(browser));
    }
    assert_eq!(answer.status, 422, "{}", answer.text());
    ObtainedCredential::Nothing
}

/// Unblocks the user, and waits until the server knows.
#[track_caller]
fn unblock(server: &TestServer) {
    let unblocked = server.command(&["user", "unblock", "dev"]);
    assert!(unblocked.status.success(), "{unblocked:?}");
    let personal = server.developer();
    eventually("the user may act again", || {
        (personal.get("/api/v4/user").status == 200).then_some(())
    });
}

#[track_caller]
fn assert_invalid(shop: &RelyingParty, credential: ObtainedCredential) {
    match credential {
        ObtainedCredential::Token(token) => assert_eq!(shop.call(&token).status, 401),
        ObtainedCredential::Session(mut browser) => assert!(!browser.is_signed_in()),
        ObtainedCredential::Nothing => {}
    }
}

/// OAUTH-05, lesson 29. The user is unblocked before anything is tried, because a blocked one is refused in any case.
#[test]
fn password_credentials_do_not_outlive_a_concurrent_block() {
    on_each_database(|server| {
        let shop = server.relying_party("Shop");
        let password = server.password_of("developer");
        for _ in 0..3 {
            let credentials = all_at_once(9, |number| match number {
                0 => {
                    server.block("dev");
                    ObtainedCredential::Nothing
                }
                1..5 => by_grant(&shop, &password),
                _ => by_sign_in(&server, &password),
            });
            unblock(&server);
            for credential in credentials {
                assert_invalid(&shop, credential);
            }
            assert!(matches!(
                by_grant(&shop, &password),
                ObtainedCredential::Token(_)
            ));
        }
    });
}

/// The block has reached its last step, and is not committed: passwords are still accepted.
#[test]
fn passwords_wait_for_a_block_that_is_under_way() {
    let Some(database) = database() else { return };
    let server = server_on(&database);
    let shop = server.relying_party("Shop");
    let password = server.password_of("developer");
    let mut epoch = HeldRows::of_epoch(database.url());
    let credentials = thread::scope(|scope| {
        let block = scope.spawn(|| server.block("dev"));
        epoch.wait_for(1);
        let grant = scope.spawn(|| by_grant(&shop, &password));
        epoch.wait_for(2);
        let sign_in = scope.spawn(|| by_sign_in(&server, &password));
        epoch.wait_for(3);
        drop(epoch);
        block.join().unwrap();
        [grant.join().unwrap(), sign_in.join().unwrap()]
    });
    assert!(matches!(
        credentials,
        [ObtainedCredential::Nothing, ObtainedCredential::Nothing]
    ));
    unblock(&server);
    assert!(matches!(
        by_sign_in(&server, &password),
        ObtainedCredential::Session(_)
    ));
}
