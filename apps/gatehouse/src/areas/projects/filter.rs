//! Filters of `GET /api/v4/projects`.
//!
//! Clients act on the content of a list, so a filter is applied or refused, and never ignored: a script that archives
//! all projects with `?starred=true` must not get every project.

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::error::ApiError;
use api_conventions::ids::ProjectId;
use api_conventions::page::SortOrder;
use api_conventions::params::{ParamReader, Params};
use projects::{ProjectFilter, ProjectOrder, Viewer};
use web_conventions::operations::UnsupportedFilter;

/// Filters of the API that are not implemented.
/// A flag that is false does not change the list: no project here is starred or imported, for example. Every project
/// has issues, so `with_issues_enabled` excludes none.
pub(super) const UNSUPPORTED_FILTERS: [UnsupportedFilter; 14] = [
    UnsupportedFilter::Flag("imported"),
    UnsupportedFilter::Flag("include_hidden"),
    UnsupportedFilter::Flag("marked_for_deletion"),
    UnsupportedFilter::Flag("repository_checksum_failed"),
    UnsupportedFilter::Flag("starred"),
    UnsupportedFilter::Flag("wiki_checksum_failed"),
    UnsupportedFilter::Flag("with_security_reports"),
    UnsupportedFilter::Value("custom_attributes"),
    UnsupportedFilter::Value("language"),
    UnsupportedFilter::Value("license"),
    UnsupportedFilter::Value("marked_for_deletion_on"),
    UnsupportedFilter::Value("repository_storage"),
    UnsupportedFilter::Value("topic_id"),
    UnsupportedFilter::Value("with_programming_language"),
];

/// Parses the filter of a request, and the `simple` flag.
///
/// # Errors
/// 400 for invalid values.
pub(super) fn read_filter(
    params: &Params,
    viewer: Viewer,
) -> Result<(ProjectFilter, bool), ApiError> {
    let mut read = params.reader();
    let mut filter = ProjectFilter::new(viewer);
    filter.search = read.text("search").filter(|text| !text.is_empty());
    filter.visibility = read.word("visibility", Visibility::parse);
    filter.min_access_level = least_role(&mut read);
    filter.topics = read.words("topic", |topic| Some(topic.to_owned()));
    filter.search_namespaces = read.boolean("search_namespaces").unwrap_or_default();
    read.boolean("with_issues_enabled");
    let with_merge_requests = read.boolean("with_merge_requests_enabled");
    filter.with_merge_requests = with_merge_requests.unwrap_or_default();
    filter.updated_after = read.timestamp("updated_after");
    filter.updated_before = read.timestamp("updated_before");
    filter.id_after = read.integer("id_after").map(ProjectId::new);
    read_archived(&mut read, &mut filter);
    filter.id_before = read.integer("id_before").map(ProjectId::new);
    filter.active_after = read.timestamp("last_activity_after");
    filter.active_before = read.timestamp("last_activity_before");
    filter.order_by = read
        .word("order_by", ProjectOrder::parse)
        .unwrap_or_default();
    filter.sort = read.word("sort", SortOrder::parse).unwrap_or_default();
    let simple = read.boolean("simple").unwrap_or_default();
    read.finish()?;
    Ok((filter, simple))
}

/// Parses `archived` and `active`.
/// Active projects are those that are not archived; projects pending deletion are in no list. No project is both active
/// and archived, so a request for both matches nothing.
fn read_archived(read: &mut ParamReader<'_>, filter: &mut ProjectFilter) {
    let archived = read.boolean("archived");
    let inactive = read.boolean("active").map(|is_active| !is_active);
    if archived.is_some() && inactive.is_some() && archived != inactive {
        filter.id_after = Some(ProjectId::new(i64::MAX));
    }
    filter.archived = archived.or(inactive);
}

/// Returns the minimum role that a request asks for.
/// `membership` means at least the lowest role.
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
