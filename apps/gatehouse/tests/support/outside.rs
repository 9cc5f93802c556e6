//! External programs, at the paths that the test command provides.
//!
//! The test command installs them and names them in environment variables. Without it, a test that needs one reports
//! that and is skipped, except where `CI` is set: there a missing part is a failure.

use std::path::PathBuf;

/// Path to a script of the peers' tests. Cargo runs tests in the directory of their package.
pub(crate) fn script(name: &str) -> PathBuf {
    let package = std::env::current_dir().expect("a test runs in the directory of its package");
    package.join("tests/peers").join(name)
}

/// The program named by `variable`, or the first of `candidates` that exists.
#[expect(
    clippy::disallowed_methods,
    reason = "the test command tells where outside parts are"
)]
pub(crate) fn find(variable: &str, candidates: &[&str]) -> Option<PathBuf> {
    let named = std::env::var_os(variable).map(PathBuf::from);
    let found = named.or_else(|| {
        candidates
            .iter()
            .map(PathBuf::from)
            .find(|path| path.exists())
    });
    if found.is_none() {
        assert!(
            !std::env::var("CI").is_ok_and(|value| !matches!(&*value, "" | "0" | "false")),
            "{variable} names no program"
        );
        println!("skipped: {variable} names no program; `cargo xtask test` installs it");
    }
    found
}
