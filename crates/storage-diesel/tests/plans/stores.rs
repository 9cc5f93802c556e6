//! Stores of both kinds with a few rows, and the query plans of their databases.

use std::cell::RefCell;
use std::path::PathBuf;

use accounts::{InsertUser, NewUser, UserKind, Username};
use alert_intake::model::{
    Alert, AlertIdentity, AlertStatus, AlertSummary, NewAlert, ReportDigest, Severity, Source,
};
use alert_intake::store::AlertRepository;
use api_conventions::access::Visibility;
use api_conventions::ids::{AlertId, AlertIid, IntegrationId, ProjectId, UserId};
use api_conventions::time::Timestamp;
use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use projects::{
    InsertNamespace, InsertProject, Namespace, NamespaceKind, NewNamespace, NewProject,
    ProjectRepository,
};
use storage::{Store, StoreError};
use storage_diesel::{PostgresOptions, PostgresStore, SqliteOptions, SqliteStore};
use tempfile::TempDir;
use test_databases::TestDatabase;

pub(crate) const PROJECT: ProjectId = ProjectId::new(1);

/// Creates an embedded store, and returns the path of its file.
pub(crate) fn sqlite() -> (SqliteStore, PathBuf, TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("db.sqlite3");
    let store = SqliteStore::open(&file, SqliteOptions::default()).unwrap();
    store.migrate().unwrap();
    (store, file, directory)
}

/// Creates a store on a server; `None` if there is no server.
pub(crate) fn postgres() -> Option<(PostgresStore, TestDatabase)> {
    let open = |url: &str| PostgresStore::open(url, PostgresOptions::default()).unwrap();
    let database = TestDatabase::copied(|url| open(url).migrate().unwrap())?;
    Some((open(database.url()), database))
}

/// Runs statements on the file of a store.
/// `NUMBERS` in them is replaced by a column `value` with the numbers from 1 to `count`.
pub(crate) fn fill_sqlite(
    file: &std::path::Path,
    statements: &str,
    count: i64,
) -> SqliteConnection {
    let numbers = format!(
        "(WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < {count}) \
         SELECT value FROM n)"
    );
    let mut connection = SqliteConnection::establish(&file.display().to_string()).unwrap();
    let statements = statements.replace("NUMBERS", &numbers);
    connection.batch_execute(&statements).unwrap();
    connection
}

/// Runs statements in the same way on a server, which analyzes its rows afterwards. Foreign keys are not checked, which
/// would take most of the time; SQLite checks those of the same statements.
pub(crate) fn fill_postgres(database: &TestDatabase, statements: &str, count: i64) -> PgConnection {
    let numbers = format!("generate_series(1, {count}) AS n (value)");
    let mut connection = PgConnection::establish(database.url()).unwrap();
    let statements = statements.replace("NUMBERS", &numbers);
    connection
        .batch_execute("SET session_replication_role = replica")
        .unwrap();
    connection.batch_execute(&statements).unwrap();
    connection
        .batch_execute("RESET session_replication_role")
        .unwrap();
    connection.batch_execute("VACUUM (ANALYZE)").unwrap();
    connection
}

#[derive(QueryableByName)]
struct PlanStep {
    #[diesel(sql_type = diesel::sql_types::Text)]
    detail: String,
}

/// Returns the plan of a query on SQLite, a line for each step.
pub(crate) fn plan_on_sqlite(file: &std::path::Path, query: &str) -> Vec<String> {
    let mut connection = SqliteConnection::establish(&file.display().to_string()).unwrap();
    let steps: Vec<PlanStep> = diesel::sql_query(format!("EXPLAIN QUERY PLAN {query}"))
        .load(&mut connection)
        .unwrap();
    steps.into_iter().map(|step| step.detail).collect()
}

#[derive(QueryableByName)]
struct PlanLine {
    #[diesel(sql_type = diesel::sql_types::Text, column_name = "QUERY PLAN")]
    line: String,
}

thread_local! {
    /// The connection that plans the queries of a test, with the URL of its database. A new connection reads the schema
    /// before its first plan.
    static PLANNER: RefCell<Option<(String, PgConnection)>> = const { RefCell::new(None) };
}

