//! A failover of PostgreSQL under load.

use test_databases::ReplicatedPair;

use crate::support::TestServer;
use crate::support::failover::check_failover;

#[test]
fn acknowledged_alerts_survive_a_failover_to_the_standby() {
    let Some(pair) = ReplicatedPair::start() else {
        return;
    };
    let server = TestServer::start_with(&["--database", &pair.url()]);
    check_failover(&server, &pair.url(), || pair.fail_over());
}
