//! Each package compiles with no features, with each alone and with all of them, without a warning.
//!
//! Third-party packages have the same features in all sets, those of the whole workspace, so that none is compiled
//! twice. The last set of a package that hosts embed is checked without that, as a host compiles it.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::Result;

use super::second_target;
use super::steps::must_succeed;
use crate::report::CheckReport;
use crate::workspace::{Package, Workspace};

/// Features that are left out: one compiles OpenSSL, which takes minutes and says nothing about our code, the others are
/// on in the checks of the whole workspace, or in its tests.
const EXCLUDED_FEATURES: [&str; 3] = ["postgres-tls", "mimalloc", "traces"];

/// Features without which the others of their package have no effect, the one that is embedded by default first.
const ENGINES: [(&str, &[&str]); 1] = [("storage-diesel", &["sqlite", "postgres"])];

/// The package that fixes the features of third-party packages, so that they compile once for all of our packages.
const THIRD_PARTY: &str = "third-party";

/// Packages that no host embeds: parts of the adapter or of the program, and the program.
const INTERNAL_PACKAGES: [&str; 3] = ["sqlite-deadline", "gatehouse-core", "gatehouse"];

/// A set of features that fails, and the compiler's output.
type FeatureFailure = (String, String);

/// Checks each set of features of every package that has a library, two at a time.
///
/// # Errors
/// When cargo cannot be started, or the second build directory cannot be created.
pub(crate) fn check(workspace: &Workspace) -> Result<CheckReport> {
    let metadata = workspace.metadata(&["--no-deps"])?;
    let members = metadata.members().into_iter();
    let libraries = members.filter(|package| package.is_library() && package.name != THIRD_PARTY);
    let (hosted, shared): (Vec<_>, Vec<_>) = libraries
        .flat_map(feature_sets)
        .partition(|set| set.is_hosted);
    let third_party = FeatureSet {
        package: THIRD_PARTY.to_owned(),
        features: String::new(),
        is_hosted: true,
    };
    let compiled = third_party.check(workspace, None)?;
    let second = second_target::create(workspace)?;
    // Sets without the shared features of third-party packages compile some of these again, in one directory only.
    let queues = [
        Mutex::new(hosted.into_iter()),
        Mutex::new(shared.into_iter()),
    ];
    let [hosted, shared] = &queues;
    let (first, second) = thread::scope(|scope| {
        let other = scope.spawn(|| check_all(workspace, Some(&second), &[shared]));
        let first = check_all(workspace, None, &[hosted, shared]);
        (
            first,
            other.join().unwrap_or_else(|panic| resume_unwind(panic)),
        )
    });
    let failures = compiled.into_iter().chain(first?).chain(second?).collect();
    Ok(CheckReport {
        faults: merge_failures(failures),
        ..CheckReport::default()
    })
}

/// Sets of features that wait to be checked.
type SetQueue = Mutex<std::vec::IntoIter<FeatureSet>>;

/// Checks the sets of the queues, one after the other, in a build directory or the usual one.
fn check_all(
    workspace: &Workspace,
    target: Option<&Path>,
    queues: &[&SetQueue],
) -> Result<Vec<FeatureFailure>> {
    let mut failures = Vec::new();
    for queue in queues {
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        while let Some(set) = next() {
            failures.extend(set.check(workspace, target)?);
        }
    }
    Ok(failures)
}

/// Features of a package that are checked together.
#[derive(Debug)]
struct FeatureSet {
    package: String,
    /// Separated by commas.
    features: String,
    /// True if the package is compiled as a host compiles it, without the features of other packages of the workspace.
    is_hosted: bool,
}

