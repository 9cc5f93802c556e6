//! `gatehouse deprecations check FILE`.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use deprecations::inspect::{Options, inspect};
use deprecations::{Endpoint, published};
use web_conventions::operations::Operation;

use super::edition;
use crate::areas;
use crate::cli::output;

/// What the exit status says when the file cannot be read, or a flag names nothing. Something that breaks is 1.
const BAD_INPUT: u8 = 2;

/// The flags of the check.
#[derive(Debug, Args)]
pub(super) struct Check {
    /// The file; `-` for standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The release that is to answer the calls; v5 for the next version of the API.
    #[arg(long, value_name = "RELEASE")]
    release: Option<String>,
    /// A record that is not reported, by its name; may be given several times.
    #[arg(long, value_name = "RECORD")]
    ignore: Vec<String>,
    /// What fails the check besides what breaks.
    #[arg(long, value_name = "WHAT")]
    deny: Option<Denied>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Denied {
    /// What works and will go.
    Deprecated,
}

/// Prints what the calls of a file meet. The exit status is 0 when nothing breaks, 1 when something does, and 2 when the file cannot
/// be read.
pub(super) fn check(flags: &Check) -> ExitCode {
    match report(flags) {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            output::complain(&error);
            ExitCode::from(BAD_INPUT)
        }
    }
}

fn report(flags: &Check) -> anyhow::Result<u8> {
    let at = edition(flags.release.as_ref())?;
    for id in &flags.ignore {
        anyhow::ensure!(published().find(id).is_some(), "there is no record `{id}`");
    }
    let text = read(flags).with_context(|| format!("cannot read {}", flags.file.display()))?;
    let operations = operations();
    let options = Options {
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
    Ok(report.exit_code(flags.deny == Some(Denied::Deprecated)))
}

fn read(flags: &Check) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    if flags.file.as_os_str() == "-" {
        std::io::stdin().read_to_end(&mut bytes)?;
    } else {
        bytes = std::fs::read(&flags.file)?;
    }
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// The operations that the server has, besides those of records.
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
