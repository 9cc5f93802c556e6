//! Two concurrent revocations. On PostgreSQL, each proceeds as far as it can before the other continues, so that a
//! deadlock would be found. On the embedded database they run one after the other anyway.

use std::thread;

use super::SignInCredentials;
use crate::database::{database, server_on};
use crate::pages::second_factor::switch_on;
use crate::support::TestServer;
use crate::support::rows::HeldRows;

/// Runs a revocation in each of a user's two browsers, the first one first, and asserts that both succeed.
fn both_succeed(
    first: impl FnOnce(&TestServer, SignInCredentials) -> u16 + Send,
    second: impl FnOnce(SignInCredentials) -> u16 + Send,
) {
    let Some(database) = database() else { return };
    let server = server_on(&database);
    let shop = server.relying_party("Shop");
    let here = SignInCredentials::of(&server, "developer", &shop);
    let there = SignInCredentials::of(&server, "developer", &shop);
    let mut epoch = HeldRows::of_epoch(database.url());
    let statuses = thread::scope(|scope| {
        let first = scope.spawn(|| first(&server, here));
        epoch.wait_for(1);
        let second = scope.spawn(|| second(there));
        epoch.wait_for(2);
        drop(epoch);
        [first.join().unwrap(), second.join().unwrap()]
    });
    assert!(matches!(statuses, [200 | 303, 303]), "{statuses:?}");
}

fn change_password(server: &TestServer, mut credentials: SignInCredentials) -> u16 {
    let old = server.password_of("developer");
    let fields = [
        ("user[current_password]", old.as_str()),
        ("user[password]", "a new password"),
        ("user[password_confirmation]", "a new password"),
    ];
    let browser = &mut credentials.browser;
    let answer = browser.submit("/profile", "/profile/password", &fields);
    answer.status
}

fn take_permission_back(mut credentials: SignInCredentials) -> u16 {
    let path = format!("/oauth/authorized_applications/{}", credentials.shop.id);
    let fields = [("_method", "delete")];
    let browser = &mut credentials.browser;
    browser.submit("/profile", &path, &fields).status
}

fn sign_out(mut credentials: SignInCredentials) -> u16 {
    let browser = &mut credentials.browser;
    browser.submit("/profile", "/users/sign_out", &[]).status
}

#[test]
fn concurrent_password_change_and_authorization_revocation_succeed() {
    both_succeed(change_password, take_permission_back);
}

#[test]
fn another_password_and_a_browser_that_signs_out_do_not_wait_for_each_other() {
    both_succeed(change_password, sign_out);
}

#[test]
fn a_second_factor_and_a_browser_that_signs_out_do_not_wait_for_each_other() {
    let first = |server: &TestServer, mut here: SignInCredentials| {
        let (_, answer) = switch_on(&mut here.browser, &server.password_of("developer"));
        answer.status
    };
    both_succeed(first, sign_out);
}

#[test]
fn concurrent_sign_in_and_authorization_revocation_succeed() {
    let first = |server: &TestServer, mut here: SignInCredentials| {
        let password = server.password_of("developer");
        let fields = [
            ("user[login]", "dev"),
            ("user[password]", password.as_str()),
        ];
        let from = "/users/sign_in?again=1";
        here.browser.submit(from, "/users/sign_in", &fields).status
    };
    both_succeed(first, take_permission_back);
}
