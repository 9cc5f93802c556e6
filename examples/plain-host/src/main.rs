//! Prints the events of the stories.
#![expect(clippy::print_stdout, reason = "that is what the program is for")]

fn main() -> Result<(), plain_host::ServerError> {
    for line in plain_host::play()? {
        println!("{line}");
    }
    Ok(())
}
