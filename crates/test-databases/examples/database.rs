//! A throw-away database for the caller: prints its URL, and drops it when standard input ends.

#![expect(
    clippy::print_stdout,
    reason = "the caller of this example reads the URL from standard output"
)]

use std::io::Read as _;

fn main() {
    let Some(database) = test_databases::TestDatabase::empty() else {
        return;
    };
    println!("{}", database.url());
    let mut ignored = Vec::new();
    // A broken pipe ends the wait as well as a closed one.
    let _ = std::io::stdin().read_to_end(&mut ignored);
}
