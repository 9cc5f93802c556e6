//! Contents of an archive, collected until all of it has been read.

use std::collections::{BTreeMap, BTreeSet};

use api_conventions::access::Visibility;
use api_conventions::ids::IssueIid;
use records::FieldValue as _;

use super::json::parse;
use super::lines::{
    AuthorLine, IssueLine, LabelLine, MemberLine, MilestoneLine, NoteLine, ProjectLine, TimesLine,
    TopicLine,
};
use super::settings::settings;
use super::{
    Archive, ArchiveError, ArchivedIssue, ArchivedLabel, ArchivedMilestone, ArchivedNote,
    ArchivedProject, Author, ISSUES, LABELS, MAX_ISSUE_NUMBER, MAX_RECORDS, MEMBERS, MILESTONES,
    Origin, PROJECT, Times,
};
use crate::flow::issues::DEFAULT_COLOR;
use crate::model::{
    IssueContent, IssueKind, IssueSeverity, IssueState, LabelContent, MilestoneContent,
    MilestoneState, ProjectSettings,
};

/// Content that was read.
/// Files can come in any order, so issues wait until the names of users are known.
#[derive(Debug, Default)]
pub(super) struct ArchiveBuilder {
    project: Option<ArchivedProject>,
    /// Settings from files of their own.
    settings: ProjectSettings,
    labels: BTreeMap<String, ArchivedLabel>,
    milestones: BTreeMap<String, ArchivedMilestone>,
    issues: BTreeMap<i64, (Origin, IssueLine)>,
    people: BTreeMap<i64, AuthorLine>,
    records: usize,
}

impl ArchiveBuilder {
    pub(super) fn add_project(&mut self, origin: Origin, text: &[u8]) -> Result<(), ArchiveError> {
        let line: ProjectLine = parse(origin, text)?;
        self.project = Some(ArchivedProject {
            description: line.description,
            visibility: line.visibility_level.and_then(Visibility::from_number),
            topics: line.topics.into_iter().map(TopicLine::into_name).collect(),
            settings: settings(PROJECT, line.attributes),
        });
        Ok(())
    }

    /// Adds a line of a file that has one JSON object per line.
    pub(super) fn add_line(&mut self, origin: Origin, text: &[u8]) -> Result<(), ArchiveError> {
        match origin.file {
            LABELS => self.add_label(origin, parse(origin, text)?),
            MILESTONES => self.add_milestone(origin, parse(origin, text)?),
            ISSUES => self.add_issue(origin, parse(origin, text)?),
            MEMBERS => {
                self.add_member(parse(origin, text)?);
                Ok(())
            }
            file => {
                let more = settings(file, parse(origin, text)?);
                self.settings = more.replacing(std::mem::take(&mut self.settings));
                Ok(())
            }
        }
    }

    fn count(&mut self, more: usize) -> Result<(), ArchiveError> {
        self.records = self.records.saturating_add(more);
        if self.records > MAX_RECORDS {
            return Err(ArchiveError::TooManyRecords);
        }
        Ok(())
    }

    fn add_label(&mut self, origin: Origin, line: LabelLine) -> Result<(), ArchiveError> {
        self.count(1)?;
        let label = label(origin, line);
        let before = self.labels.insert(label.content.title.clone(), label);
        before.map_or(Ok(()), |_| Err(ArchiveError::SameTitle(origin)))
    }

    fn add_milestone(&mut self, origin: Origin, line: MilestoneLine) -> Result<(), ArchiveError> {
        self.count(1)?;
        let milestone = milestone(origin, line);
        let title = milestone.content.title.clone();
        let before = self.milestones.insert(title, milestone);
        before.map_or(Ok(()), |_| Err(ArchiveError::SameTitle(origin)))
    }

    fn add_issue(&mut self, origin: Origin, line: IssueLine) -> Result<(), ArchiveError> {
        let by_people = line.notes.iter().filter(|note| !note.system).count();
        self.count(by_people.saturating_add(1))?;
        let number = line.iid.filter(|iid| (1..=MAX_ISSUE_NUMBER).contains(iid));
        let number = number.ok_or(ArchiveError::NoNumber(origin))?;
        let before = self.issues.insert(number, (origin, line));
        before.map_or(Ok(()), |_| Err(ArchiveError::SameNumber(origin, number)))
    }

    fn add_member(&mut self, line: MemberLine) {
        let named = line.user.and_then(|user| Some((user.id?, user.author)));
        self.people.extend(named);
    }

    /// Builds the archive, once all of it has been read.
    pub(super) fn into_archive(mut self) -> Result<Archive, ArchiveError> {
        let mut project = self.project.take().ok_or(ArchiveError::NoProject)?;
        // A file of its own states who can use a feature, whereas the project may only state that the feature is on.
        let files = std::mem::take(&mut self.settings);
        project.settings = files.replacing(project.settings).normalized();
        let mut issues = Vec::new();
        for (number, (origin, mut line)) in std::mem::take(&mut self.issues) {
            let labels = self.take_links(origin, &mut line)?;
            let milestone = self.take_milestone(origin, &mut line)?;
            issues.push(ArchivedIssue {
                milestone,
                labels,
                ..self.issue(IssueIid::new(number), origin, line)
            });
        }
        let mut milestones: Vec<_> = self.milestones.into_values().collect();
        milestones.sort_by_key(|one| (one.iid.unwrap_or(i64::MAX), one.origin));
        let mut labels: Vec<_> = self.labels.into_values().collect();
        labels.sort_by_key(|label| label.origin);
        Ok(Archive {
            project,
            labels,
            milestones,
            issues,
        })
    }

