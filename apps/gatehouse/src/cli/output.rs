//! Output of commands: results to standard output, errors to standard error.
//!
//! All printing goes through this module. A reader that stops reading (`| head`) is not an error, and never ends a
//! command or a server; any other write error, such as a full disk, makes the command fail at the end.

use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

/// True once some output was lost.
static WAS_LOST: AtomicBool = AtomicBool::new(false);

/// Prints text to standard output.
fn print(text: &str) {
    let mut output = std::io::stdout().lock();
    let printed = output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush());
    // A reader that closed the pipe, such as `head`, needs no more output.
    if let Err(error) = printed
        && error.kind() != ErrorKind::BrokenPipe
        && !WAS_LOST.swap(true, Ordering::Relaxed)
    {
        tell(&format!("cannot write to standard output: {error}"));
    }
}

/// Prints an error message.
/// A failure to do so cannot be reported anywhere.
fn tell(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "gatehouse: {text}");
}

/// Prints text as it is.
pub fn text(text: &str) {
    print(text);
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
/// If the value cannot be serialized as JSON.
pub fn json<T: Serialize>(value: &T) -> anyhow::Result<()> {
    line(&serde_json::to_string(value)?);
    Ok(())
}

/// Reports why a command failed, with the causes.
pub fn complain(error: &anyhow::Error) {
    tell(&format!("{error:#}"));
}

/// Exit code of a command that did its work: success, unless some of its output was lost.
pub fn status() -> ExitCode {
    if WAS_LOST.load(Ordering::Relaxed) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}
