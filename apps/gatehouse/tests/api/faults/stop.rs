//! The process is asked to stop.

use super::{assert_nothing_lost, stored};
use crate::support::TestServer;
use crate::support::storm::rage;

/// SIGTERM while fifty senders are active: each alert that was answered 200 is stored, none is refused except because
/// the server has stopped, and the process exits successfully.
#[test]
fn a_stop_finishes_what_it_acknowledges() {
    let mut server = TestServer::start();
    let mut ended = None;
    let storm = rage(&mut server, 50, 200, |server| {
        ended = Some(server.stop());
    });
    assert!(ended.unwrap().success(), "{ended:?}");
    let other: Vec<_> = storm
        .refused
        .iter()
        .filter(|(status, _)| *status != 503)
        .collect();
    assert!(other.is_empty(), "{other:?}");
    server.restart();
    assert_nothing_lost(&storm.acknowledged, &stored(&server));
}

/// An idle server stops at once, although clients keep connections open.
#[test]
fn idle_connections_do_not_hold_up_a_stop() {
    let mut server = TestServer::start();
    let callers = [server.developer(), server.reporter(), server.admin()];
    for caller in &callers {
        caller.get("/api/v4/user").assert_ok();
    }
    let started = std::time::Instant::now();
    assert!(server.stop().success());
    assert!(started.elapsed().as_secs() < 15, "{:?}", started.elapsed());
}
