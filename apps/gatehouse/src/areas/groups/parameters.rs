//! Parameters of the group operations.

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::error::ApiError;
use api_conventions::ids::NamespaceId;
use api_conventions::page::SortOrder;
use api_conventions::params::{ParamReader, Params};
use projects::model::OfGroups;
use projects::{
    GroupEdit, GroupFilter, GroupOrder, GroupsWithin, ProjectCreation, SubgroupCreation, Viewer,
};
use records::EditFields as _;
use web_conventions::operations::{Kind, Parameter, Unbuilt};

use crate::frame::settings::setting_parameters;

/// Body parameters for the content of a group.
pub(super) fn content() -> Vec<Parameter> {
    let mut all = vec![
        Parameter::body("name", Kind::Text { min: 1, max: 255 }, "The name to show."),
        Parameter::body(
            "path",
            Kind::Text { min: 1, max: 255 },
            "The last segment of the full path.",
        ),
        Parameter::body("description", Kind::ANY_TEXT, "What it is for."),
        Parameter::body(
            "visibility",
            Kind::Word(&Visibility::NAMES),
            "Who may see it; nobody who does not see the group above.",
        ),
        Parameter::body(
            "project_creation_level",
            Kind::Word(ProjectCreation::NAMES),
            "Who may make projects in it.",
        ),
        Parameter::body(
            "subgroup_creation_level",
            Kind::Word(SubgroupCreation::NAMES),
            "Who may make subgroups in it.",
        ),
        Parameter::body(
            "share_with_group_lock",
            Kind::Boolean,
            "Whether its projects may be shared with no other group.",
        ),
        Parameter::body(
            TWO_FACTOR,
            Kind::False,
            "Accepted as `false` alone: two-factor authentication is each user's choice.",
        ),
    ];
    all.extend(setting_parameters::<OfGroups>());
    all
}

/// Parses the changes to a group.
pub(super) fn read_edit(read: &mut ParamReader<'_>) -> GroupEdit {
    if read.boolean(TWO_FACTOR) == Some(true) {
        let problem = "is a setting that this server does not have: leave it out";
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
            Kind::ANY_TEXT,
            "Only groups whose name or path contains this.",
        ),
        Parameter::query(
            "visibility",
            Kind::Word(&Visibility::NAMES),
            "Only groups of this visibility.",
        ),
        Parameter::query("owned", Kind::Boolean, "Only groups that the caller owns."),
        Parameter::query(
            "min_access_level",
            Kind::Number(&AccessLevel::NUMBERS),
            "Only groups in which the caller has this role or a higher one.",
        ),
        Parameter::query(
            "all_available",
            Kind::Boolean,
            "Whether to list what the caller sees without a role, too. Administrators and callers without credentials \
             need not say so.",
        ),
        Parameter::query(
            "top_level_only",
            Kind::Boolean,
            "Only groups that are in no other.",
        ),
        Parameter::query("skip_groups", Kind::Numbers, "Without these groups."),
        Parameter::query(
            "statistics",
            Kind::Boolean,
            "Whether to tell sizes. There are none.",
        ),
        Parameter::query(
            "order_by",
            Kind::Word(GroupOrder::NAMES),
            "By what the list is ordered.",
        ),
        Parameter::query("sort", Kind::Word(&SortOrder::NAMES), "In which direction."),
    ]
}

/// Filters of the API that are not implemented.
pub(super) const UNBUILT: [Unbuilt; 5] = [
    Unbuilt::Flag("archived"),
    Unbuilt::Value("active"),
    Unbuilt::Value("custom_attributes"),
    Unbuilt::Value("marked_for_deletion_on"),
    Unbuilt::Value("repository_storage"),
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
