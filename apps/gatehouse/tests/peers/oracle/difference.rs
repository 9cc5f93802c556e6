//! Differences between the responses of two servers.

use std::collections::{BTreeMap, BTreeSet};

use super::facets::{Facet, Facets};

/// The responses to a request: to the authorization request, and to the decision on the consent page if there was one.
pub(crate) type ResponseFacets = Vec<Facets>;

/// A property of a response that differs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) request: String,
    pub(crate) facet: String,
    pub(crate) ours: String,
    pub(crate) original: String,
}

/// All differences, in the order of the requests' names.
pub(crate) fn compare(
    ours: &BTreeMap<String, ResponseFacets>,
    original: &BTreeMap<String, ResponseFacets>,
) -> Vec<Difference> {
    let mut differences = Vec::new();
    for (request, mine) in ours {
        let theirs = &original[request];
        for (at, (mine, theirs)) in mine.iter().zip(theirs).enumerate() {
            let step = if at == 0 { "" } else { "then " };
            for (facet, ours, original) in differing(mine, theirs) {
                differences.push(Difference {
                    request: request.clone(),
                    facet: format!("{step}{facet}"),
                    ours,
                    original,
                });
            }
        }
        let (mine, theirs) = (mine.len(), theirs.len());
        if mine != theirs {
            differences.push(Difference {
                request: request.clone(),
                facet: "answers".to_owned(),
                ours: mine.to_string(),
                original: theirs.to_string(),
            });
        }
    }
    differences
}

/// Differences between two responses. Details are compared only if the outcome is the same.
fn differing(ours: &Facets, original: &Facets) -> Vec<(&'static str, String, String)> {
    let mut found = both(&ours.headers, &original.headers);
    if ours.outcome == original.outcome {
        found.extend(both(&ours.details, &original.details));
    } else {
        let outcomes = (ours.outcome.clone(), original.outcome.clone());
        found.insert(0, ("outcome", outcomes.0, outcomes.1));
    }
    found
}

fn both(ours: &[Facet], original: &[Facet]) -> Vec<(&'static str, String, String)> {
    let names: BTreeSet<&'static str> = ours.iter().chain(original).map(|facet| facet.0).collect();
    let of = |facets: &[Facet], name: &str| {
        let found = facets.iter().find(|facet| facet.0 == name);
        found.map_or_else(|| "absent".to_owned(), |facet| facet.1.clone())
    };
    let values = names
        .into_iter()
        .map(|name| (name, of(ours, name), of(original, name)));
    values
        .filter(|(_, ours, original)| ours != original)
        .collect()
}

#[test]
fn details_count_only_where_the_outcome_is_the_same() {
    let facets = |outcome: &str, keys: &str| Facets {
        outcome: outcome.to_owned(),
        headers: vec![("cache-control", "no-store".to_owned())],
        details: vec![("keys", keys.to_owned())],
    };
    let same = differing(&facets("200 JSON", "a b"), &facets("200 JSON", "a"));
    assert_eq!(same, [("keys", "a b".to_owned(), "a".to_owned())]);
    let other = differing(&facets("200 JSON", "a b"), &facets("400 no", "a"));
    let outcomes = ("outcome", "200 JSON".to_owned(), "400 no".to_owned());
    assert_eq!(other, [outcomes]);
}
