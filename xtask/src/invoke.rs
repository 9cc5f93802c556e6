//! Running other programs.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

/// Result of a program: its output, and whether it succeeded.
#[derive(Debug)]
pub(crate) struct ProcessOutput {
    pub(crate) is_success: bool,
    /// Both of its output streams, one after the other.
    pub(crate) text: String,
}

/// Runs a program and captures its output.
///
/// # Errors
/// When the program cannot be started.
pub(crate) fn run_quiet(command: &mut Command) -> Result<ProcessOutput> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", name(command)))?;
    let text = [output.stdout, output.stderr].concat();
    Ok(ProcessOutput {
        is_success: output.status.success(),
        text: String::from_utf8_lossy(&text).trim_end().to_owned(),
    })
}

/// Runs a program that must succeed, and returns its standard output.
///
/// # Errors
/// When the program cannot be started or fails; the message is its output.
pub(crate) fn capture(command: &mut Command) -> Result<Vec<u8>> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", name(command)))?;
    if !output.status.success() {
        bail!(
            "{} failed: {}",
            name(command),
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(output.stdout)
}

/// Runs a program with its output shown to the user. True if the program succeeded.
///
/// # Errors
/// When the program cannot be started.
pub(crate) fn run_visible(command: &mut Command) -> Result<bool> {
    let status = command
        .status()
        .with_context(|| format!("cannot start {}", name(command)))?;
    Ok(status.success())
}

/// Runs a program with its standard error shown to the user, and passes on each line of its standard output as it
/// arrives. True if the program succeeded.
///
/// # Errors
/// When the program cannot be started, or its output cannot be read.
pub(crate) fn stream_lines(command: &mut Command, mut take: impl FnMut(&str)) -> Result<bool> {
    let mut process = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", name(command)))?;
    let output = process.stdout.take().context("the output is a pipe")?;
    // The output of a test may not be UTF-8.
    for line in BufReader::new(output).split(b'\n') {
        take(&String::from_utf8_lossy(&line?));
    }
    Ok(process.wait()?.success())
}

fn name(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn both_streams_of_a_failure_are_kept() {
        let outcome = run_quiet(&mut shell("echo out; echo err >&2; exit 3")).unwrap();
        assert!(!outcome.is_success);
        assert_eq!(outcome.text, "out\nerr");
    }

    #[test]
    fn failed_commands_report_the_reason() {
        let error = capture(&mut shell("echo reason >&2; exit 1")).unwrap_err();
        assert_eq!(error.to_string(), "sh failed: reason");
        assert_eq!(capture(&mut shell("echo fine")).unwrap(), b"fine\n");
    }

    #[test]
    fn lines_are_handed_over_one_by_one() {
        let mut lines = Vec::new();
        let mut command = shell("echo one; printf '\\377\\ntwo'; exit 1");
        let is_success = stream_lines(&mut command, |line| lines.push(line.to_owned()));
        assert!(!is_success.unwrap());
        assert_eq!(lines, ["one", "\u{fffd}", "two"]);
    }

    #[test]
    fn a_program_that_does_not_exist_is_named() {
        let error = run_visible(&mut Command::new("no-such-program")).unwrap_err();
        assert_eq!(error.to_string(), "cannot start no-such-program");
    }
}
