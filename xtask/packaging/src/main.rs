//! Packages a finished binary: `cargo xtask dist` runs this program after the build.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use packaging::{ReleaseContents, libraries, sbom, write_all};

/// Writes all packages of a finished binary.
#[derive(Debug, Parser)]
struct PackagingArguments {
    /// Program to package.
    #[arg(long, value_name = "FILE")]
    binary: PathBuf,
    /// Directory of the sources.
    #[arg(long, value_name = "DIR")]
    sources: PathBuf,
    /// Version of the packages.
    #[arg(long)]
    version: String,
    /// Time of every file, in seconds since 1970.
    #[arg(long, value_name = "SECONDS")]
    time: u64,
    /// Directory to write to.
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// Accept a program that needs a newer C library than released ones may.
    #[arg(long)]
    any_glibc: bool,
}

fn package(arguments: &PackagingArguments) -> Result<String> {
    let (binary, sources) = (&arguments.binary, &arguments.sources);
    let glibc = libraries::check_glibc(binary);
    let glibc = match glibc {
        Err(error) if arguments.any_glibc => format!("the C library of this machine ({error:#})"),
        checked => format!("glibc {}", checked?),
    };
    let components = sbom::components(sources, &arguments.version)?;
    let release =
        ReleaseContents::collect(binary, sources, arguments.version.clone(), arguments.time)?;
    let written = write_all(&release, &components, &arguments.to)?;
    let lines = written.iter().map(|path| format!("{}\n", path.display()));
    Ok(format!(
        "{}the program needs {glibc}",
        lines.collect::<String>()
    ))
}

#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command reports its result"
)]
fn main() -> ExitCode {
    match package(&PackagingArguments::parse()) {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
