//! Response time of lists, and tables of them by the number of stored rows.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use clap::ValueEnum;
use serde_json::Value;

use super::Programs;
use super::footprint::{HttpResponse, get, send_json};
use super::measure::median;
use super::servers::BenchServer;

/// Number of requests whose median is reported.
pub(crate) const TRIES: usize = 9;
/// Longest time for a list, or for building the search index of all alerts, before the measurement fails.
pub(crate) const TIMEOUT: Duration = Duration::from_mins(20);

/// The server's message when a list would examine too many rows: words of `ApiError::too_much_work`.
const TOO_MUCH_WORK: &str = "too many rows to examine";

/// Databases to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Databases {
    /// The embedded database
    Sqlite,
    /// A PostgreSQL server that the bench starts
    Postgres,
    /// Both, one after the other
    Both,
}

impl Databases {
    /// Calls `work` for each database, with its name and a function that starts a server on a fresh database.
    ///
    /// # Errors
    /// When `work` fails, or no PostgreSQL server is installed.
    pub(crate) fn each(
        self,
        programs: &Programs,
        work: impl Fn(&str, &dyn Fn() -> Result<BenchServer>) -> Result<()>,
    ) -> Result<()> {
        if self != Self::Postgres {
            work("SQLite", &|| programs.on_sqlite())?;
        }
        if self != Self::Sqlite {
            // Held until the end, so that the PostgreSQL server is started once.
            let _cluster = programs.database()?;
            work("PostgreSQL", &|| programs.on_postgres())?;
        }
        Ok(())
    }
}

/// The lists of one server as one caller sees them.
#[derive(Clone, Copy)]
pub(crate) struct ListRequests<'s> {
    server: &'s BenchServer,
    /// JSON pointer to the caller's token in the demo's output.
    token: &'static str,
}

impl<'s> ListRequests<'s> {
    /// Lists as the developer of the sample data sees them.
    pub(crate) fn of_developer(server: &'s BenchServer) -> Self {
        Self::of(server, "/developer/token")
    }

    /// Lists as the caller with this token of the demo's output sees them.
    pub(crate) fn of(server: &'s BenchServer, token: &'static str) -> Self {
        Self { server, token }
    }

    /// The median response time of several requests, or `None` if the server refuses them because they would examine
    /// too many rows. `PROJECT` in the address is the project of the sample data, `LAST` the number of the last row.
    ///
    /// # Errors
    /// When a response is any other failure.
    pub(crate) fn milliseconds(self, list: &str) -> Result<Option<f64>> {
        let list = if list.contains("LAST") {
            let first = list.replace("LAST", "1");
            let total = self.get(&first)?;
            let total = total.header("x-total").context("a list with a total")?;
            list.replace("LAST", total)
        } else {
            list.to_owned()
        };
        let tries = (0..TRIES).map(|_| self.milliseconds_once(&list));
        let times: Option<Vec<f64>> = tries.collect::<Result<_>>()?;
        Ok(times.map(median))
    }

    /// The response time of one request, or `None` if the server refuses it because it would examine too many rows.
    ///
    /// # Errors
    /// When the response is any other failure.
    pub(crate) fn milliseconds_once(self, list: &str) -> Result<Option<f64>> {
        let started = Instant::now();
        let answer = self.get(list)?;
        let took = started.elapsed().as_secs_f64() * 1000.0;
        let is_answered = is_answered(&answer).with_context(|| format!("cannot get {list}"))?;
        Ok(is_answered.then_some(took))
    }

    /// A string of the response, by its JSON pointer.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn text(self, list: &str, pointer: &str) -> Result<String> {
        let answer = self.json(list)?;
        let text = answer.pointer(pointer).and_then(Value::as_str);
        text.map(str::to_owned)
            .with_context(|| format!("{list} has no {pointer}"))
    }

    /// The response body as JSON.
    ///
    /// # Errors
    /// When the body is not JSON.
    pub(crate) fn json(self, list: &str) -> Result<Value> {
        Ok(serde_json::from_str(&self.get(list)?.body)?)
    }

    /// Sends a change by PATCH or PUT.
    ///
    /// # Errors
    /// When the server refuses the change.
    pub(crate) fn change(self, method: &str, what: &str, change: &Value) -> Result<()> {
        let (url, token) = (self.url(what)?, self.server.text(self.token)?);
        let answer = send_json(method, &url, &token, &change.to_string(), TIMEOUT)?;
        is_answered(&answer).map(drop)
    }

    fn get(self, list: &str) -> Result<HttpResponse> {
        get(&self.url(list)?, &self.server.text(self.token)?, TIMEOUT)
    }

    fn url(self, list: &str) -> Result<String> {
        let project = self.server.value("/project/id").and_then(Value::as_i64);
        let project = project.context("the demo prints no project")?;
        let list = list.replace("PROJECT", &format!("projects/{project}"));
        Ok(format!("{}/api/v4/{list}", self.server.base_url))
    }
}

