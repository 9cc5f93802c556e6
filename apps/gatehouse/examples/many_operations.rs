//! The program with 300 more operations, to measure that the cost of a request does not depend on their number. They
//! are registered before its own, where a list of paths would compare them first.

use std::process::ExitCode;

use actix_web::HttpResponse;
use clap::Parser as _;
use gatehouse::areas;
use gatehouse::cli::{CommandLine, output, run_with};
use gatehouse::frame::public::Reader;
use web_conventions::operations::{Operation, get};

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Number of additional operations.
const MORE: usize = 300;

async fn nothing(_: Reader) -> HttpResponse {
    HttpResponse::NoContent().finish()
}

fn operations() -> Vec<Operation> {
    let more = (0..MORE).map(|number| {
        // Names live as long as the program, and each worker creates them once.
        let id: &'static str = format!("more{number}").leak();
        let path: &'static str = format!("/api/v4/more{number}/{{id}}/parts/{{part}}").leak();
        get(id, path, nothing)
    });
    more.chain(areas::operations()).collect()
}

fn main() -> ExitCode {
    match run_with(CommandLine::parse(), operations) {
        Ok(status) => status,
        Err(error) => {
            output::complain(&error);
            ExitCode::FAILURE
        }
    }
}
