//! Limits on new tokens (`AUTH-08`, `AUTH-09`).

use accounts::flow::issue_token::{IssueToken, IssueTokenError, MAX_NAME};
use api_conventions::ids::UserId;
use api_conventions::scope::{Scope, ScopeSet};

use crate::support::{Accounts, at, changed, day, now, request};

/// Returns the error of issuing a token for a non-administrator with a changed request.
fn refused(change: impl FnOnce(&mut IssueToken)) -> String {
    let accounts = Accounts::default();
    let mut token_request = request(accounts.user("ann"), "secret");
    change(&mut token_request);
    let error = accounts.issue(token_request).unwrap_err();
    assert!(accounts.refuses("secret", now()), "nothing is stored");
    error.to_string()
}

#[test]
fn invalid_token_requests_are_rejected_with_the_reason() {
    assert_eq!(
        refused(|request| request.name = " \t".to_owned()),
        "a token needs a name"
    );
    assert_eq!(
        refused(|request| request.scopes = ScopeSet::default()),
        "a token needs at least one scope"
    );
    assert_eq!(
        refused(|request| request.user_id = UserId::new(99)),
        "the user does not exist"
    );
}

#[test]
fn only_an_administrator_may_hold_sudo() {
    let scopes = ScopeSet::from_iter([Scope::API, Scope::SUDO]);
    let response = refused(|request| request.scopes = scopes.clone());
    assert_eq!(
        response,
        "only tokens of administrators can have the scope sudo"
    );
    let accounts = Accounts::default();
    let root = accounts.admin("root");
    accounts
        .issue(changed(request(root, "secret"), |it| {
            it.scopes = scopes;
        }))
        .unwrap();
    assert!(
        accounts
            .authenticated("secret", now())
            .scopes
            .contains(&Scope::SUDO)
    );
}

/// AUTH-09.
#[test]
fn without_a_day_of_expiry_it_is_a_year_ahead() {
    let accounts = Accounts::default();
    let ann = accounts.user("ann");
    accounts.issue(request(ann, "secret")).unwrap();
    let found = accounts.authenticated("secret", now());
    assert_eq!(found.expires_at, at("2025-03-01T00:00:00Z"));
}

/// AUTH-09.
#[test]
fn a_day_of_expiry_is_after_today_and_within_a_year() {
    let rule = "a token must expire after today and within a year";
    for text in [
        "2024-03-01",
        "2024-02-29",
        "0001-01-01",
        "2025-03-02",
        "9999-12-31",
    ] {
        assert_eq!(
            refused(|request| request.expires_on = Some(day(text))),
            rule,
            "{text}"
        );
    }
    for text in ["2024-03-02", "2024-12-31", "2025-03-01"] {
        let accounts = Accounts::default();
        let mut token_request = request(accounts.user("ann"), "secret");
        token_request.expires_on = Some(day(text));
        accounts.issue(token_request).unwrap();
        assert_eq!(
            accounts.authenticated("secret", now()).expires_at,
            day(text).start()
        );
    }
}

#[test]
fn the_same_secret_is_never_issued_twice() {
    let accounts = Accounts::default();
    let (ann, bob) = (accounts.user("ann"), accounts.user("bob"));
    accounts.issue(request(ann, "secret")).unwrap();
    let error = accounts.issue(request(bob, "secret")).unwrap_err();
    assert!(matches!(error, IssueTokenError::Store(_)), "{error:?}");
    assert_eq!(accounts.authenticated("secret", now()).user.id, ann);
}

#[test]
fn a_name_has_a_longest_length() {
    let accounts = Accounts::default();
    let ann = accounts.user("ann");
    let mut issue = request(ann, "secret");
    issue.name = "ä".repeat(MAX_NAME);
    accounts.issue(issue.clone()).unwrap();
    issue.name.push('x');
    let error = accounts.issue(issue).unwrap_err();
    assert!(matches!(error, IssueTokenError::LongName), "{error:?}");
}
