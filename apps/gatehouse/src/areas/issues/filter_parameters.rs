//! Parameters of issue lists and issue counts.

use api_conventions::page::SortOrder;
use projects::{IssueKind, IssueOrder};
use web_conventions::operations::{Kind, Parameter};

use super::due::DUE_DATES;
use super::filter::PLACES;

const STATES: [&str; 3] = ["opened", "closed", "all"];
const SCOPES: [&str; 3] = ["created_by_me", "assigned_to_me", "all"];
const SOME_MILESTONE: [&str; 2] = ["None", "Any"];
const ONE_OR: Kind = Kind::Matching("^([-+]?[0-9]{1,18}|None|Any)$");

/// Sort order, and label format of a list.
pub(super) fn shapes() -> [Parameter; 3] {
    let query = Parameter::query;
    [
        query(
            "order_by",
            Kind::Word(IssueOrder::NAMES),
            "By what the list is ordered.",
        ),
        query("sort", Kind::Word(&SortOrder::NAMES), "In which direction."),
        query(
            "with_labels_details",
            Kind::Boolean,
            "Whether labels are objects and not names.",
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
            Kind::Texts,
            "Only those with none of these labels.",
        ),
        query(
            "not[milestone]",
            Kind::ANY_TEXT,
            "Only those without the milestone of this title.",
        ),
        query(
            "not[author_id]",
            Kind::ANY_INTEGER,
            "Only those of other authors.",
        ),
        query(
            "not[assignee_id]",
            Kind::ANY_INTEGER,
            "Only those that this user is not to do.",
        ),
        query(
            "not[author_username]",
            Kind::ANY_TEXT,
            "Only those of other authors than the one with this name.",
        ),
        query(
            "not[assignee_username]",
            Kind::ANY_TEXT,
            "Only those that the user with this name is not to do.",
        ),
    ]
}

/// Positive filters.
fn conditions() -> Vec<Parameter> {
    let query = Parameter::query;
    vec![
        query("state", Kind::Word(&STATES), "Only those of this state."),
        query("scope", Kind::Word(&SCOPES), "Whose issues."),
        query("iids", Kind::Numbers, "Only those with these numbers."),
        query(
            "labels",
            Kind::Texts,
            "Only those with all of these labels, `None` or `Any`.",
        ),
        query(
            "milestone",
            Kind::ANY_TEXT,
            "Only those with the milestone of this title, `None` or `Any`.",
        ),
        query(
            "milestone_id",
            Kind::Word(&SOME_MILESTONE),
            "Only those with no milestone, or with any.",
        ),
        query("author_id", Kind::ANY_INTEGER, "Only those of this author."),
        query(
            "author_username",
            Kind::ANY_TEXT,
            "Only those of the author with this name.",
        ),
        query(
            "assignee_id",
            ONE_OR,
            "Only those that this user is to do, `None` or `Any`.",
        ),
        query(
            "assignee_username",
            Kind::Texts,
            "Only those that all users with these names are to do.",
        ),
        query(
            "search",
            Kind::ANY_TEXT,
            "Only those that contain this text.",
        ),
        query("in", Kind::Words(&PLACES), "Where to look for the text."),
        query(
            "confidential",
            Kind::Boolean,
            "Only those that are confidential, or are not.",
        ),
        query(
            "issue_type",
            Kind::Word(IssueKind::NAMES),
            "Only those of this kind.",
        ),
        query(
            "created_after",
            Kind::Timestamp,
            "Only those that were made then or later.",
        ),
        query(
            "created_before",
            Kind::Timestamp,
            "Only those that were made then or before.",
        ),
        query(
            "updated_after",
            Kind::Timestamp,
            "Only those that changed last then or later.",
        ),
        query(
            "updated_before",
            Kind::Timestamp,
            "Only those that changed last then or before.",
        ),
        query(
            "due_date",
            Kind::Word(&DUE_DATES),
            "Only those that are due then; `0` for no day.",
        ),
    ]
}
