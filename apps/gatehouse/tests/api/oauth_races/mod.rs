//! Concurrent requests of the same kind, at one server or at two, or with a kill meanwhile: on both databases.

mod consent;
mod exchange;
mod kill;
mod password;
mod processes;
mod refresh;

use std::collections::BTreeMap;
use std::fs;
use std::panic::resume_unwind;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use crate::database::{database, server_on};
use crate::support::{TestResponse, TestServer, eventually};

/// Checks a property of a server on each database. The name of the thread identifies the database of a failure.
fn on_each_database(fact: impl Fn(TestServer) + Sync) {
    on_each_database_with("", fact);
}

/// The same with these lines in the server's configuration.
pub(crate) fn on_each_database_with(configuration: &str, fact: impl Fn(TestServer) + Sync) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("gatehouse.toml");
    fs::write(&file, configuration).unwrap();
    let settings = ["--config", file.to_str().unwrap()];
    named("on the embedded database", || {
        fact(TestServer::start_with(&settings));
    });
    if let Some(database) = database() {
        named("on PostgreSQL", || {
            let place = ["--database", database.url()];
            fact(TestServer::start_with(&[settings, place].concat()));
        });
    }
}

/// Checks a property of two servers on one database, for each kind of database.
fn on_each_shared_database(fact: impl Fn(TestServer, TestServer) + Sync) {
    let directory = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}/shared.sqlite3", directory.path().display());
    named("on one file", || {
        let first = TestServer::start_with(&["--database", &url]);
        let second = first.peer();
        fact(first, second);
    });
    if let Some(database) = database() {
        named("on one PostgreSQL", || {
            let first = server_on(&database);
            let second = first.peer();
            fact(first, second);
        });
    }
}

fn named(name: &str, work: impl FnOnce() + Send) {
    thread::scope(|scope| {
        let thread = thread::Builder::new().name(name.to_owned());
        let ended = thread.spawn_scoped(scope, work).unwrap().join();
        ended.unwrap_or_else(|panic| resume_unwind(panic));
    });
}

/// Runs `act` on `count` threads at the same time, and returns their results.
pub(crate) fn all_at_once<T: Send>(count: usize, act: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let start = Barrier::new(count);
    thread::scope(|scope| {
        let runners: Vec<_> = (0..count)
            .map(|number| {
                let (start, act) = (&start, &act);
                scope.spawn(move || {
                    start.wait();
                    act(number)
                })
            })
            .collect();
        let ended = runners.into_iter().map(thread::ScopedJoinHandle::join);
        ended.map(|outcome| outcome.unwrap()).collect()
    })
}

/// Number of responses with each status.
fn statuses(answers: &[TestResponse]) -> BTreeMap<u16, usize> {
    let mut counted = BTreeMap::new();
    for answer in answers {
        *counted.entry(answer.status).or_default() += 1;
    }
    counted
}

/// Polls until `lives` is false. A poll that starts later than `bound` from now must return false.
#[track_caller]
pub(crate) fn is_over_within(bound: Duration, mut lives: impl FnMut() -> bool) {
    let begun = Instant::now();
    eventually("it is over", || {
        let elapsed = begun.elapsed();
        let lives = lives();
        assert!(!lives || elapsed <= bound, "alive after {elapsed:?}");
        (!lives).then_some(())
    });
}
