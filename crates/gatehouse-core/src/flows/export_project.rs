//! Export of a project as an archive.

use std::collections::BTreeMap;

use accounts::AuditEventName;
use api_conventions::error::ApiError;
use api_conventions::ids::{IssueIid, LabelId, MilestoneId, NoteId, UserId};
use api_conventions::page::{OffsetPage, Page, SortOrder, Total};
use api_conventions::time::Timestamp;
use projects::archive::{
    Archive, ArchiveError, ArchivedIssue, ArchivedLabel, ArchivedMilestone, ArchivedNote,
    ArchivedProject, Author, MAX_RECORDS, MAX_UNPACKED_BYTES, Origin, Times,
};
use projects::{
    Issue, IssueFilter, IssueScope, Label, LabelFilter, MilestoneFilter, Project, ProjectMilestone,
    ResourceNote, Viewer,
};
use records::{RecordContent, StoredRecord};
use storage::StoreError;

use super::groups::Actor;
use super::notes::on_issue;
use super::projects::note;
use crate::database::{ReadTransaction, WriteTransaction};

/// Number of rows per read.
const AT_ONCE: usize = OffsetPage::MAX_SIZE as usize;

/// Placeholder origin: the position of a record is unknown before the archive is written, and is not needed here.
const NOWHERE: Origin = Origin { file: "", line: 0 };

/// Reason why a project cannot be exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The project exceeds the limits of an archive.
    #[error(transparent)]
    TooMuch(#[from] ArchiveError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// 422 for a project that is too large.
impl From<ExportError> for ApiError {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::TooMuch(reason) => {
                Self::unprocessable(&format!("the project cannot be exported: {reason}"))
            }
            ExportError::Store(store) => Self::storage_failure(store.is_retryable()),
        }
    }
}

/// Returns the content of a project as an archive: everything users wrote, without system notes.
/// The caller must be allowed to see all of it. No more is read than an archive can hold.
///
/// # Errors
/// See [`ExportError`].
pub fn export_project(
    tx: &mut dyn ReadTransaction,
    project: &Project,
) -> Result<Archive, ExportError> {
    let mut export = Export {
        records: 0,
        bytes: 0,
        labels: BTreeMap::new(),
        milestones: BTreeMap::new(),
        people: BTreeMap::new(),
    };
    let labels: Vec<Label> = export.list(|page| {
        let filter = LabelFilter::default();
        tx.list_records(project.id, &filter, page)
    })?;
    let mut milestones: Vec<ProjectMilestone> = export.list(|page| {
        let filter = MilestoneFilter::default();
        tx.list_records(project.id, &filter, page)
    })?;
    milestones.sort_by_key(|one| one.iid.get());
    let title = |label: &Label| (label.id, label.content.title.clone());
    export.labels = labels.iter().map(title).collect();
    let title = |one: &ProjectMilestone| (one.id, one.content.title.clone());
    export.milestones = milestones.iter().map(title).collect();
    let place = IssueScope::Project {
        id: project.id,
        sees_confidential: true,
    };
    let mut filter = IssueFilter::new(place, Viewer::Anonymous);
    filter.sort = SortOrder::Ascending;
    let today = project.created_at.date();
    let found = export.list(|page| tx.list_issues(&filter, today, page))?;
    let mut issues = BTreeMap::new();
    for issue in found {
        issues.insert(issue.iid, export.issue(tx, issue)?);
    }
    Ok(Archive {
        project: ArchivedProject {
            description: project.description.clone(),
            visibility: Some(project.visibility),
            topics: project.topics.clone(),
            settings: project.settings.clone(),
        },
        labels: labels.into_iter().map(label).collect(),
        milestones: milestones.into_iter().map(milestone).collect(),
        issues: issues.into_values().collect(),
    })
}

/// Records in the audit log that a user exported the project.
///
/// # Errors
/// Failures of the store.
pub fn note_export(
    tx: &mut dyn WriteTransaction,
    project: &Project,
    actor: Actor,
) -> Result<(), StoreError> {
    note(tx, project.id, AuditEventName::ProjectExported, &[], actor)
}

/// State of an export in progress.
struct Export {
    records: usize,
    bytes: u64,
    labels: BTreeMap<LabelId, String>,
    milestones: BTreeMap<MilestoneId, String>,
    people: BTreeMap<UserId, Option<Author>>,
}