impl FeatureSet {
    fn check(&self, workspace: &Workspace, target: Option<&Path>) -> Result<Vec<FeatureFailure>> {
        let mut command = workspace.cargo(&["clippy", "--quiet", "--locked", "--lib"]);
        command.args(["--no-default-features", "--package", &self.package]);
        command.args(["--features", &self.features]);
        if !self.is_hosted {
            command.args(["--package", THIRD_PARTY]);
        }
        if let Some(target) = target {
            command.arg("--target-dir").arg(target);
        }
        let outcome = must_succeed(command.args(["--", "-D", "warnings"]))?;
        let name = format!("{} [{}]", self.package, self.features);
        let faults = outcome.faults.into_iter();
        Ok(faults.map(|text| (name.clone(), text)).collect())
    }
}

/// Lists the sets of a package that are checked, the whole one as a host compiles it if the package is embedded.
fn feature_sets(package: &Package) -> Vec<FeatureSet> {
    let sets = sets(package);
    // The checks of the whole workspace compile it in the same way.
    if sets.len() == 1 && !is_embedded(package) {
        return Vec::new();
    }
    let last = sets.len() - 1;
    let sets = sets.into_iter().enumerate();
    let set = |(index, features): (usize, Vec<&str>)| FeatureSet {
        package: package.name.clone(),
        features: features.join(","),
        is_hosted: index == last && is_embedded(package),
    };
    sets.map(set).collect()
}

/// True if hosts depend on the package directly.
fn is_embedded(package: &Package) -> bool {
    package.is_published() && !INTERNAL_PACKAGES.contains(&&*package.name)
}

/// Merges failures with the same text. A fault of a crate appears again with each set of features of its dependents; it
/// is reported once, below all the sets that show it.
fn merge_failures(failures: Vec<FeatureFailure>) -> Vec<String> {
    let mut sets_by_text = BTreeMap::<_, Vec<_>>::new();
    for (set, text) in failures {
        sets_by_text.entry(text).or_default().push(set);
    }
    let fault = |(text, sets): (String, Vec<String>)| format!("{}:\n{text}", sets.join(", "));
    sets_by_text.into_iter().map(fault).collect()
}

/// The sets of features to try: none, each alone, all. In a package with engines, the other features have no effect
/// without one, so each is tried with the first engine, and all of them with each other engine.
fn sets(package: &Package) -> Vec<Vec<&str>> {
    let own = package.features.keys().map(String::as_str);
    let own: Vec<_> = own
        .filter(|name| *name != "default" && !EXCLUDED_FEATURES.contains(name))
        .collect();
    let mut sets = vec![vec![]];
    if let [first, further @ ..] = engines(package) {
        let is_engine = |name: &str| name == *first || further.contains(&name);
        let others = own.iter().copied().filter(|name| !is_engine(name));
        sets.push(vec![*first]);
        sets.extend(others.clone().map(|other| vec![*first, other]));
        for engine in further {
            sets.push(vec![*engine]);
            sets.push([*engine].into_iter().chain(others.clone()).collect());
        }
    } else {
        sets.extend(own.iter().map(|name| vec![*name]));
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn package(name: &str, features: &[&str]) -> Package {
        let features: serde_json::Map<_, _> = features
            .iter()
            .map(|feature| ((*feature).to_owned(), json!([])))
            .collect();
        let package = json!({"id": name, "name": name, "version": "0.1.0", "manifest_path": "/x/Cargo.toml", "features": features, "targets": []});
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
            merge_failures(failures),
            ["one [], two [a]:\nerror: x", "two []:\nerror: y"]
        );
    }

    #[test]
    fn none_each_alone_and_all() {
        check("plain", &[], &[""]);
        check("one", &["default", "one"], &["", "one"]);
        check("three", &["a", "b", "c"], &["", "a", "b", "c", "a+b+c"]);
        check("app", &["mimalloc", "postgres-tls", "traces"], &[""]);
    }

    #[test]
    fn each_part_is_tried_on_the_first_engine_and_all_on_each() {
        check(
            "storage-diesel",
            &["events", "postgres", "projects", "sqlite"],
            &[
                "",
                "sqlite",
                "sqlite+events",
                "sqlite+projects",
                "postgres",
                "postgres+events+projects",
                "events+postgres+projects+sqlite",
            ],
        );
    }
}
