//! `gatehouse deprecations check FILE`.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use deprecations::inspect::{InspectOptions, inspect};
use deprecations::{Endpoint, published};
use web_conventions::operations::Operation;

use super::edition;
use crate::areas;
use crate::cli::output;

/// Exit status if the file cannot be read, or a flag has an unknown value.
/// Breaking findings give 1.
const BAD_INPUT: u8 = 2;

/// Flags of the check.
#[derive(Debug, Args)]
pub(super) struct CheckFlags {
    /// File to check; `-` for standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// API release to check against (default: newest); v5 for the next version of the API.
    #[arg(long, value_name = "RELEASE")]
    release: Option<String>,
    /// Record to ignore, by id; may be given several times.
    #[arg(long, value_name = "RECORD")]
    ignore: Vec<String>,
    /// Findings that fail the check besides breaking ones.
    #[arg(long, value_name = "WHAT")]
    deny: Option<DenyLevel>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DenyLevel {
    /// Features that still work but will be removed.
    Deprecated,
}

/// Checks the calls in a file and prints the findings.
/// The exit status is 0 if nothing breaks, 1 if something does, and 2 if the file cannot be read.
pub(super) fn check(flags: &CheckFlags) -> ExitCode {
    match report(flags) {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            output::complain(&error);
            ExitCode::from(BAD_INPUT)
        }
    }
}

fn report(flags: &CheckFlags) -> anyhow::Result<u8> {
    let at = edition(flags.release.as_ref())?;
    for id in &flags.ignore {
        anyhow::ensure!(published().find(id).is_some(), "there is no record `{id}`");
    }
    let text = read(flags).with_context(|| format!("cannot read {}", flags.file.display()))?;
    let operations = operations();
    let options = InspectOptions {
        at,
        ignored: &flags.ignore,
        operations: &operations,
    };
    let report = inspect(published(), &text, &options)
        .with_context(|| format!("cannot check {}", flags.file.display()))?;
    if flags.json {
        output::json(&report)?;
    } else {
        output::line(report.to_string().trim_end());
    }
    Ok(report.exit_code(flags.deny == Some(DenyLevel::Deprecated)))
}

fn read(flags: &CheckFlags) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    if flags.file.as_os_str() == "-" {
        std::io::stdin().read_to_end(&mut bytes)?;
    } else {
        bytes = std::fs::read(&flags.file)?;
    }
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// Operations of the server, in addition to those of the records.
fn operations() -> Vec<Endpoint> {
    let operations = areas::operations();
    let declared = operations.iter().map(Operation::declaration);
    let endpoints = declared.filter_map(|declared| {
        let path = declared
            .path
            .replace("{*", ":")
            .replace('{', ":")
            .replace('}', "");
        format!("{} {path}", declared.method).parse().ok()
    });
    endpoints.collect()
}
