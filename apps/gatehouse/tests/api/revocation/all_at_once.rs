//! All operations that take two or more locks, concurrently and on PostgreSQL, where transactions run in parallel.

use std::sync::Mutex;

use diesel::sql_types::BigInt;
use diesel::{Connection as _, PgConnection, QueryableByName, RunQueryDsl as _};
use serde_json::json;

use super::SignInCredentials;
use crate::database::{database, server_on};
use crate::oauth_races::all_at_once;
use crate::support::browser::hidden;
use crate::support::{TestServer, eventually};

/// Number of browsers of each kind that act at once.
const BROWSERS_PER_KIND: usize = 3;

#[derive(QueryableByName)]
struct QueryCount {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

fn count(connection: &mut PgConnection, query: &str) -> i64 {
    let count: QueryCount = diesel::sql_query(query).get_result(connection).unwrap();
    count.count
}

/// Credentials, and the form token of their browser: once the race has begun, another request may have ended the
/// session, and then no page would show a token.
type PreparedBrowser = (SignInCredentials, String);

fn prepare(mut credentials: SignInCredentials) -> PreparedBrowser {
    let token = hidden(&credentials.browser.open("/profile"), "authenticity_token");
    (credentials, token)
}

/// Performs an action of a browser with its credentials. The server must respond to it, whatever it is.
fn perform(
    server: &TestServer,
    kind: usize,
    number: usize,
    (mut credentials, token): PreparedBrowser,
) -> Vec<u16> {
    let browser = &mut credentials.browser;
    let mut submit = |path: &str, fields: &[(&str, &str)]| {
        let mut all = vec![("authenticity_token", token.as_str())];
        all.extend_from_slice(fields);
        browser.post(path, &all).status
    };
    match kind {
        0 => vec![submit("/users/sign_out", &[])],
        1 => {
            let path = format!("/oauth/authorized_applications/{}", credentials.shop.id);
            let fields = [("_method", "delete")];
            vec![submit(&path, &fields)]
        }
        2 => {
            let old = server.password_of("developer");
            let fields = [
                ("user[current_password]", old.as_str()),
                ("user[password]", old.as_str()),
                ("user[password_confirmation]", old.as_str()),
            ];
            vec![submit("/profile/password", &fields)]
        }
        3 => (0..4)
            .map(|_| credentials.shop.refresh(&credentials.tokens.refresh).status)
            .collect(),
        4 => vec![
            credentials.shop.redeem(&credentials.code).status,
            credentials.shop.revoke(&credentials.tokens.access).status,
        ],
        5 => (0..4)
            .map(|round| {
                let alert = json!({ "title": format!("alert {}", (number + round) % 5) });
                server.sender().post(&server.generic(), &alert).status
            })
            .collect(),
        6 => {
            let path =
                server.below_project(&format!("/alert_management_alerts/{}", 1 + number % 3));
            ["resolved", "acknowledged", "resolved"]
                .map(|status| {
                    server
                        .developer()
                        .put(&path, &json!({ "status": status }))
                        .status
                })
                .to_vec()
        }
        _ => vec![submit("/profile/sessions/others", &[])],
    }
}

/// Every operation takes its locks in the documented order, so there is no deadlock. A transaction that the database
/// aborts after a deadlock is retried, so responses would not show it; the database's own count does.
#[test]
fn everything_that_takes_two_locks_meets_no_deadlock() {
    let Some(database) = database() else { return };
    let server = server_on(&database);
    let shop = server.relying_party("Shop");
    let kinds = 8;
    let credentials: Vec<Mutex<Option<PreparedBrowser>>> = (0..kinds * BROWSERS_PER_KIND)
        .map(|_| {
            Mutex::new(Some(prepare(SignInCredentials::of(
                &server,
                "developer",
                &shop,
            ))))
        })
        .collect();
    let answers = all_at_once(credentials.len(), |number| {
        let mine = credentials[number].lock().unwrap().take().unwrap();
        perform(&server, number % kinds, number, mine)
    });
    let failed: Vec<_> = answers
        .iter()
        .enumerate()
        .filter(|(_, statuses)| statuses.iter().any(|status| *status >= 500))
        .collect();
    assert!(failed.is_empty(), "{failed:?}");
    let mut connection = PgConnection::establish(database.url()).unwrap();
    // Statistics are reported some time after their transactions.
    let committed =
        "SELECT xact_commit AS count FROM pg_stat_database WHERE datname = current_database()";
    eventually("the statistics are told", || {
        (count(&mut connection, committed) > 0).then_some(())
    });
    let deadlocks =
        "SELECT deadlocks AS count FROM pg_stat_database WHERE datname = current_database()";
    assert_eq!(count(&mut connection, deadlocks), 0);
}
