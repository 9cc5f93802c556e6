//! What commands print: results to standard output, complaints to standard error.
//!
//! All printing goes through here. A reader that has seen enough (`| head`) is no fault, and never ends a command or a server; an
//! output that cannot be written otherwise, as to a full disk, makes the command fail in the end.

use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

/// True once something that was to be printed was not.
static WAS_LOST: AtomicBool = AtomicBool::new(false);

/// Prints a text.
fn print(text: &str) {
    let mut output = std::io::stdout().lock();
    let printed = output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush());
    // A reader that has gone away, such as `head`, wants no more.
    if let Err(error) = printed
        && error.kind() != ErrorKind::BrokenPipe
        && !WAS_LOST.swap(true, Ordering::Relaxed)
    {
        tell(&format!("cannot write to standard output: {error}"));
    }
}

/// Prints a complaint. There is nowhere to complain when that fails.
fn tell(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "gatehouse: {text}");
}

/// Prints a line.
pub fn line(text: &str) {
    print(&format!("{text}\n"));
}

/// Prints names and values as two columns.
pub fn table(rows: &[(&str, String)]) {
    let width = rows
        .iter()
        .map(|(name, _)| name.len())
        .max()
        .unwrap_or_default();
    let text = rows.iter().fold(String::new(), |mut text, (name, value)| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {name:width$}  {value}");
        text
    });
    print(&text);
}

/// Prints one JSON object on one line.
///
/// # Errors
/// When the value cannot be written as JSON.
pub fn json<T: Serialize>(value: &T) -> anyhow::Result<()> {
    line(&serde_json::to_string(value)?);
    Ok(())
}

/// Tells why a command failed, with its causes.
pub fn complain(error: &anyhow::Error) {
    tell(&format!("{error:#}"));
}

/// How a command ends that did its work: as a success, unless something that it printed was lost.
pub fn status() -> ExitCode {
    if WAS_LOST.load(Ordering::Relaxed) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}
