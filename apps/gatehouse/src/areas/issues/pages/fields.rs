//! Values of the issue form.

use std::collections::BTreeSet;

use api_conventions::error::ValidationFailures;
use api_conventions::ids::{MilestoneId, UserId};
use api_conventions::params::Params;
use gatehouse_core::database::ReadTransaction;
use projects::flow::issues::{IssueEdit, LabelsEdit};
use projects::{Issue, IssueContentEdit, IssueSeverity};
use records::EditFields as _;
use storage::StoreError;

use crate::areas::issues::view::IssuesWithRecords;
use crate::frame::form::PageForm;
use crate::frame::page::field_failures::check_days;

/// Field values, as entered.
#[derive(Debug, Clone, Default)]
pub(super) struct IssueFormValues {
    /// Title.
    pub(super) title: String,
    /// Description, in Markdown.
    pub(super) description: String,
    /// `issue` or `incident`.
    pub(super) kind: String,
    /// Label titles, separated by commas.
    pub(super) labels: String,
    /// Usernames, separated by commas.
    pub(super) assignees: String,
    /// Id of the milestone; empty for none.
    pub(super) milestone: String,
    /// Due date; empty for none.
    pub(super) due: String,
    /// True if the issue is confidential.
    pub(super) is_confidential: bool,
    /// Severity of an incident.
    pub(super) severity: String,
    /// True if only project members can comment.
    pub(super) is_locked: bool,
    /// True if the form has the fields for Reporters and up.
    /// Without them, those fields stay unchanged.
    pub(super) has_all: bool,
}

impl IssueFormValues {
    /// Reads the values of a form.
    /// Converts the CRLF line endings of browsers to those that API clients send.
    pub(super) fn from_form(form: &PageForm) -> Self {
        let line = |name| form.text(name).trim().to_owned();
        Self {
            title: form.text("title").to_owned(),
            description: form.text("description").replace("\r\n", "\n"),
            kind: line("issue_type"),
            labels: line("labels"),
            assignees: line("assignees"),
            milestone: line("milestone_id"),
            due: line("due_date"),
            is_confidential: form.is_ticked("confidential"),
            severity: line("severity"),
            is_locked: form.is_ticked("discussion_locked"),
            has_all: form.has("severity"),
        }
    }

    /// Returns the values of an issue.
    pub(super) fn of(issue: &Issue, loaded: &IssuesWithRecords) -> Self {
        let (body, content) = (&issue.body, &issue.body.content);
        let labels = body.labels.iter().filter_map(|id| loaded.labels.get(id));
        let labels: Vec<&str> = labels.map(|label| &*label.content.title).collect();
        let users = body.assignees.iter().filter_map(|id| loaded.users.get(id));
        let users: Vec<&str> = users.map(|user| user.username.as_str()).collect();
        let milestone = body.milestone_id.map(|id| id.to_string());
        let due = content.due_date.map(|day| day.to_string());
        Self {
            title: content.title.clone(),
            description: content.description.clone().unwrap_or_default(),
            kind: content.kind.as_str().to_owned(),
            labels: labels.join(", "),
            assignees: users.join(", "),
            milestone: milestone.unwrap_or_default(),
            due: due.unwrap_or_default(),
            is_confidential: content.confidential,
            severity: content.severity.as_str().to_owned(),
            is_locked: content.discussion_locked,
            has_all: true,
        }
    }

    /// Parses the values into an edit, by the rules of the API.
    ///
    /// # Errors
    /// Invalid fields, and usernames that do not exist.
    pub(super) fn edit(
        &self,
        tx: &mut dyn ReadTransaction,
    ) -> Result<Result<IssueEdit, ValidationFailures>, StoreError> {
        let mut failures = ValidationFailures::default();
        let milestone = self.milestone(&mut failures);
        let assignees = self.assignees(tx, &mut failures)?;
        let content = match self.content() {
            Ok(content) => content,
            Err(wrong) => {
                failures.append(wrong);
                return Ok(Err(failures));
            }
        };
        if !failures.is_empty() {
            return Ok(Err(failures));
        }
        Ok(Ok(IssueEdit {
            content,
            state: None,
            milestone: Some(milestone),
            labels: LabelsEdit {
                set: Some(words(&self.labels).map(str::to_owned).collect()),
                ..LabelsEdit::default()
            },
            assignees: Some(assignees),
        }))
    }

    /// Parses the content fields, by the rules of the API.
    ///
    /// # Errors
    /// Invalid fields.
    pub(super) fn content(&self) -> Result<IssueContentEdit, ValidationFailures> {
        let mut failures = ValidationFailures::default();
        check_days(&mut failures, &[("due_date", &self.due)]);
        let fields = [
            ("title", self.title.clone()),
            ("description", self.description.clone()),
            ("issue_type", self.kind.clone()),
            ("due_date", self.due.clone()),
            ("confidential", self.is_confidential.to_string()),
            ("severity", self.severity.clone()),
            ("discussion_locked", self.is_locked.to_string()),
        ];
        let is_sent = |(name, value): &(&str, String)| match *name {
            "issue_type" => !value.is_empty(),
            "severity" | "discussion_locked" => self.has_all,
            _ => true,
        };
        let fields = fields.into_iter().filter(is_sent);
        let fields: Vec<_> = fields
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        let params = Params::from_fields(&fields).unwrap_or_default();
        let mut read = params.reader();
        let content = IssueContentEdit::read(&mut read, &[("kind", Some("issue_type"))]);
        let is_severity = IssueSeverity::parse(&self.severity).is_some();
        if self.has_all && !is_severity {
            failures.add("severity", "does not have a valid value");
        } else if failures.is_empty() && read.finish().is_err() {
            failures.add("issue_type", "does not have a valid value");
        }
        if failures.is_empty() {
            Ok(content)
        } else {
            Err(failures)
        }
    }

    fn milestone(&self, failures: &mut ValidationFailures) -> Option<MilestoneId> {
        if self.milestone.is_empty() {
            return None;
        }
        let id = self.milestone.parse().ok();
        if id.is_none() {
            failures.add("milestone_id", "is invalid");
        }
        id.map(MilestoneId::new)
    }

    fn assignees(
        &self,
        tx: &mut dyn ReadTransaction,
        failures: &mut ValidationFailures,
    ) -> Result<BTreeSet<UserId>, StoreError> {
        let names: Vec<&str> = words(&self.assignees).collect();
        let names: Vec<&str> = names
            .into_iter()
            .map(|name| name.strip_prefix('@').unwrap_or(name))
            .collect();
        if names.is_empty() {
            return Ok(BTreeSet::new());
        }
        let users = tx.list_users_by_username(&names)?;
        let is_user = |name: &str| {
            let mut known = users.iter();
            known.any(|user| user.username.as_str().eq_ignore_ascii_case(name))
        };
        if !names.iter().all(|name| is_user(name)) {
            failures.add("assignees", "include a user who does not exist");
        }
        Ok(users.into_iter().map(|user| user.id).collect())
    }
}

/// Splits a text at commas.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(',').map(str::trim);
    words.filter(|word| !word.is_empty())
}
