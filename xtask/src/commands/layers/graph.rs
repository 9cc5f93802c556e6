//! The resolved graph of one set of features, and its violations of the rules.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::rules::{Layer, LayerRow};
use crate::workspace::{CargoMetadata, Dependency};

/// Dependencies between packages, without development dependencies.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    /// The names of our packages.
    members: BTreeSet<String>,
    /// The names of packages that a package uses when it runs or is built.
    uses: BTreeMap<String, BTreeSet<String>>,
}

impl Graph {
    /// The graph that cargo resolved. Versions of a package are one node: the rules are about names.
    pub(crate) fn of(metadata: &CargoMetadata) -> Self {
        let names: BTreeMap<_, _> = metadata
            .packages
            .iter()
            .map(|package| (package.id.as_str(), package.name.clone()))
            .collect();
        let name = |id: &str| names.get(id).cloned().unwrap_or_else(|| id.to_owned());
        let mut graph = Self::default();
        for package in metadata.members() {
            graph.members.insert(package.name.clone());
        }
        for node in metadata.resolve.iter().flat_map(|resolve| &resolve.nodes) {
            let used = node.deps.iter().filter(|edge| is_used(edge));
            let used = used.map(|edge| name(&edge.pkg));
            graph.uses.entry(name(&node.id)).or_default().extend(used);
        }
        graph
    }

    fn uses(&self, name: &str) -> impl Iterator<Item = &str> {
        self.uses
            .get(name)
            .into_iter()
            .flatten()
            .map(String::as_str)
    }

    /// Violations of the rules in `table`.
    pub(crate) fn faults(&self, table: &[LayerRow]) -> Vec<String> {
        let mut faults = Vec::new();
        for member in &self.members {
            let Some(row) = table.iter().find(|row| row.name == member) else {
                faults.push(format!(
                    "{member} has no row in the table of layers; add one with its purpose"
                ));
                continue;
            };
            faults.extend(self.edge_faults(row, table));
            if row.layer == Layer::Contract {
                let outside = self
                    .uses(member)
                    .filter(|used| !self.members.contains(*used));
                faults.extend(outside.map(|used| {
                    format!("{member} depends on {used}, but may depend only on our macros")
                }));
            }
            if let Some(path) = self.forbidden_path(member, row.layer) {
                faults.push(format!("{member} depends on a forbidden package: {path}"));
            }
        }
        faults
    }

    /// Edges to other crates of ours that the table or the layers do not allow.
    fn edge_faults(&self, row: &LayerRow, table: &[LayerRow]) -> Vec<String> {
        let name = row.name;
        let mut faults = Vec::new();
        for used in self.uses(name).filter(|used| self.members.contains(*used)) {
            if !row.imports.contains(&used) {
                faults.push(format!(
                    "{name} imports {used}, which is not in the table; a new edge needs an ADR"
                ));
            }
            let other = table.iter().find(|other| other.name == used);
            if let Some(other) = other.filter(|other| !row.layer.may_import(other.layer)) {
                faults.push(format!(
                    "{name} imports {used}: {:?} crates must not import {:?} crates",
                    row.layer, other.layer
                ));
            }
        }
        faults
    }

    /// The shortest path from a crate to a package that it must not reach.
    fn forbidden_path(&self, start: &str, layer: Layer) -> Option<String> {
        let mut seen = BTreeSet::from([start]);
        let mut queue = VecDeque::from([vec![start]]);
        while let Some(path) = queue.pop_front() {
            for next in self.uses(path.last()?) {
                if seen.insert(next) {
                    let longer = [path.as_slice(), &[next]].concat();
                    if layer.must_not_reach(next) {
                        return Some(longer.join(" -> "));
                    }
                    queue.push_back(longer);
                }
            }
        }
        None
    }

    /// Rows and edges of the table that exist in none of the graphs.
    pub(crate) fn stale(graphs: &[Self], table: &[LayerRow]) -> Vec<String> {
        let is_used = |name: &str, used: &str| {
            let uses = |graph: &Self| graph.uses(name).any(|other| other == used);
            graphs.iter().any(uses)
        };
        let mut faults = Vec::new();
        for row in table {
            if !graphs.iter().any(|graph| graph.members.contains(row.name)) {
                faults.push(format!(
                    "{} is in the table of layers, but not in the workspace",
                    row.name
                ));
                continue;
            }
            let gone = row.imports.iter().filter(|used| !is_used(row.name, used));
            faults.extend(gone.map(|used| {
                format!(
                    "{} no longer imports {used}; remove the edge from the table",
                    row.name
                )
            }));
        }
        faults
    }
}

fn is_used(edge: &Dependency) -> bool {
    let is_dev = |kind: &Option<String>| kind.as_deref() == Some("dev");
    edge.dep_kinds.iter().any(|kind| !is_dev(&kind.kind))
}

#[cfg(test)]
#[path = "graph_tests.rs"]
mod tests;
