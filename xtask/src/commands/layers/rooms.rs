//! Who may import whom inside the program: its rooms, from the inside out.

use std::fs;
use std::path::Path;

use anyhow::Result;

use crate::commands::tidy::{files, rust};

/// Where the program's sources are.
const SOURCES: &str = "apps/gatehouse/src";

/// The rooms and what each may import. An area is a room of its own.
const ROOMS: [(&str, &[&str]); 10] = [
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
        let Some(place) = path.strip_prefix(&sources).ok().filter(|_| is_source) else {
            continue;
        };
        let shown = path.strip_prefix(root).unwrap_or(&path).display();
        let found = forbidden(&Place::of(place), &fs::read_to_string(&path)?);
        faults.extend(
            found
                .into_iter()
                .map(|(line, what)| format!("{shown}:{line} {what}")),
        );
    }
    Ok(faults)
}

/// Where a source is.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    room: String,
    /// The area, in the room of areas. Empty for what joins the areas.
    area: String,
}

impl Place {
    fn of(path: &Path) -> Self {
        let names = path.iter().map(|name| {
            let name = name.to_string_lossy();
            name.trim_end_matches(".rs").to_owned()
        });
        let mut names = names.filter(|name| name != "mod");
        Self {
            room: names.next().unwrap_or_default(),
            area: names.next().unwrap_or_default(),
        }
    }
}

/// The lines that import what they must not.
fn forbidden(place: &Place, source: &str) -> Vec<(usize, String)> {
    let Some((_, allowed)) = ROOMS.iter().find(|(room, _)| *room == place.room) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (number, line) in rust::product_lines(source) {
        let code = line.split("//").next().unwrap_or(line);
        for path in paths(code) {
            let mut parts = path.split("::");
            let (room, area) = (
                parts.next().unwrap_or_default(),
                parts.next().unwrap_or_default(),
            );
            let is_room = ROOMS.iter().any(|(name, _)| *name == room);
            if is_room && room != place.room && !allowed.contains(&room) {
                let from = &place.room;
                found.push((
                    number,
                    format!("imports {room}, which {from} must not know"),
                ));
            }
            if place.room == "areas" && room == "areas" && is_strange(&place.area, area) {
                let from = &place.area;
                found.push((
                    number,
                    format!("imports the area {area} into the area {from}"),
                ));
            }
        }
    }
    found
}

/// Whether an area must not import from another one.
fn is_strange(from: &str, to: &str) -> bool {
    let is_item = to.is_empty() || to.starts_with(char::is_uppercase) || to == "operations";
    !from.is_empty() && from != to && !is_item
}

/// What stands behind each `crate::`, and in an area behind each `super::super::`.
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
        let found = forbidden(&Place::of(Path::new(path)), source);
        found.into_iter().map(|(_, what)| what).collect()
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
