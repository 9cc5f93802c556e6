//! Content to be published, and the proof that it passed the spam check.

use api_conventions::ids::SnippetId;
use projects::flow::issues::{IssueActor, IssueEdit};
use projects::flow::snippets::SnippetActor;
use projects::rules::snippets::{apply_edit, published_text};
use projects::rules::spam::{needs_spam_check, published};
use projects::{
    Issue, IssueContent, IssueContentEdit, IssueState, Project, SnippetDraft, SnippetEdit,
    Submission, SubmissionTarget,
};

/// Content that a user is about to publish: in an issue, or in a snippet.
#[derive(Debug, Clone)]
pub struct Intent<C = IssueContentEdit> {
    pub(super) content: C,
    /// The text to be checked; `None` if there is none.
    pub(super) submission: Option<Submission>,
}

impl Intent {
    /// Creates the intent to create an issue.
    pub fn to_create(project: &Project, content: IssueContentEdit, by: IssueActor) -> Self {
        Self::new(project, None, content, by)
    }

    /// Creates the intent to update an issue.
    pub fn to_change(
        project: &Project,
        issue: &Issue,
        content: IssueContentEdit,
        by: IssueActor,
    ) -> Self {
        Self::new(project, Some(issue), content, by)
    }

    fn new(
        project: &Project,
        issue: Option<&Issue>,
        content: IssueContentEdit,
        by: IssueActor,
    ) -> Self {
        let before = issue.map(|issue| &issue.body.content);
        let read = needs_spam_check(project, by.access)
            .then(|| published(before, &content))
            .flatten();
        let submission = read.map(|read: IssueContent| Submission {
            user_id: by.user,
            project_id: Some(project.id),
            target: SubmissionTarget::Issue(issue.map(|issue| issue.iid)),
            title: read.title,
            description: read.description.unwrap_or_default(),
        });
        Self {
            content,
            submission,
        }
    }
}

impl Intent<SnippetEdit> {
    /// Creates the intent to create a snippet, or to update the one with this id and this content.
    /// Invalid edits have no text to be checked, because they are refused.
    pub fn for_snippet(
        before: Option<(SnippetId, &SnippetDraft)>,
        edit: SnippetEdit,
        by: SnippetActor,
    ) -> Self {
        let (id, draft) = before.unzip();
        let after = apply_edit(draft, edit.clone()).ok();
        let read = after.and_then(|after| {
            let text = published_text(draft, &after, by.home, by.viewer)?;
            Some((after.content.title, text))
        });
        let submission = read.map(|(title, description)| Submission {
            user_id: by.user,
            project_id: by.home.place().project_id(),
            target: SubmissionTarget::Snippet(id),
            title,
            description,
        });
        Self {
            content: edit,
            submission,
        }
    }
}

impl<C> Intent<C> {
    /// Clears content that needs no check, such as that of a member with the role Reporter or higher.
    ///
    /// # Errors
    /// The intent itself, if it contains text to be checked.
    pub fn exempt(self) -> Result<Clearance<C>, Box<Self>> {
        if self.submission.is_some() {
            return Err(Box::new(self));
        }
        Ok(Clearance {
            content: self.content,
        })
    }
}

/// Content that may be published: it passed the spam check, or needs none.
/// Only [`SpamCheck`](super::SpamCheck) and [`Intent::exempt`] create one.
#[derive(Debug, Clone)]
pub struct Clearance<C = IssueContentEdit> {
    pub(super) content: C,
}

impl Clearance {
    /// Returns an edit with this content, the only way to get text into an issue. Any content in `edit` is ignored.
    pub fn with(&self, edit: IssueEdit) -> ClearedEdit {
        ClearedEdit(IssueEdit {
            content: self.content.clone(),
            ..edit
        })
    }
}

impl Clearance<SnippetEdit> {
    /// Returns the edit of a snippet, the only way to get text into one.
    pub fn into_edit(self) -> ClearedSnippet {
        ClearedSnippet(self.content)
    }
}

/// An edit of a snippet that was cleared.
#[derive(Debug, Clone)]
pub struct ClearedSnippet(pub(crate) SnippetEdit);

/// An edit of an issue whose content was cleared.
#[derive(Debug, Clone)]
pub struct ClearedEdit(pub(crate) IssueEdit);

impl ClearedEdit {
    /// Creates an edit that closes or reopens an issue. It contains no text to be checked.
    pub fn of_state(state: IssueState) -> Self {
        Self(IssueEdit {
            state: Some(state),
            ..IssueEdit::default()
        })
    }

    /// Creates an edit with content that the server composes from an alert. No user wrote it, so it is not checked.
    pub(crate) fn of_alert(content: IssueContentEdit) -> Self {
        Self(IssueEdit {
            content,
            ..IssueEdit::default()
        })
    }
}
