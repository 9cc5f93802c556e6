//! The chores of this workspace, all in Rust and started with `cargo xtask <command>`.
//!
//! `cargo xtask test` is the test command of the README. `cargo xtask ci` is the static gate, and its own checks can be
//! run one by one: `layers`, `tidy`, `spec` and `public-api`. `cargo xtask bench` measures, and `cargo xtask mutants`
//! tests the conformance suite; `cargo xtask dist` writes packages. No gate runs them. `cargo xtask book`
//! writes the documentation as a site.
//!
//! A new command is a module in `commands`, a variant of [`Chore`] and a line in [`Chore::run`].

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

mod commands;
mod environment;
mod invoke;
mod outside_program;
mod report;
mod workspace;

use commands::{bench, book, ci, dist, layers, mutants, public_api, spec, test, tidy};
use workspace::Workspace;

/// Tasks of this workspace.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct XtaskArguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Debug, Subcommand)]
enum Chore {
    /// Fetch external test dependencies, then run all tests
    Test(test::TestArguments),
    /// Run the static checks, all of them or only the named ones
    Ci(ci::CiArguments),
    /// Measure speed against a floor, memory and start-up time
    Bench(bench::BenchArguments),
    /// Write the documentation as a site, and check its links
    Book,
    /// Build the program for distribution, and write its packages
    Dist(dist::DistArguments),
    /// Mutate the code, and check that the tests detect each change
    Mutants(mutants::MutantsArguments),
    /// Check imports between crates, for each set of features
    Layers,
    /// Check the style of the files: sizes, names, leftovers, links
    Tidy,
    /// Compare the public API of the library crates with its snapshots, or write them
    PublicApi(public_api::PublicApiArguments),
    /// Check that each requirement names its tests or a reason why it has none
    Spec,
}

impl Chore {
    fn run(self) -> Result<ExitCode> {
        let workspace = Workspace::here()?;
        match self {
            Self::Test(arguments) => test::run(&workspace, &arguments),
            Self::Ci(arguments) => ci::run(&workspace, &arguments),
            Self::Bench(arguments) => bench::run(&workspace, &arguments),
            Self::Book => book::run(&workspace),
            Self::Dist(arguments) => dist::run(&workspace, &arguments),
            Self::Mutants(arguments) => mutants::run(&workspace, &arguments),
            Self::Layers => Ok(layers::check(&workspace)?.print()),
            Self::Tidy => Ok(tidy::check(&workspace)?.print()),
            Self::PublicApi(arguments) => Ok(public_api::run(&workspace, &arguments)?.print()),
            Self::Spec => Ok(spec::check(&workspace)?.print()),
        }
    }
}

#[expect(clippy::print_stderr, reason = "a failed task reports its error")]
fn main() -> ExitCode {
    XtaskArguments::parse().chore.run().unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}
