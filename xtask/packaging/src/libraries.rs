//! Shared libraries of a program, and the oldest C library that it runs with.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::release::run;

/// Version of the GNU C library that a released program needs at most. Distributions of the years since 2018 have it.
pub const OLDEST_GLIBC: &str = "2.28";

/// Checks that a program needs no newer C library than [`OLDEST_GLIBC`], and returns the version that it needs.
///
/// # Errors
/// If the program needs a newer one; or `objdump` is missing.
pub fn check_glibc(program: &Path) -> Result<String> {
    let symbols = run(Command::new("objdump").arg("-T").arg(program));
    let symbols = symbols.context("install binutils to check the program")?;
    let text = String::from_utf8_lossy(&symbols);
    let newest = newest_version(&text).context("the program needs no version of glibc")?;
    let shown = shown(&newest);
    ensure!(
        newest <= parse(OLDEST_GLIBC),
        "the program needs glibc {shown}; released programs need {OLDEST_GLIBC} at most"
    );
    Ok(shown)
}

/// Newest version of the C library that a table of symbols mentions.
fn newest_version(symbols: &str) -> Option<Vec<u32>> {
    let names = symbols.split("GLIBC_").skip(1);
    let is_version = |letter: char| letter.is_ascii_digit() || letter == '.';
    let versions = names.filter_map(|rest| rest.split(|letter| !is_version(letter)).next());
    versions.map(parse).max()
}

fn parse(version: &str) -> Vec<u32> {
    let numbers = version.split('.').filter_map(|number| number.parse().ok());
    numbers.collect()
}

fn shown(version: &[u32]) -> String {
    let numbers: Vec<String> = version.iter().map(u32::to_string).collect();
    numbers.join(".")
}

/// Lists the shared libraries that a program loads on this machine, the loader included.
///
/// # Errors
/// If a library is missing.
pub fn of_program(program: &Path) -> Result<Vec<PathBuf>> {
    let listed = run(Command::new("ldd").arg(program))?;
    let listed = String::from_utf8_lossy(&listed);
    ensure!(
        !listed.contains("not found"),
        "a library is missing: {listed}"
    );
    let words = listed.split_whitespace();
    Ok(words
        .filter(|word| word.starts_with('/'))
        .map(PathBuf::from)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        let symbols = "(GLIBC_2.9) read\n(GLIBC_2.28) write GLIBC_2.2.5 open\nGLIBC_PRIVATE x";
        assert_eq!(newest_version(symbols), Some(vec![2, 28]));
        assert_eq!(newest_version("nothing"), None);
        assert!(parse("2.34") > parse(OLDEST_GLIBC) && parse("2.9") < parse(OLDEST_GLIBC));
        assert_eq!(shown(&[2, 3, 4]), "2.3.4");
    }
}
