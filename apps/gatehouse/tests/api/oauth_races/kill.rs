//! The server is killed while applications refresh and revoke their tokens.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::on_each_database_with;
use crate::support::relying_party::{RelyingParty, RelyingPartyTokens};
use crate::support::{TestServer, eventually};

/// Settings that give a client time to retry after the restart.
const SETTINGS: &str = "[oauth]\nrefresh_repeat_seconds = 60\n";

/// Each family refreshes repeatedly until the server is killed, after `enough` responses. Returns the last acknowledged
/// pair of each: the response in progress is lost.
fn refresh_until_killed(
    server: &mut TestServer,
    shop: &RelyingParty,
    families: Vec<RelyingPartyTokens>,
    enough: usize,
) -> Vec<RelyingPartyTokens> {
    let answered = AtomicUsize::new(0);
    thread::scope(|scope| {
        let clients: Vec<_> = families
            .into_iter()
            .map(|mut last| {
                let answered = &answered;
                scope.spawn(move || {
                    while let Ok(answer) = shop.try_refresh(&last.refresh) {
                        last = RelyingPartyTokens::of(&answer);
                        answered.fetch_add(1, Ordering::Relaxed);
                    }
                    last
                })
            })
            .collect();
        eventually("enough refreshes are answered", || {
            (answered.load(Ordering::Relaxed) >= enough).then_some(())
        });
        server.kill();
        clients
            .into_iter()
            .map(|client| client.join().unwrap())
            .collect()
    })
}

/// OAUTH-04, lesson 2: the last acknowledged refresh token works, whether or not it was used before the server was
/// killed, and gives one pair.
#[test]
fn a_client_whose_answer_was_lost_refreshes_again() {
    on_each_database_with(SETTINGS, |mut server| {
        let shop = server.relying_party("Shop");
        let mut browser = server.signed_in("developer");
        let mut families: Vec<RelyingPartyTokens> =
            (0..8).map(|_| shop.tokens(&mut browser)).collect();
        for _ in 0..3 {
            let last = refresh_until_killed(&mut server, &shop, families, 80);
            server.restart();
            let again = last.iter().map(|known| {
                let next = RelyingPartyTokens::of(&shop.refresh(&known.refresh));
                assert_eq!(RelyingPartyTokens::of(&shop.refresh(&known.refresh)), next);
                assert_eq!(shop.call(&known.access).status, 401);
                shop.call(&next.access).assert_ok();
                next
            });
            families = again.collect();
        }
    });
}

/// OAUTH-08: an acknowledged revocation persists; a lost one succeeds by a retry.
#[test]
fn a_revocation_that_was_acknowledged_survives_a_kill() {
    on_each_database_with(SETTINGS, |mut server| {
        let shop = server.relying_party("Shop");
        let mut browser = server.signed_in("developer");
        let families: Vec<RelyingPartyTokens> =
            (0..30).map(|_| shop.tokens(&mut browser)).collect();
        let waiting = Mutex::new(families.clone());
        let ended = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    // The last ones stay, so that the server is killed while it is busy.
                    while let Some(tokens) = take(&waiting, 4) {
                        let Ok(answer) = shop.try_revoke(&tokens.access) else {
                            break;
                        };
                        assert_eq!(answer.text(), "{}");
                        ended.lock().unwrap().push(tokens);
                    }
                });
            }
            eventually("some are ended", || {
                (ended.lock().unwrap().len() >= 8).then_some(())
            });
            server.kill();
        });
        server.restart();
        let ended = ended.into_inner().unwrap();
        for tokens in families {
            if !ended.contains(&tokens) {
                shop.revoke(&tokens.refresh).assert_ok();
            }
            assert_eq!(shop.call(&tokens.access).status, 401);
            assert_eq!(shop.refresh(&tokens.refresh).status, 400);
        }
    });
}

/// Takes one of the waiting tokens, unless only `rest` are left.
fn take(waiting: &Mutex<Vec<RelyingPartyTokens>>, rest: usize) -> Option<RelyingPartyTokens> {
    let mut waiting = waiting.lock().unwrap();
    if waiting.len() > rest {
        waiting.pop()
    } else {
        None
    }
}
