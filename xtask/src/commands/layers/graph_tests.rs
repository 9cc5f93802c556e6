//! Each rule of the graph, broken once.

use serde_json::{Value, json};

use super::*;

const TABLE: &[LayerRow] = &[
    LayerRow {
        name: "words",
        layer: Layer::Vocabulary,
        imports: &[],
    },
    LayerRow {
        name: "contract",
        layer: Layer::Contract,
        imports: &[],
    },
    LayerRow {
        name: "domain",
        layer: Layer::Domain,
        imports: &["words"],
    },
    LayerRow {
        name: "other",
        layer: Layer::Domain,
        imports: &[],
    },
    LayerRow {
        name: "adapter",
        layer: Layer::Adapter,
        imports: &["domain"],
    },
];
const MEMBERS: [&str; 5] = ["words", "contract", "domain", "other", "adapter"];
const SOUND: [(&str, &str); 2] = [("domain", "words"), ("adapter", "domain")];

/// A graph of our members and any other packages, in cargo's format. A package's id is its name here.
fn graph(members: &[&str], edges: &[(&str, &str)], kind: Option<&str>) -> Graph {
    let outside = edges.iter().flat_map(|(from, to)| [*from, *to]);
    let names: BTreeSet<&str> = members.iter().copied().chain(outside).collect();
    let package = |name: &&str| json!({"id": name, "name": name, "version": "0.1.0", "manifest_path": "/x/Cargo.toml", "features": {}, "targets": []});
    let node = |name: &&str| {
        let from = edges.iter().filter(|(from, _)| from == name);
        let deps: Vec<Value> = from
            .map(|(_, to)| json!({"pkg": to, "dep_kinds": [{"kind": kind}]}))
            .collect();
        json!({"id": name, "deps": deps})
    };
    let metadata = json!({
        "packages": names.iter().map(package).collect::<Vec<_>>(),
        "workspace_members": members,
        "resolve": {"nodes": names.iter().map(node).collect::<Vec<_>>()},
        "target_directory": "/x",
    });
    Graph::of(&serde_json::from_value(metadata).unwrap())
}

/// The faults of the valid graph with some more edges.
fn faults(more: &[(&str, &str)]) -> Vec<String> {
    graph(&MEMBERS, &[&SOUND, more].concat(), None).faults(TABLE)
}

#[test]
fn a_graph_like_the_table_has_no_faults() {
    assert_eq!(
        faults(&[("domain", "serde"), ("adapter", "diesel")]),
        [""; 0]
    );
    let sound = graph(&MEMBERS, &SOUND, None);
    assert_eq!(Graph::stale(&[sound], TABLE), [""; 0]);
}

#[test]
fn an_edge_missing_from_the_table_requires_an_adr() {
    assert_eq!(
        faults(&[("adapter", "words")]),
        ["adapter imports words, which is not in the table; a new edge needs an ADR"]
    );
}

#[test]
fn a_domain_crate_that_imports_another_breaks_two_rules() {
    assert_eq!(
        faults(&[("domain", "other")]),
        [
            "domain imports other, which is not in the table; a new edge needs an ADR",
            "domain imports other: Domain crates must not import Domain crates",
        ]
    );
}

#[test]
fn a_forbidden_package_is_found_at_any_depth() {
    assert_eq!(
        faults(&[("other", "a"), ("a", "b"), ("b", "tokio")]),
        ["other depends on a forbidden package: other -> a -> b -> tokio"]
    );
}

#[test]
fn the_contract_has_no_dependencies_but_our_macros() {
    assert_eq!(
        faults(&[("contract", "serde")]),
        ["contract depends on serde, but may depend only on our macros"]
    );
}

#[test]
fn development_dependencies_are_exempt_and_build_dependencies_are_not() {
    let edges = [("domain", "other"), ("domain", "tokio")];
    assert_eq!(graph(&MEMBERS, &edges, Some("dev")).faults(TABLE), [""; 0]);
    assert_eq!(
        graph(&MEMBERS, &edges, Some("build")).faults(TABLE).len(),
        3
    );
}

#[test]
fn a_crate_without_a_row_is_named() {
    let members = [MEMBERS.as_slice(), &["new"]].concat();
    assert_eq!(
        graph(&members, &SOUND, None).faults(TABLE),
        ["new has no row in the table of layers; add one with its purpose"]
    );
}

#[test]
fn table_entries_missing_from_every_graph_are_stale() {
    let without = |members, edges| Graph::stale(&[graph(members, edges, None)], TABLE);
    assert_eq!(
        without(&MEMBERS, &[("domain", "words")]),
        ["adapter no longer imports domain; remove the edge from the table"]
    );
    assert_eq!(
        without(&["words", "contract", "domain", "adapter"], &SOUND),
        ["other is in the table of layers, but not in the workspace"]
    );
}

#[test]
fn an_edge_of_one_set_of_features_is_not_stale() {
    let few = graph(&MEMBERS, &[("domain", "words")], None);
    let all = graph(&MEMBERS, &SOUND, None);
    assert_eq!(Graph::stale(&[few, all], TABLE), [""; 0]);
}
