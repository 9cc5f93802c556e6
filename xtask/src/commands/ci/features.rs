//! Each package compiles with no features, with each alone and with all of them, without a warning.

use anyhow::Result;

use super::steps::must_succeed;
use crate::report::Report;
use crate::workspace::{Package, Workspace};

/// Features that are left out: they compile OpenSSL, which takes minutes and says nothing about our code.
const LEFT_OUT: [&str; 1] = ["postgres-tls"];

/// Features that make sense in pairs: each other feature is tried with each of them as well.
const ENGINES: [(&str, &[&str]); 1] = [("storage-diesel", &["sqlite", "postgres"])];

/// Checks each set of features of every package that has a library.
///
/// # Errors
/// When cargo cannot be started.
pub(crate) fn check(workspace: &Workspace) -> Result<Report> {
    let mut report = Report::default();
    let metadata = workspace.metadata(&["--no-deps"])?;
    for package in metadata.members() {
        if !package.is_library() {
            continue;
        }
        for features in sets(package) {
            let features = features.join(",");
            let arguments = [
                "clippy",
                "--quiet",
                "--locked",
                "--lib",
                "--no-default-features",
                "--package",
                &package.name,
                "--features",
                &features,
            ];
            let mut command = workspace.cargo(&arguments);
            let outcome = must_succeed(command.args(["--", "-D", "warnings"]))?;
            let faults = outcome.faults.into_iter();
            report.faults.extend(
                faults.map(|text| format!("{} with features [{features}]:\n{text}", package.name)),
            );
        }
    }
    Ok(report)
}

/// The sets of features to try: none, each alone, the pairs, all.
fn sets(package: &Package) -> Vec<Vec<&str>> {
    let own = package.features.keys().map(String::as_str);
    let own: Vec<_> = own
        .filter(|name| *name != "default" && !LEFT_OUT.contains(name))
        .collect();
    let mut sets = vec![vec![]];
    sets.extend(own.iter().map(|name| vec![*name]));
    let engines = ENGINES.iter().find(|(name, _)| *name == package.name);
    let engines = engines.map_or(&[][..], |(_, engines)| *engines);
    for engine in engines {
        let others = own.iter().filter(|name| !engines.contains(name));
        sets.extend(others.map(|other| vec![*engine, *other]));
    }
    if own.len() > 1 {
        sets.push(own);
    }
    sets
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(name: &str, features: &[&str], expected: &[&str]) {
        let features: serde_json::Map<_, _> = features
            .iter()
            .map(|feature| ((*feature).to_owned(), json!([])))
            .collect();
        let package = json!({"id": name, "name": name, "manifest_path": "/x/Cargo.toml", "features": features, "targets": []});
        let package: Package = serde_json::from_value(package).unwrap();
        let sets: Vec<_> = sets(&package).iter().map(|set| set.join("+")).collect();
        assert_eq!(sets, expected, "{name}");
    }

    #[test]
    fn none_each_alone_and_all() {
        check("plain", &[], &[""]);
        check("one", &["default", "one"], &["", "one"]);
        check("three", &["a", "b", "c"], &["", "a", "b", "c", "a+b+c"]);
        check("app", &["jemalloc", "postgres-tls"], &["", "jemalloc"]);
    }

    #[test]
    fn each_part_is_tried_on_each_engine() {
        check(
            "storage-diesel",
            &["events", "postgres", "sqlite"],
            &[
                "",
                "events",
                "postgres",
                "sqlite",
                "sqlite+events",
                "postgres+events",
                "events+postgres+sqlite",
            ],
        );
    }
}
