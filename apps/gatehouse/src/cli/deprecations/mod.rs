//! `gatehouse deprecations`: prints the schedule, and checks clients against it.

mod check;
mod show;

use std::process::ExitCode;

use clap::{Args, Subcommand};
use deprecations::{Edition, NEWEST, edition_named};

/// `gatehouse deprecations …`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct DeprecationFlags {
    #[command(subcommand)]
    command: Option<DeprecationCommand>,
    #[command(flatten)]
    show: show::ShowFlags,
}

#[derive(Debug, Subcommand)]
enum DeprecationCommand {
    #[command(
        about = "Check an OpenAPI document, a HAR file or an access log for features that a release lacks"
    )]
    Check(check::CheckFlags),
}

/// Prints the schedule, or checks a file.
/// Reads neither the configuration nor the database.
pub(super) fn deprecations(flags: &DeprecationFlags) -> anyhow::Result<ExitCode> {
    match &flags.command {
        None => show::show(&flags.show).map(|()| ExitCode::SUCCESS),
        Some(DeprecationCommand::Check(check)) => Ok(check::check(check)),
    }
}

/// Edition that a flag names; the newest release by default.
fn edition(flag: Option<&String>) -> anyhow::Result<Edition> {
    let newest = Edition::of(NEWEST);
    Ok(flag.map_or(Ok(newest), |name| edition_named(name))?)
}
