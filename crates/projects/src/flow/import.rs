//! Import of the contents of a project from an archive.
//! Behind the feature `archive`.

use std::collections::{BTreeMap, BTreeSet};

use api_conventions::access::AccessLevel;
use api_conventions::error::ValidationFailures;
use api_conventions::ids::{IssueIid, LabelId, MilestoneId, NamespaceId, ProjectId};
use api_conventions::reference::NamespaceRef;
use api_conventions::time::Timestamp;
use api_conventions::validation;
use records::{NewRecord, RecordContent, RecordError, RecordRepository, StoredRecord};
use storage::StoreError;

use super::error::NamespaceError;
use super::groups::find_visible_group;
use super::issues::{IssueTx, MAX_LABELS};
use crate::archive::{Archive, ArchivedIssue, ArchivedNote, Origin, Times};
use crate::model::{
    Closing, Issue, IssueBody, IssueState, LabelContent, MilestoneContent, NewIssue, NewNote,
    Noteable, NoteableKind, Viewer,
};
use crate::rules::imported_text::{Importer, imported_text};
use crate::store::{GroupRepository, NoteRepository};

/// Rejects an import into a group by a viewer who sees the group but is not at least a Maintainer of it.
/// Users' own namespaces, and groups that the viewer does not see, are checked where the project is
/// [placed](super::create_project::prepare_project). The group is locked.
///
/// The specification requires this from release 16.0 on; before it, every user who may create projects may import them.
///
/// # Errors
/// [`NamespaceError::Forbidden`], and failures of the store.
pub fn check_importer<R: GroupRepository + ?Sized>(
    repos: &mut R,
    namespace: NamespaceId,
    viewer: Viewer,
    now: Timestamp,
) -> Result<(), NamespaceError> {
    repos.lock_group(namespace, &[])?;
    let found = find_visible_group(repos, &NamespaceRef::Id(namespace), viewer, now)?;
    let is_refused = found.is_some_and(|(_, access)| !access.allows(AccessLevel::Maintainer));
    if is_refused {
        return Err(NamespaceError::Forbidden);
    }
    Ok(())
}

/// Creates the labels, milestones, issues and notes of an archive in a newly created project.
/// The importer becomes the author of all of it; where the archive names another author, the text
/// [says so](imported_text). Issues keep their numbers, and everything keeps its times. Assignees are not imported,
/// because an archive cannot tell which users they are here.
///
/// # Errors
/// [`NamespaceError::Invalid`] names the attribute, as for other requests, and the line of the archive.
pub fn import_contents<R>(
    repos: &mut R,
    project: ProjectId,
    archive: &Archive,
    by: Importer<'_>,
) -> Result<(), NamespaceError>
where
    R: IssueTx + NoteRepository + ?Sized,
{
    if !repos.lock_issues(project)? {
        return Err(NamespaceError::Unknown("Project"));
    }
    let mut known = ImportContext {
        project,
        by,
        labels: BTreeMap::new(),
        milestones: BTreeMap::new(),
    };
    for label in &archive.labels {
        let made: StoredRecord<LabelContent> = import_record(
            repos,
            project,
            &label.content,
            label.times,
            label.origin,
            by.now,
        )?;
        known.labels.insert(label.content.title.clone(), made.id);
    }
    for one in &archive.milestones {
        let made: StoredRecord<MilestoneContent> =
            import_record(repos, project, &one.content, one.times, one.origin, by.now)?;
        known.milestones.insert(one.content.title.clone(), made.id);
    }
    let mut last = 0;
    for issue in &archive.issues {
        let number = issue.iid.get();
        if number > last + 1 {
            let before = IssueIid::new(number - 1);
            repos.skip_issue_numbers(project, before)?;
        }
        let made = known.import_issue(repos, issue)?;
        last = made.iid.get();
        if last != number {
            let text = "does not have its number from the archive";
            return Err(StoreError::inconsistent("issues", made.id.get(), text).into());
        }
    }
    Ok(())
}

/// Labels and milestones created so far, by title.
struct ImportContext<'a> {
    project: ProjectId,
    by: Importer<'a>,
    labels: BTreeMap<String, LabelId>,
    milestones: BTreeMap<String, MilestoneId>,
}

