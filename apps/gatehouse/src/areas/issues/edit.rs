//! Request body for creating or updating an issue.

use std::collections::BTreeSet;

use api_conventions::error::ApiError;
use api_conventions::ids::{MilestoneId, UserId};
use api_conventions::params::{ParamReader, Params};
use api_conventions::time::Timestamp;
use projects::flow::issues::{IssueEdit, LabelsEdit};
use projects::{IssueContentEdit, IssueKind, IssueState};
use records::EditFields as _;
use web_conventions::operations::{Parameter, ParameterKind};

const EVENTS: [&str; 2] = ["close", "reopen"];
/// Severities, read in either case.
/// The document lists only lower case, because names that differ only in case collide in generated clients.
const SEVERITIES: [&str; 5] = ["unknown", "low", "medium", "high", "critical"];

pub(super) const STATE_EVENT: Parameter = Parameter::body(
    "state_event",
    ParameterKind::Word(&EVENTS),
    "Close or reopen the issue.",
);

/// Fields of a body.
/// The title is required to create an issue.
pub(super) fn body(is_new: bool) -> Vec<Parameter> {
    let title = Parameter::body(
        "title",
        ParameterKind::Text { min: 1, max: 255 },
        "The title.",
    );
    let own = if is_new {
        let created = "Creation time. Only Owners can set it.";
        vec![
            title.required(),
            Parameter::body("created_at", ParameterKind::Timestamp, created),
        ]
    } else {
        let [add, remove] = ["add_labels", "remove_labels"];
        vec![
            title,
            Parameter::body(add, ParameterKind::Texts, "Labels to add."),
            Parameter::body(remove, ParameterKind::Texts, "Labels to remove."),
        ]
    };
    own.into_iter().chain(shared()).collect()
}

fn shared() -> [Parameter; 11] {
    [
        Parameter::body(
            "description",
            ParameterKind::ANY_TEXT,
            "Description in Markdown.",
        ),
        Parameter::body(
            "issue_type",
            ParameterKind::Word(IssueKind::NAMES),
            "Type of the issue.",
        ),
        Parameter::body(
            "severity",
            ParameterKind::Word(&SEVERITIES),
            "Severity of an incident, in lower or upper case.",
        ),
        Parameter::body(
            "confidential",
            ParameterKind::Boolean,
            "True to make the issue visible only to the author, the assignees and members with at least the Reporter role.",
        ),
        Parameter::body(
            "discussion_locked",
            ParameterKind::Boolean,
            "True to let only members of the project comment.",
        ),
        Parameter::body(
            "due_date",
            ParameterKind::Date,
            "Due date. Send an empty value to clear it.",
        ),
        Parameter::body(
            "milestone_id",
            ParameterKind::ANY_INTEGER,
            "The id of a milestone of the project; 0 clears it.",
        ),
        Parameter::body(
            "labels",
            ParameterKind::Texts,
            "All labels of the issue by name, as an array or separated by commas.",
        ),
        Parameter::body(
            "assignee_ids",
            ParameterKind::Numbers,
            "The ids of all assignees. Each must be able to see the project.",
        ),
        Parameter::body(
            "assignee_id",
            ParameterKind::ANY_INTEGER,
            "The id of a single assignee.",
        ),
        Parameter::body(
            "iid",
            ParameterKind::ANY_INTEGER,
            "Accepted and ignored: IIDs are assigned in order.",
        ),
    ]
}

/// Fields that an operation accepts: those of a new issue, or those of an update.
pub(super) struct EditKind {
    is_new: bool,
}

pub(super) const CREATE: EditKind = EditKind { is_new: true };
pub(super) const UPDATE: EditKind = EditKind { is_new: false };

/// An edit, and the creation time that the request sets.
#[derive(Debug, Clone)]
pub(super) struct IssueRequest {
    pub(super) edit: IssueEdit,
    pub(super) created_at: Option<Timestamp>,
}

/// Parses an edit.
///
/// # Errors
/// 400 for missing or invalid fields.
pub(super) fn read_edit(params: &Params, kind: &EditKind) -> Result<IssueRequest, ApiError> {
    let mut read = params.reader();
    // The value is ignored, but it must be a number.
    read.integer("iid");
    let content = IssueContentEdit::read(&mut read, &[("kind", Some("issue_type"))]);
    let milestone = read.is_given("milestone_id").then(|| {
        let id = read.integer("milestone_id").filter(|id| *id != 0);
        id.map(MilestoneId::new)
    });
    let mut edit = IssueEdit {
        content,
        state: None,
        milestone,
        labels: LabelsEdit {
            set: read.is_given("labels").then(|| titles(&mut read, "labels")),
            ..LabelsEdit::default()
        },
        assignees: assignees(&mut read),
    };
    let mut created_at = None;
    if kind.is_new {
        created_at = read.timestamp("created_at");
        read.demand(&["title"]);
    } else {
        edit.labels.add = titles(&mut read, "add_labels");
        edit.labels.remove = titles(&mut read, "remove_labels");
        edit.state = read.word(STATE_EVENT.name, |event| match event {
            "close" => Some(IssueState::Closed),
            "reopen" => Some(IssueState::Opened),
            _ => None,
        });
        let names = body(false).into_iter().map(|parameter| parameter.name);
        let names: Vec<&'static str> = names.chain([STATE_EVENT.name]).collect();
        read.demand_one_of(&names);
    }
    read.finish()?;
    Ok(IssueRequest { edit, created_at })
}

fn titles(read: &mut ParamReader<'_>, name: &str) -> Vec<String> {
    read.words(name, |title| Some(title.to_owned()))
}

/// Parses the assignees.
/// An empty list and 0 both mean none.
fn assignees(read: &mut ParamReader<'_>) -> Option<BTreeSet<UserId>> {
    let many = read.is_given("assignee_ids").then(|| {
        let ids = read.words("assignee_ids", |text| text.parse().ok());
        ids.into_iter().collect::<BTreeSet<i64>>()
    });
    let one = read.is_given("assignee_id").then(|| {
        let id = read.integer("assignee_id");
        id.into_iter().collect()
    });
    let ids = many.or(one)?;
    Some(
        ids.into_iter()
            .filter(|id| *id != 0)
            .map(UserId::new)
            .collect(),
    )
}
