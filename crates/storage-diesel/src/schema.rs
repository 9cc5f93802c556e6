//! Comparison of the tables that the program declares with those that the migrations create.

use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, SmallInt, Text};
use diesel::{Column, Expression, QueryableByName, RunQueryDsl, Table};

/// Column: its name, its type, and true if it is nullable.
type ColumnText = (String, &'static str, bool);

/// Table as the program declares it.
pub(crate) struct DeclaredTable {
    name: &'static str,
    columns: Vec<ColumnText>,
}

impl DeclaredTable {
    pub(crate) fn of<T>(name: &'static str) -> Self
    where
        T: Table<AllColumns: DeclaredColumns>,
    {
        Self {
            name,
            columns: T::AllColumns::described(),
        }
    }
}

/// Generates a function `described()` that returns the descriptions of tables.
macro_rules! described {
    ($($table:ident),+ $(,)?) => {
        pub(crate) fn described() -> Vec<crate::schema::DeclaredTable> {
            vec![$(crate::schema::DeclaredTable::of::<$table::table>(stringify!($table))),+]
        }
    };
}

pub(crate) use described;

/// Name of a type in this comparison, and its nullability.
pub(crate) trait ColumnTypeName {
    const NAME: &'static str;
    const IS_NULLABLE: bool = false;
}

macro_rules! named {
    ($($sql_type:ty: $name:literal),+) => {
        $(impl ColumnTypeName for $sql_type {
            const NAME: &'static str = $name;
        })+
    };
}

named!(BigInt: "bigint", Integer: "integer", SmallInt: "smallint", Bool: "boolean", Text: "text", Binary: "bytea");

impl<
    T: ColumnTypeName + diesel::sql_types::SqlType<IsNull = diesel::sql_types::is_nullable::NotNull>,
> ColumnTypeName for Nullable<T>
{
    const NAME: &'static str = T::NAME;
    const IS_NULLABLE: bool = true;
}

/// Columns of a table.
pub(crate) trait DeclaredColumns {
    fn described() -> Vec<ColumnText>;
}

macro_rules! columns {
    ($first:ident $($rest:ident)*) => {
        impl<$first, $($rest),*> DeclaredColumns for ($first, $($rest,)*)
        where
            $first: Column<SqlType: ColumnTypeName>,
            $($rest: Column<SqlType: ColumnTypeName>,)*
        {
            fn described() -> Vec<ColumnText> {
                vec![column::<$first>(), $(column::<$rest>()),*]
            }
        }
        columns!($($rest)*);
    };
    () => {};
}

columns!(A B C D E F G H I J K L M N O P Q R S T U V W X Y Z Aa Ab Ac Ad Ae Af);

fn column<C: Column + Expression<SqlType: ColumnTypeName>>() -> ColumnText {
    (
        C::NAME.to_owned(),
        C::SqlType::NAME,
        C::SqlType::IS_NULLABLE,
    )
}

/// Returns all tables that the program declares.
fn declared() -> Vec<DeclaredTable> {
    let mut all = Vec::new();
    #[cfg(feature = "accounts")]
    all.extend(crate::accounts::described());
    #[cfg(feature = "projects")]
    all.extend(crate::projects::described());
    #[cfg(feature = "alert-intake")]
    all.extend(crate::alerts::described());
    #[cfg(feature = "events")]
    all.extend(crate::events::described());
    #[cfg(feature = "oauth-provider")]
    all.extend(crate::oauth::described());
    #[cfg(feature = "error-tracking")]
    all.extend(crate::errors::described());
    #[cfg(feature = "deprecations")]
    all.extend(crate::deprecations::described());
    #[cfg(feature = "pipelines")]
    all.extend(crate::pipelines::described());
    #[cfg(feature = "notifications")]
    all.extend(crate::notifications::described());
    all
}

/// Tables that are used by statements of fixed text, and therefore need no declaration.
const UNDECLARED_TABLES: [&str; 9] = [
    "__diesel_schema_migrations",
    "alert_ids",
    "alert_search_progress",
    "ci_counters",
    "error_counters",
    "error_hours",
    "error_releases",
    "error_users",
    "store_probe",
];

/// Column as reported by a database.
#[derive(Debug, QueryableByName)]
struct ActualColumn {
    #[diesel(sql_type = Text)]
    table_name: String,
    #[diesel(sql_type = Text)]
    column_name: String,
    #[diesel(sql_type = Text)]
    data_type: String,
    #[diesel(sql_type = Bool)]
    is_nullable: bool,
}

/// Returns the differences, as sentences.
/// `same` returns true if a type of the database is the same as one of the program.
fn differences(actual: &[ActualColumn], same: fn(&str, &str) -> bool) -> Vec<String> {
    let mut all = Vec::new();
    let declared = declared();
    let found = |table: &str, column: &str| {
        actual
            .iter()
            .find(|actual| actual.table_name == table && actual.column_name == column)
    };
    for table in &declared {
        for (name, kind, is_nullable) in &table.columns {
            let place = format!("table {}, column {name}", table.name);
            match found(table.name, name) {
                None => all.push(format!("{place}: not created by the migrations")),
                Some(actual) if !same(&actual.data_type, kind) => all.push(format!(
                    "{place}: {} in the migrations, {kind} in the program",
                    actual.data_type
                )),
                Some(actual) if actual.is_nullable != *is_nullable => all.push(format!(
                    "{place}: nullable is {} in the migrations and {is_nullable} in the program",
                    actual.is_nullable
                )),
                Some(_) => {}
            }
        }
    }
    for actual in actual
        .iter()
        .filter(|actual| !UNDECLARED_TABLES.contains(&&*actual.table_name))
    {
        let table = declared
            .iter()
            .find(|table| table.name == actual.table_name);
        let is_known = table.is_some_and(|table| {
            let mut columns = table.columns.iter();
            columns.any(|(name, ..)| *name == actual.column_name)
        });
        if !is_known {
            all.push(format!(
                "table {}, column {}: not declared in the program",
                actual.table_name, actual.column_name
            ));
        }
    }
    all
}

#[test]
#[cfg(feature = "sqlite")]
fn the_tables_of_sqlite_are_those_of_the_program() {
    use diesel::Connection as _;

    let mut connection = diesel::SqliteConnection::establish(":memory:").unwrap();
    crate::migrate::sqlite(&mut connection).unwrap();
    let actual: Vec<ActualColumn> = diesel::sql_query(
        "SELECT t.name AS table_name, c.name AS column_name, c.type AS data_type, \
         c.\"notnull\" = 0 AND c.pk = 0 AS is_nullable \
         FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c \
         WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'",
    )
    .load(&mut connection)
    .unwrap();
    let same = |actual: &str, declared: &str| match declared {
        "bigint" | "integer" | "smallint" => actual == "INTEGER",
        "bytea" => actual == "BLOB",
        other => actual.eq_ignore_ascii_case(other),
    };
    assert_eq!(differences(&actual, same), Vec::<String>::new());
    // Verifies that the comparison finds differences.
    let wrong = actual.into_iter().map(|mut actual| {
        actual.is_nullable = !actual.is_nullable;
        actual
    });
    let wrong: Vec<ActualColumn> = wrong.collect();
    let columns: usize = declared().iter().map(|table| table.columns.len()).sum();
    assert_eq!(differences(&wrong, same).len(), columns);
}

#[test]
#[cfg(feature = "postgres")]
fn the_tables_of_postgresql_are_those_of_the_program() {
    use diesel::Connection as _;

    let Some(database) = test_databases::TestDatabase::empty() else {
        return;
    };
    let connect = || diesel::PgConnection::establish(database.url()).unwrap();
    let mut connection = connect();
    crate::migrate::postgres(&mut connect(), &mut connection).unwrap();
    let actual: Vec<ActualColumn> = diesel::sql_query(
        "SELECT table_name::text, column_name::text, data_type::text, is_nullable = 'YES' AS is_nullable \
         FROM information_schema.columns WHERE table_schema = 'public'",
    )
    .load(&mut connection)
    .unwrap();
    let differences = differences(&actual, |actual, declared| actual == declared);
    assert_eq!(differences, Vec::<String>::new());
}
