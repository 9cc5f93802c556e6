//! The process is asked to stop.

use super::{assert_nothing_lost, stored};
use crate::support::TestServer;
use crate::support::storm::rage;

/// SIGTERM while fifty senders are active: each alert that was answered 200 is stored, none is refused except because
/// the server has stopped, and the process exits successfully.
#[test]
fn sigterm_loses_no_acknowledged_alert() {
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

/// An idle server stops at once, although clients keep connections open:
/// a server that waited for them would take longer than the run of the tests allows.
#[test]
fn idle_connections_do_not_hold_up_a_stop() {
    let forever = "[server]\nshutdown_timeout_seconds = 3600\nkeep_alive_seconds = 3600\n";
    let mut server = TestServer::start_configured(forever);
    let callers = [server.developer(), server.reporter(), server.admin()];
    for caller in &callers {
        caller.get("/api/v4/user").assert_ok();
    }
    assert!(server.stop().success());
}
