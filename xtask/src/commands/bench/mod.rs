//! `cargo xtask bench`: speed, memory and size of the server, compared with a floor measured in the same run.
//!
//! Absolute figures say little about another machine, so every speed is a ratio to a server that does the least that
//! could be called the same work. The rounds of all servers are interleaved, and a figure is the median of its rounds.
//! A bench reports; it never fails because something is slow.

#![expect(
    clippy::print_stdout,
    reason = "the report goes to standard output, so that it can be kept"
)]

mod auth;
mod comparison;
mod errors;
mod feed;
mod footprint;
mod intake;
mod lists;
mod load;
mod measure;
mod messages;
mod neighbours;
mod oauth;
mod servers;
mod soak;
mod stored;
mod streams;
mod timed;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::workspace::Workspace;
use servers::Programs;

/// A subject of measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum BenchKind {
    /// Durable intake of alerts
    Intake,
    /// Single alerts beside the largest POSTs, which is a part of intake
    Neighbours,
    /// The check of an access token
    Auth,
    /// Codes and tokens of the OAuth provider
    Oauth,
    /// Memory and time to the first response
    Footprint,
    /// Lists and intake by the number of stored alerts; takes long, so it is measured only when it is named
    Stored,
    /// Events of programs and the lists of their errors; takes long, so it is measured only when it is named
    Errors,
    /// Lists of projects, issues and notes by their number; takes long, so it is measured only when it is named
    Lists,
    /// Lists of the feed by the number of events, and intake beside their deletion; measured only when it is named
    Feed,
    /// Subscribers of the feed behind nginx with TLS; measured only when it is named
    Streams,
    /// Intake with notification channels and without; measured only when it is named
    Messages,
    /// A long run with alerts, subscribers and backups; measured only when it is named
    Soak,
}

/// The command's arguments.
#[derive(Debug, Args)]
pub(crate) struct BenchArguments {
    /// Subjects to measure (default: all but stored, errors, lists, feed, streams, messages and soak)
    #[arg(value_enum)]
    subjects: Vec<BenchKind>,
    #[command(flatten)]
    effort: Effort,
    #[command(flatten)]
    scope: stored::BenchScope,
    #[command(flatten)]
    soak: soak::SoakScope,
    /// Profile that the programs are built with; `release` builds in a fifth of the time
    #[arg(long, default_value = "dist")]
    profile: String,
    /// For `auth`: another build of the server, to be measured beside this one
    #[arg(long, value_name = "PROGRAM")]
    against: Option<PathBuf>,
}

/// Duration and repetitions of the load.
#[derive(Clone, Debug, Args)]
pub(crate) struct Effort {
    /// Seconds of load for each figure of a round
    #[arg(long, default_value_t = 3)]
    seconds: u32,
    /// Rounds; an odd number has a middle one
    #[arg(long, default_value_t = 5)]
    rounds: u32,
    /// Numbers of connections, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "1,64,256")]
    connections: Vec<u32>,
}

/// Builds the server, and measures.
///
/// # Errors
/// When something cannot be built, started or reached.
pub(crate) fn run(workspace: &Workspace, arguments: &BenchArguments) -> Result<ExitCode> {
    let programs = Programs::build(workspace, &arguments.profile)?;
    let wants = |subject| arguments.subjects.is_empty() || arguments.subjects.contains(&subject);
    if wants(BenchKind::Intake) {
        intake::measure(&programs, &arguments.effort)?;
    } else if wants(BenchKind::Neighbours) {
        neighbours::measure(&programs, &arguments.effort)?;
    }
    if wants(BenchKind::Auth) {
        let against = arguments.against.as_deref();
        auth::measure(&programs, &arguments.effort, against)?;
    }
    if wants(BenchKind::Oauth) {
        oauth::measure(&programs, &arguments.effort)?;
    }
    if wants(BenchKind::Footprint) {
        footprint::measure(workspace, &programs)?;
    }
    if arguments.subjects.contains(&BenchKind::Stored) {
        stored::measure(&programs, &arguments.effort, &arguments.scope)?;
    }
    if arguments.subjects.contains(&BenchKind::Errors) {
        errors::measure(&programs, &arguments.effort, &arguments.scope)?;
    }
    if arguments.subjects.contains(&BenchKind::Lists) {
        lists::measure(&programs, &arguments.scope)?;
    }
    if arguments.subjects.contains(&BenchKind::Feed) {
        feed::measure(&programs, &arguments.effort, &arguments.scope)?;
    }
    if arguments.subjects.contains(&BenchKind::Streams) {
        streams::measure(&programs, &arguments.soak, arguments.scope.database)?;
    }
    if arguments.subjects.contains(&BenchKind::Messages) {
        messages::measure(&programs, &arguments.effort, arguments.scope.database)?;
    }
    if arguments.subjects.contains(&BenchKind::Soak) {
        let database = arguments.scope.database;
        soak::measure(workspace, &programs, &arguments.soak, database)?;
    }
    Ok(ExitCode::SUCCESS)
}
