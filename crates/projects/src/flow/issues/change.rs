//! Change of an issue that is not recorded yet.

use crate::model::Issue;

/// Issue that was created or updated in the open transaction. The caller gets it by recording the change where people and
/// programs hear of it: in the feed, in system notes and in messages.
#[derive(Debug)]
#[must_use = "record the change"]
pub struct IssueChange {
    before: Option<Issue>,
    after: Issue,
}

impl IssueChange {
    pub(super) const fn new(before: Option<Issue>, after: Issue) -> Self {
        Self { before, after }
    }

    /// Replaces the issue by the result of a further write to it in the same transaction.
    ///
    /// # Errors
    /// Errors of `write`.
    pub fn then<E>(self, write: impl FnOnce(Issue) -> Result<Issue, E>) -> Result<Self, E> {
        Ok(Self {
            before: self.before,
            after: write(self.after)?,
        })
    }

    /// Calls `record` with the issue before the change, which is `None` for a new one, and after it. Returns the issue.
    ///
    /// # Errors
    /// Errors of `record`.
    pub fn record<E>(
        self,
        record: impl FnOnce(Option<&Issue>, &Issue) -> Result<(), E>,
    ) -> Result<Issue, E> {
        record(self.before.as_ref(), &self.after)?;
        Ok(self.after)
    }
}