    /// Titles of the labels of an issue.
    /// A group label appears only in issues, so it becomes a label of the project.
    fn take_links(
        &mut self,
        origin: Origin,
        line: &mut IssueLine,
    ) -> Result<BTreeSet<String>, ArchiveError> {
        let mut titles = BTreeSet::new();
        let links = std::mem::take(&mut line.label_links).into_iter();
        for linked in links.filter_map(|link| link.label) {
            titles.insert(linked.title.clone());
            if !self.labels.contains_key(&linked.title) {
                self.add_label(origin, linked)?;
            }
        }
        Ok(titles)
    }

    /// Title of the milestone of an issue.
    /// A group milestone becomes one of the project, as labels do in [`Self::take_links`].
    fn take_milestone(
        &mut self,
        origin: Origin,
        line: &mut IssueLine,
    ) -> Result<Option<String>, ArchiveError> {
        let Some(linked) = line.milestone.take() else {
            return Ok(None);
        };
        let title = linked.title.clone();
        if !self.milestones.contains_key(&title) {
            // The number counts the milestones of the group, so it has no meaning here.
            let iid = None;
            self.add_milestone(origin, MilestoneLine { iid, ..linked })?;
        }
        Ok(Some(title))
    }

    /// An issue without its labels and its milestone.
    fn issue(&self, iid: IssueIid, origin: Origin, line: IssueLine) -> ArchivedIssue {
        let is_closed = line.state.as_deref() == Some("closed") || line.state_id == Some(2);
        let mut notes: Vec<_> = line.notes.into_iter().filter(|note| !note.system).collect();
        notes.sort_by_key(|note| note.times.created_at.map(|time| time.0));
        let notes = notes.into_iter().map(|note| self.note(note));
        let base = line.work_item_type.and_then(|kind| kind.base_type);
        let kind = line.issue_type.or(base).as_deref().and_then(kind);
        let severity = line.issuable_severity.and_then(|one| one.severity);
        let severity = severity.and_then(|word| IssueSeverity::parse(&word.to_lowercase()));
        let kind = kind.unwrap_or_default();
        ArchivedIssue {
            iid,
            content: IssueContent {
                title: line.title,
                description: line.description.filter(|text| !text.is_empty()),
                kind,
                severity: severity
                    .filter(|_| kind == IssueKind::Incident)
                    .unwrap_or_default(),
                confidential: line.confidential,
                discussion_locked: line.discussion_locked,
                due_date: line.due_date.map(|day| day.0),
            },
            state: if is_closed {
                IssueState::Closed
            } else {
                IssueState::Opened
            },
            closed_at: line.closed_at.map(|time| time.0).filter(|_| is_closed),
            milestone: None,
            labels: BTreeSet::new(),
            notes: notes.collect(),
            author: self.author(line.author, line.author_id),
            times: times(&line.times),
            origin,
        }
    }

    fn note(&self, line: NoteLine) -> ArchivedNote {
        ArchivedNote {
            body: line.note,
            internal: line.internal || line.confidential,
            author: self.author(line.author, line.author_id),
            times: times(&line.times),
        }
    }

    /// Author as named next to the text, completed from the list of members.
    fn author(&self, named: Option<AuthorLine>, id: Option<i64>) -> Option<Author> {
        let known = id.and_then(|id| self.people.get(&id)).cloned();
        let (named, known) = (named.unwrap_or_default(), known.unwrap_or_default());
        let is_name = |name: &String| !name.trim().is_empty();
        let author = Author {
            name: named.name.filter(is_name).or(known.name.filter(is_name)),
            username: named
                .username
                .filter(is_name)
                .or(known.username.filter(is_name)),
        };
        (author != Author::default()).then_some(author)
    }
}

fn kind(word: &str) -> Option<IssueKind> {
    IssueKind::parse(&word.to_lowercase())
}

fn times(line: &TimesLine) -> Times {
    Times {
        created_at: line.created_at.map(|time| time.0),
        updated_at: line.updated_at.map(|time| time.0),
    }
}

fn label(origin: Origin, line: LabelLine) -> ArchivedLabel {
    ArchivedLabel {
        content: LabelContent {
            title: line.title,
            description: line.description.filter(|text| !text.is_empty()),
            color: line.color.unwrap_or_else(|| DEFAULT_COLOR.to_owned()),
            priority: line.priorities.into_iter().find_map(|one| one.priority),
        },
        times: times(&line.times),
        origin,
    }
}

fn milestone(origin: Origin, line: MilestoneLine) -> ArchivedMilestone {
    ArchivedMilestone {
        iid: line.iid,
        content: MilestoneContent {
            title: line.title,
            description: line.description.filter(|text| !text.is_empty()),
            state: line
                .state
                .as_deref()
                .and_then(MilestoneState::parse)
                .unwrap_or_default(),
            start_date: line.start_date.map(|day| day.0),
            due_date: line.due_date.map(|day| day.0),
        },
        times: times(&line.times),
        origin,
    }
}
