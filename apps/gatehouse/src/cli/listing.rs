//! Lists of commands: a table, or one JSON object per line.
//! Rows are printed as they are read, so a list of any length needs little memory.

use serde_json::Value;

use super::output;

/// Column of a list: its key in the JSON object, which is also its heading, and its width in the table.
pub(super) type TableColumn = (&'static str, usize);

/// List that a command prints.
#[derive(Debug)]
pub(super) struct Listing {
    columns: &'static [TableColumn],
    json: bool,
}

impl Listing {
    /// Begins a list; a table begins with its headings.
    pub(super) fn begin(columns: &'static [TableColumn], json: bool) -> Self {
        let listing = Self { columns, json };
        if !json {
            let headings = columns.iter().map(|(key, _)| key.to_uppercase());
            listing.print(headings.map(|heading| heading.replace('_', " ")));
        }
        listing
    }

    /// Prints a row, a JSON object with a member for each column.
    pub(super) fn row(&self, row: &Value) -> anyhow::Result<()> {
        if self.json {
            return output::json(row);
        }
        let cells = self.columns.iter().map(|(key, _)| row.get(key));
        self.print(cells.map(cell));
        Ok(())
    }

    /// Prints a line of the table.
    /// A cell that is wider than its column moves the rest of its line.
    fn print(&self, cells: impl Iterator<Item = String>) {
        let widths = self.columns.iter().map(|(_, width)| *width);
        let cells = cells.zip(widths);
        let cells: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        output::line(cells.join("  ").trim_end());
    }
}

/// Text of a cell, on one line.
fn cell(value: Option<&Value>) -> String {
    let text = match value {
        None | Some(Value::Null) => "-".to_owned(),
        Some(Value::Bool(is_set)) => if *is_set { "yes" } else { "no" }.to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(items)) => {
            let items: Vec<String> = items.iter().map(|item| cell(Some(item))).collect();
            items.join(",")
        }
        Some(other) => other.to_string(),
    };
    // A name that a user chose must not control the terminal.
    text.replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_cell_is_plain_text_on_one_line() {
        for (value, expected) in [
            (json!(null), "-"),
            (json!(true), "yes"),
            (json!(7), "7"),
            (json!(["api", "read_user"]), "api,read_user"),
            (json!("a\u{1b}[2J\nb"), "a [2J b"),
        ] {
            assert_eq!(cell(Some(&value)), expected);
        }
    }
}
