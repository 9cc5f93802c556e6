//! Parameters of the group operations.

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::error::ApiError;
use api_conventions::ids::NamespaceId;
use api_conventions::page::SortOrder;
use api_conventions::params::{ParamReader, Params};
use projects::model::GroupSettingTable;
use projects::{
    GroupEdit, GroupFilter, GroupOrder, GroupsWithin, ProjectCreation, SubgroupCreation, Viewer,
};
use records::EditFields as _;
use web_conventions::operations::{Parameter, ParameterKind, UnsupportedFilter};

use crate::frame::settings::setting_parameters;

/// Body parameters for the content of a group.
pub(super) fn content() -> Vec<Parameter> {
    let mut all = vec![
        Parameter::body(
            "name",
            ParameterKind::Text { min: 1, max: 255 },
            "Display name.",
        ),
        Parameter::body(
            "path",
            ParameterKind::Text { min: 1, max: 255 },
            "Last segment of the full path.",
        ),
        Parameter::body(
            "description",
            ParameterKind::ANY_TEXT,
            "Description of the group.",
        ),
        Parameter::body(
            "visibility",
            ParameterKind::Word(&Visibility::NAMES),
            "Visibility, at most that of the parent group.",
        ),
        Parameter::body(
            "project_creation_level",
            ParameterKind::Word(ProjectCreation::NAMES),
            "Minimum role to create projects in the group.",
        ),
        Parameter::body(
            "subgroup_creation_level",
            ParameterKind::Word(SubgroupCreation::NAMES),
            "Minimum role to create subgroups in the group.",
        ),
        Parameter::body(
            "share_with_group_lock",
            ParameterKind::Boolean,
            "Prevent sharing projects of the group with other groups.",
        ),
        Parameter::body(
            TWO_FACTOR,
            ParameterKind::False,
            "Only `false` is accepted: two-factor authentication is each user's choice.",
        ),
    ];
    all.extend(setting_parameters::<GroupSettingTable>());
    all
}

/// Parses the changes to a group.
pub(super) fn read_edit(read: &mut ParamReader<'_>) -> GroupEdit {
    if read.boolean(TWO_FACTOR) == Some(true) {
        let problem = "is a setting that this server does not support: leave it out";
        read.fault(TWO_FACTOR, problem);
    }
    GroupEdit::read(read, &[])
}

/// Setting that must not be stored, because the server does not enforce it.
const TWO_FACTOR: &str = "require_two_factor_authentication";

/// Filters of group lists.
pub(super) fn filters() -> [Parameter; 10] {
    [
        Parameter::query(
            "search",
            ParameterKind::ANY_TEXT,
            "Search in name and path.",
        ),
        Parameter::query(
            "visibility",
            ParameterKind::Word(&Visibility::NAMES),
            "Filter by visibility.",
        ),
        Parameter::query(
            "owned",
            ParameterKind::Boolean,
            "Only groups that the caller owns.",
        ),
        Parameter::query(
            "min_access_level",
            ParameterKind::Number(&AccessLevel::NUMBERS),
            "Only groups in which the caller has at least this role.",
        ),
        Parameter::query(
            "all_available",
            ParameterKind::Boolean,
            "Include all groups that are visible to the caller. Always on for administrators and for callers without \
             credentials.",
        ),
        Parameter::query(
            "top_level_only",
            ParameterKind::Boolean,
            "Only top-level groups.",
        ),
        Parameter::query(
            "skip_groups",
            ParameterKind::Numbers,
            "Exclude groups with these ids.",
        ),
        Parameter::query(
            "statistics",
            ParameterKind::Boolean,
            "Accepted and ignored: this server keeps no size statistics.",
        ),
        Parameter::query(
            "order_by",
            ParameterKind::Word(GroupOrder::NAMES),
            "Sort column.",
        ),
        Parameter::query(
            "sort",
            ParameterKind::Word(&SortOrder::NAMES),
            "Sort direction.",
        ),
    ]
}

/// Filters of the API that are not implemented.
pub(super) const UNSUPPORTED_FILTERS: [UnsupportedFilter; 5] = [
    UnsupportedFilter::Flag("archived"),
    UnsupportedFilter::Value("active"),
    UnsupportedFilter::Value("custom_attributes"),
    UnsupportedFilter::Value("marked_for_deletion_on"),
    UnsupportedFilter::Value("repository_storage"),
];

/// Parses the filter of a request, for groups within `within`.
///
/// # Errors
/// 400 for invalid values.
pub(super) fn read_filter(
    params: &Params,
    viewer: Viewer,
    within: GroupsWithin,
) -> Result<GroupFilter, ApiError> {
    let mut read = params.reader();
    let mut filter = GroupFilter::new(viewer);
    filter.within = within;
    filter.search = read.text("search").filter(|text| !text.is_empty());
    filter.visibility = read.word("visibility", Visibility::parse);
    let least = read.integer("min_access_level");
    filter.min_access_level = least.and_then(AccessLevel::from_number);
    if least.is_some() && filter.min_access_level.is_none() {
        read.fault("min_access_level", "does not have a valid value");
    }
    if read.boolean("owned") == Some(true) {
        filter.min_access_level = Some(AccessLevel::Owner);
    }
    // Within a group, the default is to list everything that the caller can view.
    let is_everywhere = within == GroupsWithin::Everywhere;
    let all_by_default = !is_everywhere || !matches!(viewer, Viewer::User(_));
    let all = read.boolean("all_available").unwrap_or(all_by_default);
    filter.is_member = !all && filter.min_access_level.is_none() && viewer != Viewer::Anonymous;
    if read.boolean("top_level_only") == Some(true) && is_everywhere {
        filter.within = GroupsWithin::TopLevel;
    }
    let id = |text: &str| text.parse().ok().map(NamespaceId::new);
    filter.skip = read.words("skip_groups", id);
    filter.order_by = read.word("order_by", GroupOrder::parse).unwrap_or_default();
    let sort = read.word("sort", SortOrder::parse);
    filter.sort = sort.unwrap_or(SortOrder::Ascending);
    read.boolean("statistics");
    read.finish()?;
    Ok(filter)
}
