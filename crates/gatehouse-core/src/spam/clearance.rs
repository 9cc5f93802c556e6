//! What is to be published, and the proof that it was judged.

use projects::flow::issues::{Actor, IssueEdit};
use projects::rules::spam::{is_judged, published};
use projects::{Issue, IssueContent, IssueContentEdit, IssueState, Project, Submission};

/// What somebody is about to write in an issue.
#[derive(Debug, Clone)]
pub struct Intent {
    pub(super) content: IssueContentEdit,
    /// What of it is to be judged; `None` where that is nothing.
    pub(super) submission: Option<Submission>,
}

impl Intent {
    /// To make an issue.
    pub fn to_create(project: &Project, content: IssueContentEdit, by: Actor) -> Self {
        Self::new(project, None, content, by)
    }

    /// To change an issue.
    pub fn to_change(
        project: &Project,
        issue: &Issue,
        content: IssueContentEdit,
        by: Actor,
    ) -> Self {
        Self::new(project, Some(issue), content, by)
    }

    fn new(project: &Project, issue: Option<&Issue>, content: IssueContentEdit, by: Actor) -> Self {
        let before = issue.map(|issue| &issue.body.content);
        let read = is_judged(project, by.access)
            .then(|| published(before, &content))
            .flatten();
        let submission = read.map(|read: IssueContent| Submission {
            user_id: by.user,
            project_id: project.id,
            issue: issue.map(|issue| issue.iid),
            title: read.title,
            description: read.description.unwrap_or_default(),
        });
        Self {
            content,
            submission,
        }
    }

    /// The clearance of what nobody judges, such as the words of a member from Reporter on.
    ///
    /// # Errors
    /// The intent itself, where something of it is to be judged.
    pub fn exempt(self) -> Result<Clearance, Box<Self>> {
        if self.submission.is_some() {
            return Err(Box::new(self));
        }
        Ok(Clearance {
            content: self.content,
        })
    }
}

/// What may be published: it was judged, or needs no judgement. Nothing else makes one than [`SpamCheck`](super::SpamCheck) and
/// [`Intent::exempt`].
#[derive(Debug, Clone)]
pub struct Clearance {
    pub(super) content: IssueContentEdit,
}

impl Clearance {
    /// An edit with these words, which is the only way for words into an issue. What `edit` says itself of the content is not taken.
    pub fn with(&self, edit: IssueEdit) -> ClearedEdit {
        ClearedEdit(IssueEdit {
            content: self.content.clone(),
            ..edit
        })
    }
}

/// An edit of an issue whose words were judged.
#[derive(Debug, Clone)]
pub struct ClearedEdit(pub(crate) IssueEdit);

impl ClearedEdit {
    /// An edit that closes an issue or opens it again. It has no words to be judged.
    pub fn of_state(state: IssueState) -> Self {
        Self(IssueEdit {
            state: Some(state),
            ..IssueEdit::default()
        })
    }
}
