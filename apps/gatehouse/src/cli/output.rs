//! What commands print: results to standard output, complaints to standard error.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "printing is what this module is for"
)]

use serde::Serialize;

/// Prints a line.
pub fn line(text: &str) {
    println!("{text}");
}

/// Prints names and values as two columns.
pub fn table(rows: &[(&str, String)]) {
    let width = rows
        .iter()
        .map(|(name, _)| name.len())
        .max()
        .unwrap_or_default();
    for (name, value) in rows {
        println!("  {name:width$}  {value}");
    }
}

/// Prints one JSON object on one line.
///
/// # Errors
/// When the value cannot be written as JSON.
pub fn json<T: Serialize>(value: &T) -> anyhow::Result<()> {
    println!("{}", serde_json::to_string(value)?);
    Ok(())
}

/// Tells why a command failed, with its causes.
pub fn complain(error: &anyhow::Error) {
    eprintln!("gatehouse: {error:#}");
}
