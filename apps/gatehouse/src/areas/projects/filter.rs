//! What `GET /api/v4/projects` is asked for.
//!
//! A client acts on what a list holds, so a filter that narrows it is obeyed or refused, and never passed over: a script
//! that archives what `?starred=false` leaves out must not be given everything.

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::error::ApiError;
use api_conventions::ids::ProjectId;
use api_conventions::page::SortOrder;
use api_conventions::params::{ParamReader, Params};
use projects::{ProjectFilter, ProjectOrder, Viewer};

/// Filters that narrow a list when they are true and are not built. When they are false, a list is as it is without them:
/// nothing here is starred or imported, for one. Every project has issues, so `with_issues_enabled` narrows nothing.
const UNBUILT_FLAGS: [&str; 7] = [
    "imported",
    "marked_for_deletion",
    "repository_checksum_failed",
    "starred",
    "wiki_checksum_failed",
    "with_merge_requests_enabled",
    "with_security_reports",
];

/// Filters that narrow a list by a value and are not built.
const UNBUILT_VALUES: [&str; 6] = [
    "custom_attributes",
    "license",
    "marked_for_deletion_on",
    "repository_storage",
    "topic_id",
    "with_programming_language",
];

/// The conditions that the request sets, and whether the short form is wanted.
///
/// # Errors
/// 400 for values that are wrong, and for filters that are not built.
pub(super) fn read_filter(
    params: &Params,
    viewer: Viewer,
) -> Result<(ProjectFilter, bool), ApiError> {
    let mut read = params.reader();
    let mut filter = ProjectFilter::new(viewer);
    filter.search = read.text("search").filter(|text| !text.is_empty());
    filter.visibility = read.word("visibility", Visibility::parse);
    filter.min_access_level = least_role(&mut read);
    filter.archived = read.boolean("archived");
    filter.topics = read.words("topic", |topic| Some(topic.to_owned()));
    filter.search_namespaces = read.boolean("search_namespaces").unwrap_or_default();
    read.boolean("with_issues_enabled");
    filter.updated_after = read.timestamp("updated_after");
    filter.updated_before = read.timestamp("updated_before");
    filter.id_after = read.integer("id_after").map(ProjectId::new);
    filter.id_before = read.integer("id_before").map(ProjectId::new);
    filter.active_after = read.timestamp("last_activity_after");
    filter.active_before = read.timestamp("last_activity_before");
    filter.order_by = read
        .word("order_by", ProjectOrder::parse)
        .unwrap_or_default();
    filter.sort = read.word("sort", SortOrder::parse).unwrap_or_default();
    let simple = read.boolean("simple").unwrap_or_default();
    refuse_unbuilt(&mut read, params);
    read.finish()?;
    Ok((filter, simple))
}

/// The least role that is asked for. A member has at least the lowest one.
fn least_role(read: &mut ParamReader<'_>) -> Option<AccessLevel> {
    let is_owned = read.boolean("owned").unwrap_or_default();
    let membership = read.boolean("membership").unwrap_or_default();
    let least = read.integer("min_access_level");
    if least.is_some_and(|number| AccessLevel::from_number(number).is_none()) {
        read.fault("min_access_level", "does not have a valid value");
    }
    let owner = is_owned.then_some(AccessLevel::Owner);
    let member = membership.then_some(AccessLevel::Guest);
    let least = least.and_then(AccessLevel::from_number);
    owner.max(least).or(member)
}

fn refuse_unbuilt(read: &mut ParamReader<'_>, params: &Params) {
    let is_given = |name: &&str| {
        let value = params.get(name);
        value.is_some_and(|value| !value.is_null() && value != "")
    };
    let values = UNBUILT_VALUES.iter().filter(|name| is_given(name));
    let mut unbuilt: Vec<&str> = values.copied().collect();
    for name in UNBUILT_FLAGS {
        if read.boolean(name) == Some(true) {
            unbuilt.push(name);
        }
    }
    for name in unbuilt {
        read.fault(
            name,
            "is a filter that this server does not have: leave it out",
        );
    }
}