impl ImportContext<'_> {
    /// Creates an issue with its notes.
    fn import_issue<R>(
        &self,
        repos: &mut R,
        archived: &ArchivedIssue,
    ) -> Result<Issue, NamespaceError>
    where
        R: IssueTx + NoteRepository + ?Sized,
    {
        let body = self.body(archived);
        let mut failures = validation::check(&body.content);
        if body.labels.len() > MAX_LABELS {
            let text = format!("total must be less than or equal to {MAX_LABELS}");
            failures.add("labels", text);
        }
        refuse(failures, archived.origin)?;
        let (created_at, updated_at) = both(archived.times, self.by.now);
        let mut issue = repos.insert_issue(&NewIssue {
            project_id: self.project,
            author_id: self.by.user,
            body,
            created_at,
        })?;
        if updated_at != created_at {
            let locked = repos.lock_issue(self.project, issue.iid)?;
            let locked = locked.ok_or_else(|| missing_row("issues", issue.id.get()))?;
            let body = issue.body.clone();
            issue = repos.update_issue(locked, body, updated_at)?;
        }
        self.import_notes(repos, &issue, archived)?;
        Ok(issue)
    }

    fn body(&self, archived: &ArchivedIssue) -> IssueBody {
        let (created_at, updated_at) = both(archived.times, self.by.now);
        let mut content = archived.content.clone();
        let description = content.description.take().unwrap_or_default();
        let description = imported_text(description, archived.author.as_ref(), created_at, self.by);
        content.description = Some(description).filter(|text| !text.is_empty());
        let titles = archived.labels.iter();
        let milestone = archived.milestone.as_ref();
        IssueBody {
            content,
            closing: (archived.state == IssueState::Closed).then(|| Closing {
                at: archived.closed_at.unwrap_or(updated_at),
                by: self.by.user,
            }),
            milestone_id: milestone.and_then(|title| self.milestones.get(title).copied()),
            labels: titles
                .filter_map(|title| self.labels.get(title).copied())
                .collect(),
            assignees: BTreeSet::new(),
        }
    }

    fn import_notes<R>(
        &self,
        repos: &mut R,
        issue: &Issue,
        archived: &ArchivedIssue,
    ) -> Result<(), NamespaceError>
    where
        R: NoteRepository + ?Sized,
    {
        let on = Noteable {
            project_id: issue.project_id,
            kind: NoteableKind::Issue,
            id: issue.id.get(),
            iid: issue.iid.get(),
        };
        let mut new = Vec::new();
        for note in &archived.notes {
            let note = self.note(on, note);
            refuse(validation::check(&note), archived.origin)?;
            new.push(note);
        }
        if new.is_empty() {
            return Ok(());
        }
        let made = repos.insert_notes(&new)?;
        for (made, archived) in made.into_iter().zip(&archived.notes) {
            let (created_at, updated_at) = both(archived.times, self.by.now);
            if updated_at != created_at {
                repos.update_note(on, made.id, &made.body, updated_at)?;
            }
        }
        Ok(())
    }

    fn note(&self, on: Noteable, archived: &ArchivedNote) -> NewNote {
        let (created_at, _) = both(archived.times, self.by.now);
        let author = archived.author.as_ref();
        NewNote {
            on,
            author_id: self.by.user,
            // A blank text stays blank and is rejected, no matter who wrote it.
            body: if archived.body.trim().is_empty() {
                archived.body.clone()
            } else {
                imported_text(archived.body.clone(), author, created_at, self.by)
            },
            system: false,
            internal: archived.internal,
            created_at,
        }
    }
}

/// Creates a label or a milestone, and sets the time of its last change.
fn import_record<C, R>(
    repos: &mut R,
    project: ProjectId,
    content: &C,
    times: Times,
    origin: Origin,
    now: Timestamp,
) -> Result<StoredRecord<C>, NamespaceError>
where
    C: RecordContent<Owner = ProjectId, Fixed = ()>,
    R: RecordRepository<C> + ?Sized,
{
    let (created_at, updated_at) = both(times, now);
    let made = StoredRecord::create(repos, NewRecord::new(project, content.clone(), created_at));
    let made = made.map_err(|error| refusal(error, origin))?;
    if updated_at != created_at {
        let locked = repos.lock_record(project, made.id)?;
        let locked = locked.ok_or_else(|| missing_row(C::NAME, 0))?;
        repos.update_record(locked, made.content.clone(), updated_at)?;
    }
    Ok(made)
}

/// Times of creation and of the last change.
/// If the archive lacks one, it is the other of the two, or now.
fn both(times: Times, now: Timestamp) -> (Timestamp, Timestamp) {
    let created_at = times.created_at.or(times.updated_at).unwrap_or(now);
    (created_at, times.updated_at.unwrap_or(created_at))
}

fn refuse(failures: ValidationFailures, origin: Origin) -> Result<(), NamespaceError> {
    if failures.is_empty() {
        return Ok(());
    }
    Err(NamespaceError::Invalid(failures.located(&origin)))
}

fn refusal(error: RecordError, origin: Origin) -> NamespaceError {
    match error {
        RecordError::Invalid(failures) => NamespaceError::Invalid(failures.located(&origin)),
        RecordError::Store(store) => store.into(),
        // The project is new and each title is in the archive once, but a store may compare titles differently.
        RecordError::Conflict(_) | RecordError::Changed | RecordError::Unknown(_) => {
            NamespaceError::of("title", format!("has already been taken ({origin})"))
        }
        _ => NamespaceError::Impossible("the archive cannot be imported"),
    }
}

fn missing_row(table: &'static str, id: i64) -> StoreError {
    StoreError::inconsistent(table, id, "deleted during the import")
}
