//! Allowed imports inside the program, between its modules, from the inside out.

use std::fs;
use std::path::Path;

use anyhow::Result;

use crate::commands::tidy::{files, rust};

/// Path to the program's sources.
const SOURCES: &str = "apps/gatehouse/src";

/// The modules and their allowed imports. Each area is a module of its own.
const MODULES: [(&str, &[&str]); 10] = [
    ("config", &[]),
    ("data_files", &["config"]),
    ("logging", &["config"]),
    ("mistakes", &[]),
    ("provision", &["config", "mistakes"]),
    ("state", &["config"]),
    ("frame", &["config", "state"]),
    ("areas", &["config", "frame", "state"]),
    ("server", &["areas", "config", "frame", "state"]),
    (
        "cli",
        &[
            "areas",
            "config",
            "data_files",
            "frame",
            "logging",
            "mistakes",
            "provision",
            "server",
            "state",
        ],
    ),
];

/// The faults of the program's sources.
///
/// # Errors
/// When a file cannot be read.
pub(crate) fn faults(root: &Path) -> Result<Vec<String>> {
    let sources = root.join(SOURCES);
    let mut faults = Vec::new();
    for path in files::below(&sources)? {
        let is_source = path.extension().is_some_and(|extension| extension == "rs");
        let Some(location) = path.strip_prefix(&sources).ok().filter(|_| is_source) else {
            continue;
        };
        let shown = path.strip_prefix(root).unwrap_or(&path).display();
        let findings =
            forbidden_imports(&SourceLocation::of(location), &fs::read_to_string(&path)?);
        faults.extend(
            findings
                .into_iter()
                .map(|(line, what)| format!("{shown}:{line} {what}")),
        );
    }
    Ok(faults)
}

/// Location of a source.
#[derive(Debug, PartialEq, Eq)]
struct SourceLocation {
    module: String,
    /// The area, in the module of areas. Empty for the files that join the areas.
    area: String,
}

impl SourceLocation {
    fn of(path: &Path) -> Self {
        let names = path.iter().map(|name| {
            let name = name.to_string_lossy();
            name.trim_end_matches(".rs").to_owned()
        });
        let mut names = names.filter(|name| name != "mod");
        Self {
            module: names.next().unwrap_or_default(),
            area: names.next().unwrap_or_default(),
        }
    }
}

/// Lines with forbidden imports.
fn forbidden_imports(location: &SourceLocation, source: &str) -> Vec<(usize, String)> {
    let Some((_, allowed)) = MODULES
        .iter()
        .find(|(module, _)| *module == location.module)
    else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    for (number, line) in rust::product_lines(source) {
        let code = line.split("//").next().unwrap_or(line);
        for path in paths(code) {
            let mut parts = path.split("::");
            let (module, area) = (
                parts.next().unwrap_or_default(),
                parts.next().unwrap_or_default(),
            );
            let is_module = MODULES.iter().any(|(name, _)| *name == module);
            if is_module && module != location.module && !allowed.contains(&module) {
                let from = &location.module;
                findings.push((
                    number,
                    format!("imports {module}, which {from} must not depend on"),
                ));
            }
            if location.module == "areas"
                && module == "areas"
                && is_other_area(&location.area, area)
            {
                let from = &location.area;
                findings.push((
                    number,
                    format!("imports the area {area} into the area {from}"),
                ));
            }
        }
    }
    findings
}

/// True if `to` names another area than `from`.
fn is_other_area(from: &str, to: &str) -> bool {
    let is_item = to.is_empty() || to.starts_with(char::is_uppercase) || to == "operations";
    !from.is_empty() && from != to && !is_item
}

/// Paths that follow each `crate::`, and in an area each `super::super::`.
fn paths(code: &str) -> impl Iterator<Item = &str> {
    code.match_indices("crate::").map(|(at, start)| {
        let rest = code.get(at + start.len()..).unwrap_or_default();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults_at(path: &str, source: &str) -> Vec<String> {
        let findings = forbidden_imports(&SourceLocation::of(Path::new(path)), source);
        findings.into_iter().map(|(_, what)| what).collect()
    }

    #[test]
    fn rooms_import_from_the_inside_out() {
        assert!(faults_at("areas/alerts/api.rs", "use crate::frame::api::ApiRequest;").is_empty());
        assert!(faults_at("cli/mod.rs", "use crate::areas;").is_empty());
        for (path, source) in [
            ("frame/api.rs", "use crate::areas::alerts;"),
            ("config/load.rs", "use crate::state::AppState;"),
            ("state.rs", "fn f() { crate::frame::csrf::token() }"),
            ("areas/alerts/api.rs", "use crate::cli::output;"),
        ] {
            assert_eq!(faults_at(path, source).len(), 1, "{path}");
        }
    }

    #[test]
    fn areas_do_not_import_from_each_other() {
        let import = "use crate::areas::projects::filter;";
        assert_eq!(faults_at("areas/alerts/api.rs", import).len(), 1);
        assert_eq!(faults_at("areas/fallback.rs", import).len(), 1);
        assert!(faults_at("areas/projects/api.rs", import).is_empty());
        assert!(faults_at("areas/mod.rs", import).is_empty());
        assert!(faults_at("server.rs", import).is_empty());
    }

    #[test]
    fn tests_and_comments_are_exempt() {
        let tests = "#[cfg(test)]\nmod tests {\n    use crate::cli::output;\n}\n";
        assert!(faults_at("state.rs", tests).is_empty());
        assert!(faults_at("state.rs", "// as crate::cli does").is_empty());
    }
}