/// Returns the plan of a query on PostgreSQL if sequential scans and sorts cost as much as with a million rows.
pub(crate) fn plan_on_postgres(url: &str, query: &str) -> Vec<String> {
    PLANNER.with_borrow_mut(|planner| {
        if planner.as_ref().is_none_or(|(of, _)| of != url) {
            *planner = Some((url.to_owned(), planning_connection(url)));
        }
        let (_, connection) = planner.as_mut().unwrap();
        connection.batch_execute("DEALLOCATE ALL").unwrap();
        planned(connection, query)
    })
}

fn planning_connection(url: &str) -> PgConnection {
    let mut connection = PgConnection::establish(url).unwrap();
    connection
        .batch_execute(
            "SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off; \
             SET plan_cache_mode = force_generic_plan;",
        )
        .unwrap();
    connection
}

fn planned(connection: &mut PgConnection, query: &str) -> Vec<String> {
    connection
        .batch_execute(&format!("PREPARE listed AS {query}"))
        .unwrap();
    let parameters = (1..).take_while(|number| query.contains(&format!("${number}")));
    let nulls: Vec<&str> = parameters.map(|_| "NULL").collect();
    let nulls = if nulls.is_empty() {
        String::new()
    } else {
        format!("({})", nulls.join(", "))
    };
    let lines: Vec<PlanLine> =
        diesel::sql_query(format!("EXPLAIN (COSTS OFF) EXECUTE listed{nulls}"))
            .load(connection)
            .unwrap();
    let plan: Vec<String> = lines.into_iter().map(|line| line.line).collect();
    let whole = whole_index(connection, &plan);
    assert_eq!(whole, None, "{query}\n{plan:#?}");
    plan
}

#[derive(QueryableByName)]
struct FirstColumn {
    #[diesel(sql_type = diesel::sql_types::Text)]
    name: String,
    #[diesel(sql_type = diesel::sql_types::Text)]
    of: String,
    #[diesel(sql_type = diesel::sql_types::Text)]
    first: String,
}

/// Returns an index that a plan reads in full, because its conditions do not name the first column of it, and no index
/// of its table begins with a column that they name.
/// The plan shows those as index conditions as well. If another index fits, the planner uses it as soon as the table is
/// not small.
fn whole_index(connection: &mut PgConnection, plan: &[String]) -> Option<String> {
    let indexes = "SELECT c.relname::text AS name, i.indrelid::regclass::text AS of, pg_get_indexdef(i.indexrelid, 1, true) AS first \
        FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid WHERE c.relnamespace = 'public'::regnamespace";
    let indexes: Vec<FirstColumn> = diesel::sql_query(indexes).load(connection).unwrap();
    plan.windows(2).find_map(|lines| {
        let (step, condition) = (&lines[0], lines[1].trim_start());
        let condition = condition.strip_prefix("Index Cond: ")?;
        let (_, name) = step
            .split_once(" using ")
            .or_else(|| step.split_once("Bitmap Index Scan on "))?;
        let name = name.split(' ').next()?;
        let index = indexes.iter().find(|index| index.name == name)?;
        let words: Vec<&str> = condition
            .split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
            .collect();
        let is_named = |one: &&FirstColumn| {
            one.first.contains('(') || words.contains(&one.first.trim_matches('"'))
        };
        let mut others = indexes.iter().filter(|other| other.of == index.of);
        others
            .all(|other| !is_named(&other))
            .then(|| name.to_owned())
    })
}

/// Returns the number of memory pages that PostgreSQL touches for a statement with its values, and the plan.
/// Its changes are rolled back.
pub(crate) fn pages_touched(
    connection: &mut PgConnection,
    text: &str,
    values: &str,
    mode: &str,
) -> (i64, Vec<String>) {
    let values = crate::values::literals(values);
    let prepare = format!(
        "BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL jit = off; \
         SET LOCAL plan_cache_mode = {mode}; PREPARE listed AS {text}"
    );
    connection.batch_execute(&prepare).unwrap();
    let explain =
        format!("EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) EXECUTE listed{values}");
    let lines: Vec<PlanLine> = diesel::sql_query(explain).load(connection).unwrap();
    connection
        .batch_execute("ROLLBACK; DEALLOCATE listed")
        .unwrap();
    let plan: Vec<String> = lines.into_iter().map(|line| line.line).collect();
    // The first line with buffers is that of the whole statement.
    let of_all = plan
        .iter()
        .find(|line| line.trim_start().starts_with("Buffers: "));
    let words = of_all.into_iter().flat_map(|line| line.split([' ', ',']));
    let numbers = words.filter_map(|word| {
        let (kind, number) = word.split_once('=')?;
        ["hit", "read"]
            .contains(&kind)
            .then(|| number.parse::<i64>().unwrap())
    });
    (numbers.sum(), plan)
}

