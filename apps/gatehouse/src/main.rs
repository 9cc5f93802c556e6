//! The `gatehouse` program.
//! It only sets up the allocator and reports how a run ended.

use std::process::ExitCode;

use clap::Parser as _;
use gatehouse::cli::{CommandLine, run};

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    #[cfg(feature = "mimalloc")]
    freed_memory::return_soon();
    match run(CommandLine::parse()) {
        Ok(status) => status,
        Err(error) => {
            gatehouse::cli::output::complain(&error);
            ExitCode::FAILURE
        }
    }
}