/// True if the list was returned, false if it was refused for the number of rows to examine.
fn is_answered(answer: &HttpResponse) -> Result<bool> {
    match answer.status {
        200 => Ok(true),
        503 if answer.body.contains(TOO_MUCH_WORK) => Ok(false),
        status => bail!("the server returned {status}: {}", answer.body),
    }
}

/// A time formatted as a table cell.
pub(crate) fn cell(milliseconds: Option<f64>) -> String {
    milliseconds.map_or_else(|| "refused".to_owned(), |took| format!("{took:.2}"))
}

/// A table in the format of `docs/performance.md`: a line for each name, with a cell from each column.
pub(crate) fn markdown(
    head: &str,
    heads: &[String],
    names: impl Iterator<Item = String>,
    columns: &[Vec<String>],
) -> String {
    let mut lines = vec![
        format!("| {head} | {} |\n", heads.join(" | ")),
        format!("| --- |{}\n", " --- |".repeat(heads.len())),
    ];
    for (index, name) in names.enumerate() {
        let cells: Vec<&str> = columns
            .iter()
            .filter_map(|column| column.get(index).map(String::as_str))
            .collect();
        lines.push(format!("| {name} | {} |\n", cells.join(" | ")));
    }
    lines.concat()
}

/// Lists of one kind: prefix of the rows' names, the JSON pointer to the caller's token, the address, and the queries.
pub(crate) type MeasuredList = (
    &'static str,
    &'static str,
    &'static str,
    &'static [&'static str],
);

/// A table with a column for each number of rows, and the ratio of the last column to the first.
pub(crate) fn by_rows(
    lists: &[MeasuredList],
    rows: &[usize],
    columns: &[Vec<Option<f64>>],
) -> String {
    let mut heads: Vec<String> = rows.iter().map(usize::to_string).collect();
    heads.push("ratio".to_owned());
    let mut cells: Vec<Vec<String>> = columns
        .iter()
        .map(|column| column.iter().copied().map(cell).collect())
        .collect();
    cells.push(ratios(columns));
    markdown("list", &heads, names(lists), &cells)
}

/// Ratio of the time in the last column to the time in the first, for each list.
fn ratios(columns: &[Vec<Option<f64>>]) -> Vec<String> {
    let (Some(first), Some(last)) = (columns.first(), columns.last()) else {
        return Vec::new();
    };
    let pairs = first.iter().zip(last);
    pairs
        .map(|(few, many)| match (few, many) {
            (Some(few), Some(many)) => format!("{:.1}", many / few),
            _ => String::new(),
        })
        .collect()
}

/// The names of the rows of a table.
pub(crate) fn names(lists: &[MeasuredList]) -> impl Iterator<Item = String> {
    lists.iter().flat_map(|(name, _, _, queries)| {
        queries.iter().map(move |query| match *query {
            "" => format!("{name}: first page"),
            query => format!("{name}: `{}`", query.replace("%20", " ")),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, body: &str) -> HttpResponse {
        HttpResponse {
            status,
            head: String::new(),
            body: body.to_owned(),
        }
    }

    #[test]
    fn only_the_limit_of_work_is_a_refusal_and_everything_else_fails_the_bench() {
        assert!(is_answered(&answer(200, "[]")).unwrap());
        let refusal = r#"{"message":"503 - this list has too many rows to examine"}"#;
        assert!(!is_answered(&answer(503, refusal)).unwrap());
        for (status, body) in [
            (400, r#"{"error":"page does not have a valid value"}"#),
            (401, refusal),
            (404, ""),
            (500, ""),
            (400, refusal),
            (503, r#"{"message":"503 Service Unavailable"}"#),
        ] {
            let error = is_answered(&answer(status, body)).unwrap_err();
            assert!(error.to_string().contains(&status.to_string()), "{error}");
        }
    }

    #[test]
    fn a_table_has_a_line_for_each_name_and_a_column_for_each_number() {
        let heads = ["10", "20"].map(str::to_owned);
        let columns = [Some(1.234), None].map(|first| vec![cell(first), "1.00".to_owned()]);
        let names = ["first page, ms", "their p99 ms"].map(str::to_owned);
        assert_eq!(
            markdown("rows", &heads, names.into_iter(), &columns),
            "| rows | 10 | 20 |\n| --- | --- | --- |\n\
             | first page, ms | 1.23 | refused |\n| their p99 ms | 1.00 | 1.00 |\n"
        );
    }

    #[test]
    fn the_ratio_is_that_of_the_most_rows_to_the_fewest() {
        let columns = [
            vec![Some(2.0), None, Some(1.0)],
            vec![Some(9.0), Some(1.0), Some(1.0)],
            vec![Some(3.0), Some(1.0), None],
        ];
        assert_eq!(ratios(&columns), ["1.5", "", ""]);
        assert!(ratios(&[]).is_empty());
    }
}