impl Export {
    /// Reads all pages of a list.
    fn list<T>(
        &mut self,
        mut read: impl FnMut(OffsetPage) -> Result<Page<T>, StoreError>,
    ) -> Result<Vec<T>, ExportError> {
        let mut all = Vec::new();
        for number in 1.. {
            let page = read(OffsetPage::new(number, OffsetPage::MAX_SIZE.into()))?;
            // Fail early: no need to read a hundred pages of a project that is too large.
            let most = u64::try_from(MAX_RECORDS).unwrap_or(u64::MAX);
            if matches!(page.total, Total::Exact(total) if total > most) {
                return Err(ArchiveError::TooManyRecords.into());
            }
            let is_last = page.items.len() < AT_ONCE;
            self.count(page.items.len())?;
            all.extend(page.items);
            if is_last {
                break;
            }
        }
        Ok(all)
    }

    fn count(&mut self, more: usize) -> Result<(), ArchiveError> {
        self.records = self.records.saturating_add(more);
        if self.records > MAX_RECORDS {
            return Err(ArchiveError::TooManyRecords);
        }
        Ok(())
    }

    /// Counts text, so that no more is held in memory than an archive can hold.
    fn weigh(&mut self, text: &str) -> Result<(), ArchiveError> {
        let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
        self.bytes = self.bytes.saturating_add(length);
        if self.bytes > MAX_UNPACKED_BYTES {
            return Err(ArchiveError::TooLarge);
        }
        Ok(())
    }

    fn issue(
        &mut self,
        tx: &mut dyn ReadTransaction,
        issue: Issue,
    ) -> Result<ArchivedIssue, ExportError> {
        self.weigh(
            issue
                .body
                .content
                .description
                .as_deref()
                .unwrap_or_default(),
        )?;
        let notes = self.notes(tx, &issue)?;
        let (state, body) = (issue.state(), issue.body);
        let labels = body.labels.iter();
        let milestone = body.milestone_id;
        Ok(ArchivedIssue {
            iid: IssueIid::new(issue.iid.get()),
            state,
            closed_at: body.closing.map(|closing| closing.at),
            milestone: milestone.and_then(|id| self.milestones.get(&id).cloned()),
            labels: labels
                .filter_map(|id| self.labels.get(id).cloned())
                .collect(),
            notes,
            author: self.author(tx, issue.author_id)?,
            times: times(issue.created_at, issue.updated_at),
            content: body.content,
            origin: NOWHERE,
        })
    }

    /// Reads the comments on an issue, including internal notes.
    fn notes(
        &mut self,
        tx: &mut dyn ReadTransaction,
        issue: &Issue,
    ) -> Result<Vec<ArchivedNote>, ExportError> {
        let mut archived = Vec::new();
        if issue.user_notes_count == 0 {
            return Ok(archived);
        }
        let mut after = NoteId::new(0);
        loop {
            let ids = tx.list_comment_ids(on_issue(issue), true, after, AT_ONCE)?;
            let Some(last) = ids.last() else {
                return Ok(archived);
            };
            after = *last;
            self.count(ids.len())?;
            let mut notes: Vec<ResourceNote> = tx.list_notes_by_id(&ids)?;
            notes.sort_by_key(|note| note.id);
            for note in notes {
                self.weigh(&note.body)?;
                archived.push(ArchivedNote {
                    author: self.author(tx, note.author_id)?,
                    times: times(note.created_at, note.updated_at),
                    body: note.body,
                    internal: note.internal,
                });
            }
        }
    }

    /// Returns the author with this id; `None` if the account was deleted.
    fn author(
        &mut self,
        tx: &mut dyn ReadTransaction,
        id: UserId,
    ) -> Result<Option<Author>, StoreError> {
        if let Some(known) = self.people.get(&id) {
            return Ok(known.clone());
        }
        let found = tx.list_users_by_id(&[id])?.into_iter().next();
        let author = found.map(|user| Author {
            name: Some(user.name),
            username: Some(user.username.as_str().to_owned()),
        });
        self.people.insert(id, author.clone());
        Ok(author)
    }
}

fn times(created_at: Timestamp, updated_at: Timestamp) -> Times {
    Times {
        created_at: Some(created_at),
        updated_at: Some(updated_at),
    }
}

fn times_of<C: RecordContent>(record: &StoredRecord<C>) -> Times {
    times(record.created_at, record.updated_at)
}

fn label(label: Label) -> ArchivedLabel {
    ArchivedLabel {
        times: times_of(&label),
        content: label.content,
        origin: NOWHERE,
    }
}

fn milestone(milestone: ProjectMilestone) -> ArchivedMilestone {
    ArchivedMilestone {
        iid: Some(milestone.iid.get()),
        times: times_of(&milestone),
        content: milestone.content,
        origin: NOWHERE,
    }
}
