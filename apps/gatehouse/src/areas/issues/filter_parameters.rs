//! Parameters of issue lists and issue counts.

use api_conventions::page::SortOrder;
use projects::{IssueKind, IssueOrder};
use web_conventions::operations::{Parameter, ParameterKind};

use super::due::DUE_DATES;
use super::filter::PLACES;

const STATES: [&str; 3] = ["opened", "closed", "all"];
const SCOPES: [&str; 3] = ["created_by_me", "assigned_to_me", "all"];
const SOME_MILESTONE: [&str; 2] = ["None", "Any"];
const ONE_OR: ParameterKind = ParameterKind::Matching("^([-+]?[0-9]{1,18}|None|Any)$");

/// Sort order, and label format of a list.
pub(super) fn shapes() -> [Parameter; 3] {
    let query = Parameter::query;
    [
        query(
            "order_by",
            ParameterKind::Word(IssueOrder::NAMES),
            "Sort column.",
        ),
        query(
            "sort",
            ParameterKind::Word(&SortOrder::NAMES),
            "Sort direction.",
        ),
        query(
            "with_labels_details",
            ParameterKind::Boolean,
            "True to return labels as objects instead of names.",
        ),
    ]
}

/// Filters for lists and counts.
pub(super) fn filters() -> Vec<Parameter> {
    let mut filters = conditions();
    filters.extend(exclusions());
    filters
}

/// Negated filters.
fn exclusions() -> [Parameter; 6] {
    let query = Parameter::query;
    [
        query(
            "not[labels]",
            ParameterKind::Texts,
            "Only issues with none of these labels.",
        ),
        query(
            "not[milestone]",
            ParameterKind::ANY_TEXT,
            "Only issues without the milestone of this title.",
        ),
        query(
            "not[author_id]",
            ParameterKind::ANY_INTEGER,
            "Only issues of other authors.",
        ),
        query(
            "not[assignee_id]",
            ParameterKind::ANY_INTEGER,
            "Only issues that are not assigned to this user.",
        ),
        query(
            "not[author_username]",
            ParameterKind::ANY_TEXT,
            "Only issues of other authors than this username.",
        ),
        query(
            "not[assignee_username]",
            ParameterKind::ANY_TEXT,
            "Only issues that are not assigned to this username.",
        ),
    ]
}

/// Positive filters.
fn conditions() -> Vec<Parameter> {
    let query = Parameter::query;
    vec![
        query("state", ParameterKind::Word(&STATES), "Filter by state."),
        query(
            "scope",
            ParameterKind::Word(&SCOPES),
            "Only issues that the caller created, or is assigned to; `all` for any.",
        ),
        query("iids", ParameterKind::Numbers, "Filter by IIDs."),
        query(
            "labels",
            ParameterKind::Texts,
            "Only issues with all of these labels, `None` or `Any`.",
        ),
        query(
            "milestone",
            ParameterKind::ANY_TEXT,
            "Filter by title of the milestone, `None` or `Any`.",
        ),
        query(
            "milestone_id",
            ParameterKind::Word(&SOME_MILESTONE),
            "Only issues with no milestone, or with any.",
        ),
        query("author_id", ParameterKind::ANY_INTEGER, "Filter by author."),
        query(
            "author_username",
            ParameterKind::ANY_TEXT,
            "Filter by username of the author.",
        ),
        query(
            "assignee_id",
            ONE_OR,
            "Filter by assignee, `None` or `Any`.",
        ),
        query(
            "assignee_username",
            ParameterKind::Texts,
            "Only issues that are assigned to all of these usernames.",
        ),
        query(
            "search",
            ParameterKind::ANY_TEXT,
            "Search in title and description.",
        ),
        query(
            "in",
            ParameterKind::Words(&PLACES),
            "Fields to search in (default: both).",
        ),
        query(
            "confidential",
            ParameterKind::Boolean,
            "Filter by confidentiality.",
        ),
        query(
            "issue_type",
            ParameterKind::Word(IssueKind::NAMES),
            "Filter by type.",
        ),
        query(
            "created_after",
            ParameterKind::Timestamp,
            "Only issues created at or after this time.",
        ),
        query(
            "created_before",
            ParameterKind::Timestamp,
            "Only issues created at or before this time.",
        ),
        query(
            "updated_after",
            ParameterKind::Timestamp,
            "Only issues last updated at or after this time.",
        ),
        query(
            "updated_before",
            ParameterKind::Timestamp,
            "Only issues last updated at or before this time.",
        ),
        query(
            "due_date",
            ParameterKind::Word(&DUE_DATES),
            "Filter by due date; `0` for none.",
        ),
    ]
}
