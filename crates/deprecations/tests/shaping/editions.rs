//! The editions that tests speak of, and the records that decide.

use api_conventions::release::Release;
use deprecations::shaping::{Shaper, ids};
use deprecations::{Edition, Enforcement, published};
use serde_json::{Map, Value};

/// A release of v4.
pub(crate) fn v4(release: &str) -> Shaper<'static> {
    let release: Release = release.parse().unwrap();
    Shaper::new(published(), Edition::of(release))
}

/// The last release of v4 that tests can think of.
pub(crate) fn latest_v4() -> Shaper<'static> {
    Shaper::new(published(), Edition::of(Release::LATEST))
}

/// The next version of the API.
pub(crate) fn v5() -> Shaper<'static> {
    Shaper::new(published(), Edition::preview(Release::LATEST))
}

/// The fields of an object.
pub(crate) fn fields(value: Value) -> Map<String, Value> {
    let Value::Object(fields) = value else {
        return Map::new();
    };
    fields
}

#[test]
fn every_name_that_shaping_uses_is_that_of_a_record_which_says_so() {
    for id in ids::ALL {
        let record = published().find(id);
        let enforcement = record.map(|record| &record.enforcement);
        assert_eq!(enforcement, Some(&Enforcement::Shaped), "{id}");
    }
    let mut sorted = ids::ALL.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), ids::ALL.len());
}

/// The records that have no name in `ids` are about names of the GraphQL API, which are found by what they touch.
#[test]
fn every_record_that_is_shaped_is_used() {
    for record in published().records() {
        let is_named = ids::ALL.contains(&record.id.as_str());
        let is_graphql = record.kind == deprecations::Kind::Graphql;
        if record.enforcement == Enforcement::Shaped && !is_named {
            assert!(is_graphql, "{}", record.id);
        }
    }
}

#[test]
fn a_schedule_without_records_takes_nothing_away() {
    let schedule = deprecations::Schedule::default();
    let shaper = Shaper::new(&schedule, Edition::preview(Release::LATEST));
    for id in ids::ALL {
        assert!(shaper.has(id), "{id}");
    }
    assert_eq!(shaper.edition(), Edition::preview(Release::LATEST));
}
