//! Statements over many rows for both databases: the rows travel as one JSON text, so a statement has a fixed text and
//! one parameter, regardless of the number of rows.
//! For rows with large values, use [`over_arrays!`](crate::postgres).

use std::marker::PhantomData;

use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sql_types::Text;
use serde::{Serialize, Serializer};

/// Type of a column of the rows.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ColumnKind {
    /// A `BIGINT`.
    Number,
    /// A `SMALLINT`.
    Small,
    /// A text, nullable.
    Text,
    /// Bytes, encoded as [`Hex`].
    Bytes,
}

/// Statement whose rows are named `new` in its text and have these columns.
#[derive(Debug)]
pub(crate) struct Statement {
    pub(crate) columns: &'static [(&'static str, ColumnKind)],
    pub(crate) text: &'static str,
}

/// Statement with its rows.
/// `ST` is the SQL type of its result.
#[derive(Debug)]
pub(crate) struct Bulk<ST = ()> {
    statement: &'static Statement,
    rows: String,
    gives: PhantomData<ST>,
}

impl<ST> Bulk<ST> {
    /// Creates the statement with these rows, each a tuple of as many values as there are columns.
    #[expect(
        clippy::expect_used,
        reason = "numbers, strings and bytes always serialize to JSON"
    )]
    pub(crate) fn new<R: Serialize>(
        statement: &'static Statement,
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        let mut json = Vec::from(*b"[");
        for row in rows {
            if json.len() > 1 {
                json.push(b',');
            }
            serde_json::to_writer(&mut json, &row).expect("a row serializes to JSON");
        }
        json.push(b']');
        Self {
            statement,
            rows: String::from_utf8(json).expect("JSON is UTF-8"),
            gives: PhantomData,
        }
    }

    /// Returns the approximate size in memory, in bytes.
    #[cfg(feature = "postgres")]
    pub(crate) fn bytes(&self) -> usize {
        self.rows.len()
    }

    /// Writes the statement after a `WITH` clause that reads each column of `new` by `value` from the source of rows.
    fn write<'b, DB>(
        &'b self,
        mut out: AstPass<'_, 'b, DB>,
        value: fn(ColumnKind, usize) -> String,
        [before, after]: [&str; 2],
    ) -> QueryResult<()>
    where
        DB: diesel::backend::Backend + diesel::sql_types::HasSqlType<Text>,
        String: diesel::serialize::ToSql<Text, DB>,
    {
        out.push_sql("WITH new AS (SELECT ");
        for (place, (name, kind)) in self.statement.columns.iter().enumerate() {
            if place > 0 {
                out.push_sql(", ");
            }
            out.push_sql(&format!("{} AS {name}", value(*kind, place)));
        }
        out.push_sql(before);
        out.push_bind_param::<Text, _>(&self.rows)?;
        out.push_sql(after);
        out.push_sql(self.statement.text);
        Ok(())
    }
}

impl<ST> QueryId for Bulk<ST> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<ST> Query for Bulk<ST> {
    type SqlType = ST;
}

impl<C, ST> diesel::RunQueryDsl<C> for Bulk<ST> {}

#[cfg(feature = "sqlite")]
impl<ST> QueryFragment<diesel::sqlite::Sqlite> for Bulk<ST> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, diesel::sqlite::Sqlite>) -> QueryResult<()> {
        let value = |kind, place| {
            let value = format!("json_extract(value, '$[{place}]')");
            match kind {
                ColumnKind::Bytes => format!("unhex({value})"),
                ColumnKind::Number | ColumnKind::Small | ColumnKind::Text => value,
            }
        };
        self.write(out, value, [" FROM json_each(", ")) "])
    }
}

#[cfg(feature = "postgres")]
impl<ST> QueryFragment<diesel::pg::Pg> for Bulk<ST> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, diesel::pg::Pg>) -> QueryResult<()> {
        let value = |kind, place| match kind {
            ColumnKind::Number => format!("(value->>{place})::bigint"),
            ColumnKind::Small => format!("(value->>{place})::smallint"),
            ColumnKind::Text => format!("value->>{place}"),
            ColumnKind::Bytes => format!("decode(value->>{place}, 'hex')"),
        };
        let source = " FROM jsonb_array_elements(CAST(";
        self.write(out, value, [source, " AS jsonb))) "])
    }
}

/// Bytes as encoded in a row of a [`Bulk`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hex<'b>(pub(crate) &'b [u8]);

impl Serialize for Hex<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digit = |nibble: u8| char::from_digit(nibble.into(), 16).unwrap_or_default();
        let digits = self.0.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        serializer.serialize_str(&digits.map(digit).collect::<String>())
    }
}

/// Text composed of parts, some of which are parameters.
/// The connection does not keep it prepared.
#[derive(Debug)]
pub(crate) struct ComposedQuery<ST> {
    parts: Vec<QueryPart>,
    gives: PhantomData<ST>,
}

#[derive(Debug)]
enum QueryPart {
    Sql(String),
    Text(String),
}

impl<ST> ComposedQuery<ST> {
    /// Creates a text that begins with `sql`.
    pub(crate) fn new(sql: impl Into<String>) -> Self {
        Self {
            parts: vec![QueryPart::Sql(sql.into())],
            gives: PhantomData,
        }
    }

    /// Appends to the text.
    pub(crate) fn sql(&mut self, sql: impl Into<String>) -> &mut Self {
        self.parts.push(QueryPart::Sql(sql.into()));
        self
    }

    /// Appends a parameter.
    pub(crate) fn bind(&mut self, text: impl Into<String>) -> &mut Self {
        self.parts.push(QueryPart::Text(text.into()));
        self
    }
}

impl<ST> QueryId for ComposedQuery<ST> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<ST> Query for ComposedQuery<ST> {
    type SqlType = ST;
}

impl<C, ST> diesel::RunQueryDsl<C> for ComposedQuery<ST> {}

impl<DB, ST> QueryFragment<DB> for ComposedQuery<ST>
where
    DB: diesel::backend::Backend + diesel::sql_types::HasSqlType<Text>,
    String: diesel::serialize::ToSql<Text, DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.unsafe_to_cache_prepared();
        for part in &self.parts {
            match part {
                QueryPart::Sql(sql) => out.push_sql(sql),
                QueryPart::Text(text) => out.push_bind_param::<Text, _>(text)?,
            }
        }
        Ok(())
    }
}
