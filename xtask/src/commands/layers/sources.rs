//! Calls that are banned in portable crates: the clock, the environment, files, the network and other processes.
//!
//! Clippy bans some of these by their path. This check finds the rest, whole modules, by their names.

use std::fs;
use std::path::Path;

use anyhow::Result;

use crate::commands::tidy::{files, rust};

/// Banned paths in the text.
const BANNED: [&str; 6] = [
    "std::env",
    "std::fs",
    "std::net",
    "std::process",
    "SystemTime::now",
    "Instant::now",
];
/// The one file that may read the clock: the system clock for hosts, behind a feature that is off by default.
const EXEMPT: &str = "crates/api-conventions/src/system.rs";
/// The modules of `std` that may also be imported in a group.
const BANNED_MODULES: [&str; 4] = ["env", "fs", "net", "process"];

/// The faults of all sources below a directory.
///
/// # Errors
/// When a file cannot be read.
pub(crate) fn faults(directory: &Path, root: &Path) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for path in files::below(directory)? {
        let is_source = path.extension().is_some_and(|extension| extension == "rs");
        if !is_source || rust::is_test_path(&path) {
            continue;
        }
        let within = path.strip_prefix(root).unwrap_or(&path);
        if within == Path::new(EXEMPT) {
            continue;
        }
        let shown = within.display();
        let found = banned(&fs::read_to_string(&path)?);
        faults.extend(found.into_iter().map(|(line, what)| {
            format!("{shown}:{line} uses {what}, which a portable crate must get from its caller")
        }));
    }
    Ok(faults)
}

/// Lines of a source that name a banned path, without its tests.
fn banned(source: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in rust::product_lines(source) {
        let code = line.split("//").next().unwrap_or(line);
        let named = BANNED.iter().filter(|path| names(code, path));
        found.extend(named.map(|path| (number, (*path).to_owned())));
        let grouped = BANNED_MODULES.iter().filter(|module| groups(code, module));
        found.extend(grouped.map(|module| (number, format!("std::{module}"))));
    }
    found
}

/// True if the code names the path itself, not a longer name with the same beginning.
fn names(code: &str, path: &str) -> bool {
    code.match_indices(path).any(|(at, _)| {
        let next = code
            .get(at + path.len()..)
            .and_then(|rest| rest.chars().next());
        !next.is_some_and(|next| next.is_alphanumeric() || next == '_')
    })
}

/// True if the code imports a module of `std` in a group on one line, as rustfmt writes short ones.
fn groups(code: &str, module: &str) -> bool {
    let Some(group) = code.trim_start().strip_prefix("use std::{") else {
        return false;
    };
    let is_module = |part: &str| part.trim() == module;
    group.split([',', '}', ':']).any(is_module)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &[(usize, &str)]) {
        let found = banned(source);
        let found: Vec<_> = found
            .iter()
            .map(|(line, what)| (*line, what.as_str()))
            .collect();
        assert_eq!(found, expected, "{source}");
    }

    #[test]
    fn every_banned_name_is_found_with_its_line() {
        check("use std::fs;\n", &[(1, "std::fs")]);
        check(
            "\nlet now = SystemTime::now();\n",
            &[(2, "SystemTime::now")],
        );
        check("std::env::var(\"X\")\n", &[(1, "std::env")]);
        check("use std::{fmt, net::IpAddr};\n", &[(1, "std::net")]);
        check("std::process::exit(1)", &[(1, "std::process")]);
        check("let start = Instant::now();", &[(1, "Instant::now")]);
    }

    #[test]
    fn comments_tests_and_longer_names_are_passed_over() {
        check("// std::fs is banned\n", &[]);
        check("use std::environment;\nuse std::{fmt, io};\n", &[]);
        check("#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n", &[]);
    }

    #[test]
    fn code_after_the_tests_is_checked_again() {
        check(
            "#[cfg(test)]\nmod tests {\n    use std::fs;\n}\nuse std::fs;\n",
            &[(5, "std::fs")],
        );
    }
}
