//! Seed of the benchmark of the feed: many events of three years, in a project and in 5,000 others.
//!
//! `feed_seed DATABASE_URL PROJECT_ID COUNT DAYS` writes COUNT events into a migrated database. They are spread over three years
//! that ended DAYS days ago. Half of them are in the given project, the others in 5,000 new projects, of which the reporter of the sample data is
//! a member. A tenth of all events are the developer's. The contributions by day are not counted.

#[path = "seeding/database.rs"]
mod database;
#[path = "seeding/groups.rs"]
mod groups;
#[path = "seeding/maintenance.rs"]
mod maintenance;

use anyhow::{Result, ensure};
use api_conventions::access::Visibility;
use api_conventions::ids::{ProjectId, UserId};
use api_conventions::time::{Clock as _, Timestamp};
use database::open_at;
use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, PgConnection, SqliteConnection};
use gatehouse_core::clock::SystemClock;
use gatehouse_core::database::{Database, WriteTransaction};
use groups::{SeedGroup, unexpected};
use maintenance::run_maintenance;
use projects::InsertProject;
use projects::model::{NewProject, ProjectContent};
use storage::{Store as _, StoreError};

/// Groups of the new projects.
const GROUPS: i64 = 50;
/// Projects of each group.
const PROJECTS_EACH: i64 = 100;
/// Ratio of all groups to groups of the developer.
const DEVELOPER_GROUP_ONE_IN: i64 = 25;
/// Events of a statement: as many as the journal may hold before it is checkpointed.
const BATCH: usize = 250_000;
/// Time over which the events are spread, in seconds: a little less than events are kept.
const SPAN_SECONDS: i64 = 3 * 365 * 86_400;

/// The users of the sample data.
const ROOT: UserId = UserId::new(1);
const DEVELOPER: UserId = UserId::new(2);
const REPORTER: UserId = UserId::new(3);

/// Statement that inserts the events from FIRST to LAST, in ROWS, which counts them as `n`.
const INSERT: &str = "INSERT INTO events (project_id, author_id, action, target_type, target_id, target_iid, target_title, audience, \
    created_at) \
    SELECT CASE WHEN n % 2 = 0 THEN PROJECT ELSE OTHERS + x % 5000 END, \
    CASE WHEN n % 20000 = 7 THEN 3 WHEN n % 10 = 0 THEN 2 ELSE 1 END, \
    CASE WHEN n % 20000 = 7 THEN 10 WHEN x % 3 = 0 THEN 3 WHEN x % 3 = 1 THEN 4 ELSE 1 END, \
    CASE WHEN x % 20 < 2 THEN 8 ELSE 1 END, n, n, 'Node ' || x % 9973 || ' answers slowly', \
    CASE WHEN x % 20 < 2 THEN 30 WHEN x % 20 = 2 THEN 20 ELSE 0 END, END_MICROS - (COUNT - n) * STEP FROM \
    (SELECT n, n * 2654435761 % 4294967296 AS x FROM (ROWS) AS numbered) AS mixed";

/// Numbers from FIRST to LAST as `n`.
const ROWS_ON_SQLITE: &str = "WITH RECURSIVE numbers(n) AS (SELECT FIRST UNION ALL SELECT n + 1 FROM numbers WHERE n < LAST) SELECT n FROM numbers";
const ROWS_ON_POSTGRES: &str =
    "SELECT n FROM generate_series(CAST(FIRST AS BIGINT), CAST(LAST AS BIGINT)) AS n";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, url, project, count, days] = arguments.as_slice() else {
        anyhow::bail!("feed_seed DATABASE_URL PROJECT_ID COUNT DAYS");
    };
    let (count, days): (i64, i64) = (count.parse()?, days.parse()?);
    let now = SystemClock.now();
    let database = open_at(url)?;
    let others = insert_projects(&database, now)?;
    database.close();
    let end = now.plus_seconds(-86_400 * days);
    let insert = INSERT
        .replace("PROJECT", project)
        .replace("OTHERS", &others.to_string())
        .replace("END_MICROS", &end.as_micros().to_string())
        .replace("COUNT", &count.to_string())
        .replace("STEP", &(SPAN_SECONDS * 1_000_000 / count).to_string());
    for first in (1..=count).step_by(BATCH) {
        let last = count.min(first + i64::try_from(BATCH)? - 1);
        insert_events(url, &insert, [first, last])?;
    }
    run_maintenance(url)
}

fn insert_events(url: &str, insert: &str, [first, last]: [i64; 2]) -> Result<()> {
    let statement = |rows: &str| {
        let statement = insert.replace("ROWS", rows);
        let statement = statement.replace("FIRST", &first.to_string());
        statement.replace("LAST", &last.to_string())
    };
    match url.strip_prefix("sqlite:") {
        Some(path) => {
            let mut connection = SqliteConnection::establish(path)?;
            connection.batch_execute("PRAGMA busy_timeout = 60000")?;
            connection.batch_execute(&statement(ROWS_ON_SQLITE))?;
        }
        None => {
            PgConnection::establish(url)?.batch_execute(&statement(ROWS_ON_POSTGRES))?;
        }
    }
    Ok(())
}

/// Creates the groups and their projects. Returns the first of the ids of the projects, which have no gaps.
fn insert_projects(database: &Database, now: Timestamp) -> Result<i64> {
    let mut ids = Vec::new();
    for number in 0..GROUPS {
        let inserted: Result<Vec<ProjectId>, StoreError> = database
            .write(move |tx| insert_group(tx, number, now))
            .wait();
        ids.extend(inserted?.into_iter().map(ProjectId::get));
    }
    let [Some(first), Some(last)] = [ids.first().copied(), ids.last().copied()] else {
        anyhow::bail!("no project was created");
    };
    ensure!(
        last - first == GROUPS * PROJECTS_EACH - 1,
        "the ids of the projects have gaps"
    );
    Ok(first)
}

fn insert_group(
    tx: &mut dyn WriteTransaction,
    number: i64,
    now: Timestamp,
) -> Result<Vec<ProjectId>, StoreError> {
    let is_developers = number % DEVELOPER_GROUP_ONE_IN == 0;
    let members = [Some(REPORTER), is_developers.then_some(DEVELOPER)];
    let group = SeedGroup {
        name: format!("Crew {number}"),
        path: format!("crew-{number}"),
        visibility: Visibility::Private,
        owner: ROOT,
        members: members.into_iter().flatten().collect(),
    };
    let group = group.insert(tx, now)?;
    (0..PROJECTS_EACH)
        .map(|project| {
            let content = ProjectContent {
                name: format!("Part {project}"),
                path: format!("part-{project}"),
                description: String::new(),
                visibility: Visibility::Private,
                topics: Vec::new(),
                settings: projects::ProjectSettings::default(),
            };
            let new = NewProject::new(group.clone(), content, ROOT, now);
            match tx.insert_project(&new)? {
                InsertProject::Inserted(project) => Ok(project.id),
                InsertProject::PathTaken | InsertProject::NameTaken => Err(unexpected()),
            }
        })
        .collect()
}