/// Creates an alert with id and number `number`, on which its status and severity depend.
pub(crate) fn alert(number: i64) -> NewAlert {
    let at = Timestamp::MIN;
    let statuses = [
        AlertStatus::Triggered,
        AlertStatus::Acknowledged,
        AlertStatus::Resolved { ended_at: at },
        AlertStatus::Ignored,
    ];
    let place = usize::try_from(number).unwrap();
    let summary = AlertSummary {
        id: AlertId::new(number),
        iid: AlertIid::new(number),
        project_id: PROJECT,
        integration_id: IntegrationId::new(1),
        source: Source::Generic,
        title: format!("Disk {number} full"),
        description: String::new(),
        severity: Severity::ALL[place % 6],
        status: statuses[place % 4],
        service: String::new(),
        monitoring_tool: String::new(),
        hosts: Vec::new(),
        environment_name: None,
        assignee_id: None,
        started_at: at,
        last_start: alert_intake::model::Start::stated(at),
        occurrences: 1,
        deliveries: 1,
        flaps: 0,
        stale_at: None,
        created_at: at,
        updated_at: at,
    };
    let mut identity = [0; 32];
    identity[..8].copy_from_slice(&number.to_be_bytes());
    NewAlert {
        alert: Alert {
            summary,
            payload: "{}".to_owned(),
            latest_payload: None,
        },
        identity: AlertIdentity::from_bytes(identity),
        report: ReportDigest::default(),
    }
}

/// Inserts this many alerts into a fresh store.
pub(crate) fn insert_alerts<S>(store: &S, count: i64)
where
    S: Store,
    for<'t> S::WriteTx<'t>: AlertRepository,
{
    let inserted = store.write(move |tx| {
        tx.reserve_alert_numbers(&[(PROJECT, count)])?;
        let alerts: Vec<NewAlert> = (1..=count).map(alert).collect();
        tx.insert_alerts(&alerts)
    });
    inserted.wait().unwrap();
}

/// Inserts a user who owns resources.
pub(crate) fn owner<Tx: accounts::AccountRepository + ?Sized>(tx: &mut Tx) -> UserId {
    let new = NewUser {
        username: Username::parse("owner").unwrap(),
        name: "Owner".to_owned(),
        email: String::new(),
        kind: UserKind::Human,
        is_admin: false,
        password: None,
        created_at: Timestamp::MIN,
    };
    match tx.insert_user(&new).unwrap() {
        InsertUser::Inserted(id) => id,
        taken => panic!("{taken:?}"),
    }
}

/// Creates a public group for projects.
pub(crate) fn group<Tx>(tx: &mut Tx) -> (UserId, Namespace)
where
    Tx: accounts::AccountRepository + ProjectRepository + ?Sized,
{
    let owner = owner(tx);
    let new = NewNamespace {
        kind: NamespaceKind::Group,
        name: "Group".to_owned(),
        path: "group".to_owned(),
        parent: None,
        visibility: Visibility::Public,
        owner,
        created_at: Timestamp::MIN,
    };
    match tx.insert_namespace(&new).unwrap() {
        InsertNamespace::Inserted(namespace) => (owner, namespace),
        InsertNamespace::PathTaken => panic!("the path is free"),
    }
}

/// Creates the first project, in a group of its own.
pub(crate) fn create_project<S>(store: &S)
where
    S: Store,
    for<'t> S::WriteTx<'t>: accounts::AccountRepository + ProjectRepository,
{
    let made = store.write(|tx| {
        let (creator_id, namespace) = group(tx);
        tx.insert_project(&NewProject {
            visibility: namespace.visibility,
            topics: Vec::new(),
            settings: projects::ProjectSettings::default(),
            created_at: Timestamp::MIN,
            namespace,
            name: "web".to_owned(),
            path: "web".to_owned(),
            description: String::new(),
            creator_id,
        })
    });
    let made: Result<InsertProject, StoreError> = made.wait();
    assert!(matches!(made.unwrap(), InsertProject::Inserted(_)));
}
