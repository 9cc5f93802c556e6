//! The environment of the caller, read in this module and nowhere else.
#![expect(
    clippy::disallowed_methods,
    reason = "the app's `config::load` is no home for what the chores read"
)]

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// The value of a variable that is set and not empty.
pub(crate) fn value(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// Whether this runs where a missing part must not be passed over.
pub(crate) fn is_ci() -> bool {
    value("CI").is_some_and(|value| value != "false" && value != "0")
}

/// The first program of that name that the search path leads to.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    let directories = value("PATH")?;
    env::split_paths(&directories)
        .map(|directory| directory.join(name))
        .find(|path| path.is_file())
}

/// The directory of this package as cargo names it to the program that it runs.
pub(crate) fn own_package() -> Option<PathBuf> {
    value("CARGO_MANIFEST_DIR").map(PathBuf::from)
}

/// The cargo that started us.
pub(crate) fn cargo() -> OsString {
    value("CARGO").unwrap_or_else(|| "cargo".into())
}
