//! `/api/v4/projects/:id`: environments and their dashboard, deployments, pipelines, jobs and the statuses of commits.

mod dashboard;
mod deployments;
mod environments;
mod jobs;
mod pages;
mod readers;
mod runs;
mod statuses;

use serde_json::Value;

use crate::support::TestCaller;

/// SHA of a commit.
const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
/// SHA of another commit.
const OTHER: &str = "fedcba9876543210fedcba9876543210fedcba98";

/// The numbers of a column of a list.
fn numbers(caller: &TestCaller, path: &str, name: &str) -> Vec<i64> {
    let listed = caller.get(path).list();
    let number = |row: &Value| row[name].as_i64().unwrap_or_default();
    listed.iter().map(number).collect()
}
