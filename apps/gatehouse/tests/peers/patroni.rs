//! A failover that Patroni decides, behind `HAProxy` with the block of `docs/operating.md`.

use std::fs;

use diesel::sql_types::BigInt;
use diesel::{Connection as _, PgConnection, QueryableByName, RunQueryDsl as _};
use test_databases::PatroniPair;

use crate::proxies::{DATABASE_HAPROXY, Proxy};
use crate::support::failover::check_failover;
use crate::support::{TestServer, eventually, outside};

#[derive(QueryableByName)]
struct Standbys {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// Number of standbys for which commits wait.
fn synchronous_standbys(url: &str) -> Option<i64> {
    let mut connection = PgConnection::establish(url).ok()?;
    let query = "SELECT count(*) AS count FROM pg_stat_replication WHERE sync_state = 'sync'";
    let row: Standbys = diesel::sql_query(query).get_result(&mut connection).ok()?;
    Some(row.count)
}

/// Block of the document with the addresses of the servers.
fn block(pair: &PatroniPair) -> String {
    let document = fs::read_to_string("../../docs/operating.md").unwrap();
    let block = document.split("```haproxy\n").nth(1).unwrap();
    let block = block.split("```").next().unwrap().to_owned();
    let servers = pair.servers().iter().zip(["10.0.0.21", "10.0.0.22"]);
    servers.fold(block, |block, (server, address)| {
        let [own, api] = [&server.address, &server.api];
        let port = api.rsplit(':').next().unwrap();
        let line = format!("{address}:5432 check port 8008");
        assert!(block.contains(&line), "{block}");
        block.replace(&line, &format!("{own} check port {port}"))
    })
}

#[test]
fn acknowledged_alerts_survive_a_failover_that_patroni_decides() {
    let Some(patroni) = outside::find("GATEHOUSE_TEST_PATRONI", &["/usr/bin/patroni"]) else {
        return;
    };
    let Some(pair) = PatroniPair::start(&patroni) else {
        return;
    };
    let Some(proxy) = Proxy::start_with(&DATABASE_HAPROXY, &block(&pair)) else {
        return;
    };
    let url = format!("postgres://gatehouse@{}/postgres", proxy.address);
    eventually("a standby is synchronous", || {
        (synchronous_standbys(&url)? > 0).then_some(())
    });
    let server = TestServer::start_with(&["--database", &url]);
    check_failover(&server, &url, || pair.crash_primary());
}
