//! The environment of the caller. Only this module reads it.
#![expect(
    clippy::disallowed_methods,
    reason = "the tasks do not use the app's `config::load`"
)]

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// The value of a variable that is set and not empty.
pub(crate) fn value(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// True if the program runs in CI, where a missing part is a failure.
pub(crate) fn is_ci() -> bool {
    value("CI").is_some_and(|value| value != "false" && value != "0")
}

/// The first program of that name on the search path.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    let directories = value("PATH")?;
    env::split_paths(&directories)
        .map(|directory| directory.join(name))
        .find(|path| path.is_file())
}

/// The directory of this package as set by cargo at run time.
pub(crate) fn own_package() -> Option<PathBuf> {
    value("CARGO_MANIFEST_DIR").map(PathBuf::from)
}

/// Path to the cargo that started this program.
pub(crate) fn cargo() -> OsString {
    value("CARGO").unwrap_or_else(|| "cargo".into())
}
