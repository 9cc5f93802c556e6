//! Runs rustdoc for cargo with its unstable options unlocked. They are unlocked for rustdoc alone: build scripts look at the
//! same variable, so cargo would build everything anew if it had it.

use std::os::unix::process::CommandExt as _;
use std::process::Command;

fn main() -> Result<(), std::io::Error> {
    let mut rustdoc = Command::new("rustdoc");
    rustdoc
        .args(std::env::args_os().skip(1))
        .env("RUSTC_BOOTSTRAP", "1");
    Err(rustdoc.exec())
}
