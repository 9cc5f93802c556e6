//! `gatehouse completions` and `gatehouse man`.

use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use super::{CommandLine, output};

#[derive(Debug, Args)]
pub(super) struct CompletionFlags {
    /// Shell that reads the script.
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

#[derive(Debug, Args)]
pub(super) struct ManFlags {
    /// Directory to write one page per command to; created if it is missing.
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
}

/// Prints the completion script of a shell.
pub(super) fn completions(flags: &CompletionFlags) {
    let mut script = Vec::new();
    let mut command = CommandLine::command();
    clap_complete::generate(flags.shell, &mut command, "gatehouse", &mut script);
    output::text(&String::from_utf8_lossy(&script));
}

/// Prints the manual page of the program, or writes the pages of all commands to a directory.
pub(super) fn man(flags: &ManFlags) -> anyhow::Result<()> {
    let command = CommandLine::command();
    if let Some(directory) = &flags.to {
        let cannot = || format!("cannot write the pages to {}", directory.display());
        fs::create_dir_all(directory).with_context(cannot)?;
        return clap_mangen::generate_to(command, directory).with_context(cannot);
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    output::text(&String::from_utf8_lossy(&page));
    Ok(())
}
