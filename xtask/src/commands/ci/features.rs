//! Each package compiles with no features, with each alone and with all of them, without a warning. An adapter keeps its
//! promises to a host that embeds one domain crate.

use std::collections::BTreeMap;
use std::path::Path;
use std::thread;

use anyhow::{Result, anyhow};

use super::steps::must_succeed;
use crate::report::Report;
use crate::workspace::{Package, Workspace};

/// Features that are left out: they compile OpenSSL, which takes minutes and says nothing about our code.
const LEFT_OUT: [&str; 1] = ["postgres-tls"];

/// Features without which the others of their package say nothing.
const ENGINES: [(&str, &[&str]); 1] = [("storage-diesel", &["sqlite", "postgres"])];

/// Packages with a test target that plays the flows of one domain crate alone: the target, and the engine it runs on. Each
/// other feature that is no engine is played.
const ALONE: [(&str, &str, &str); 1] = [("storage-diesel", "alone", "sqlite")];

/// A set of features that has faults, and their text.
type Failure = (String, String);

/// Checks each set of features of every package that has a library.
///
/// A set is compiled crate by crate, which keeps one core busy. So the test targets are played beside the checks, and compiled
/// into a directory of their own, because cargo locks the other one.
///
/// # Errors
/// When cargo cannot be started.
pub(crate) fn check(workspace: &Workspace) -> Result<Report> {
    let metadata = workspace.metadata(&["--no-deps"])?;
    let members = metadata.members().into_iter();
    let libraries: Vec<&Package> = members.filter(|package| package.is_library()).collect();
    let target = workspace.target_directory()?.join("alone");
    let (checked, played) = thread::scope(|scope| {
        let played = scope.spawn(|| play_alone(workspace, &libraries, &target));
        let checked = check_sets(workspace, &libraries);
        (checked, played.join())
    });
    let played = played.map_err(|_| anyhow!("a test target was not played to its end"))?;
    Ok(Report {
        faults: reported_once([checked?, played?].concat()),
        ..Report::default()
    })
}

fn check_sets(workspace: &Workspace, libraries: &[&Package]) -> Result<Vec<Failure>> {
    let mut failures = Vec::new();
    for package in libraries {
        for features in sets(package) {
            let features = features.join(",");
            let mut command = workspace.cargo(&["clippy", "--quiet", "--locked", "--lib"]);
            command.args(["--no-default-features", "--package", &package.name]);
            command.args(["--features", &features, "--", "-D", "warnings"]);
            let outcome = must_succeed(&mut command)?;
            let set = format!("{} [{features}]", package.name);
            failures.extend(outcome.faults.into_iter().map(|text| (set.clone(), text)));
        }
    }
    Ok(failures)
}

fn play_alone(
    workspace: &Workspace,
    libraries: &[&Package],
    directory: &Path,
) -> Result<Vec<Failure>> {
    let mut failures = Vec::new();
    for package in libraries {
        for (target, features) in played_alone(package) {
            let mut command = workspace.cargo(&["test", "--quiet", "--locked"]);
            command.args(["--no-default-features", "--package", &package.name]);
            command.args(["--features", &features, "--test", target]);
            command.arg("--target-dir").arg(directory);
            let outcome = must_succeed(&mut command)?;
            let set = format!("{} [{features}] alone", package.name);
            failures.extend(outcome.faults.into_iter().map(|text| (set.clone(), text)));
        }
    }
    Ok(failures)
}

/// A fault of a crate shows again with each set of features of those that stand on it. It is told once, below all
/// the sets that show it.
fn reported_once(failures: Vec<Failure>) -> Vec<String> {
    let mut sets_by_text = BTreeMap::<_, Vec<_>>::new();
    for (set, text) in failures {
        sets_by_text.entry(text).or_default().push(set);
    }
    let response = |(text, sets): (String, Vec<String>)| format!("{}:\n{text}", sets.join(", "));
    sets_by_text.into_iter().map(response).collect()
}

/// The sets of features to try: none, each alone, all. Of a package with engines, the others say nothing without one: they are
/// tried with the engine that no test target plays them on.
fn sets(package: &Package) -> Vec<Vec<&str>> {
    let own = package.features.keys().map(String::as_str);
    let own: Vec<_> = own
        .filter(|name| *name != "default" && !LEFT_OUT.contains(name))
        .collect();
    let mut sets = vec![vec![]];
    let engines = engines(package);
    match engines.last() {
        None => sets.extend(own.iter().map(|name| vec![*name])),
        Some(engine) => {
            let others = own.iter().filter(|name| !engines.contains(name));
            sets.extend(engines.iter().map(|name| vec![*name]));
            sets.extend(others.map(|other| vec![*engine, *other]));
        }
    }
    if own.len() > 1 {
        sets.push(own);
    }
    sets
}

fn engines(package: &Package) -> &'static [&'static str] {
    let engines = ENGINES.iter().find(|(name, _)| *name == package.name);
    engines.map_or(&[][..], |(_, engines)| *engines)
}

/// The test targets that play one feature alone, each with the features to play it with.
fn played_alone(package: &Package) -> Vec<(&'static str, String)> {
    let played = ALONE.iter().filter(|(name, ..)| *name == package.name);
    let each = played.flat_map(|(_, target, engine)| {
        let is_domain = |name: &&String| {
            let name = name.as_str();
            name != "default" && !LEFT_OUT.contains(&name) && !engines(package).contains(&name)
        };
        let domains = package.features.keys().filter(is_domain);
        domains.map(move |domain| (*target, format!("{engine},{domain}")))
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn package(name: &str, features: &[&str]) -> Package {
        let features: serde_json::Map<_, _> = features
            .iter()
            .map(|feature| ((*feature).to_owned(), json!([])))
            .collect();
        let package = json!({"id": name, "name": name, "manifest_path": "/x/Cargo.toml", "features": features, "targets": []});
        serde_json::from_value(package).unwrap()
    }

    fn check(name: &str, features: &[&str], expected: &[&str]) {
        let sets: Vec<_> = sets(&package(name, features))
            .iter()
            .map(|set| set.join("+"))
            .collect();
        assert_eq!(sets, expected, "{name}");
    }

    #[test]
    fn a_fault_that_many_sets_show_is_reported_once() {
        let failure = |set: &str, text: &str| (set.to_owned(), text.to_owned());
        let failures = vec![
            failure("one []", "error: x"),
            failure("two []", "error: y"),
            failure("two [a]", "error: x"),
        ];
        assert_eq!(
            reported_once(failures),
            ["one [], two [a]:\nerror: x", "two []:\nerror: y"]
        );
    }

    #[test]
    fn none_each_alone_and_all() {
        check("plain", &[], &[""]);
        check("one", &["default", "one"], &["", "one"]);
        check("three", &["a", "b", "c"], &["", "a", "b", "c", "a+b+c"]);
        check("app", &["mimalloc", "postgres-tls"], &["", "mimalloc"]);
    }

    #[test]
    fn each_part_is_tried_on_the_engine_that_no_test_plays_it_on() {
        check(
            "storage-diesel",
            &["events", "postgres", "sqlite"],
            &[
                "",
                "sqlite",
                "postgres",
                "postgres+events",
                "events+postgres+sqlite",
            ],
        );
    }

    #[test]
    fn the_flows_of_each_domain_crate_are_played_alone() {
        let adapter = package("storage-diesel", &["events", "postgres", "sqlite"]);
        let expected = [("alone", "sqlite,events".to_owned())];
        assert_eq!(played_alone(&adapter), expected);
        assert_eq!(played_alone(&package("other", &["events", "sqlite"])), []);
    }
}
