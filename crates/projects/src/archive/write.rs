//! Writing an archive.

use std::io::{self, Write as _};

use api_conventions::time::Timestamp;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

use super::json::{JsonDate, JsonTime};
use super::lines::{
    AuthorLine, IssueLine, LabelLine, LinkLine, MilestoneLine, NoteLine, PriorityLine, ProjectLine,
    SeverityLine, TimesLine, TopicLine,
};
use super::{
    Archive, ArchiveError, ArchivedIssue, ArchivedLabel, ArchivedMilestone, ArchivedNote, Author,
    ISSUES, LABELS, LAYOUT, MAX_LINE_BYTES, MAX_RECORDS, MAX_UNPACKED_BYTES, MILESTONES, Origin,
    PROJECT, Times,
};
use crate::model::IssueKind;

/// Writes an archive, whose files have this time.
/// Enforces the limits of [`read`](super::read()), so that every written archive can be read.
///
/// # Errors
/// [`ArchiveError::TooManyRecords`], [`ArchiveError::LongLine`] and [`ArchiveError::TooLarge`].
pub fn write(archive: &Archive, at: Timestamp) -> Result<Vec<u8>, ArchiveError> {
    let notes = archive.issues.iter().map(|issue| issue.notes.len());
    let records = archive.labels.len() + archive.milestones.len() + archive.issues.len();
    if notes.fold(records, usize::saturating_add) > MAX_RECORDS {
        return Err(ArchiveError::TooManyRecords);
    }
    let mut files = ArchiveWriter {
        tar: tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default())),
        seconds: u64::try_from(at.as_unix_seconds()).unwrap_or_default(),
        left: MAX_UNPACKED_BYTES,
    };
    files.append("VERSION", format!("{LAYOUT}\n").as_bytes())?;
    let project = &archive.project;
    let project = ProjectLine {
        description: project.description.clone(),
        visibility_level: project.visibility.map(|one| one.number().into()),
        topics: project
            .topics
            .iter()
            .cloned()
            .map(TopicLine::Name)
            .collect(),
        attributes: project.settings.all_values(),
    };
    files.append_lines(PROJECT, &[project], |project| project)?;
    files.append_lines(LABELS, &archive.labels, label)?;
    files.append_lines(MILESTONES, &archive.milestones, milestone)?;
    files.append_lines(ISSUES, &archive.issues, issue)?;
    files.finish()
}

/// Writer of files, within the size limit for all of them.
struct ArchiveWriter {
    tar: tar::Builder<GzEncoder<Vec<u8>>>,
    seconds: u64,
    left: u64,
}

impl ArchiveWriter {
    /// Appends a file with one JSON object per line.
    fn append_lines<'a, T, L: Serialize + 'a>(
        &mut self,
        file: &'static str,
        things: &'a [T],
        line_of: impl Fn(&'a T) -> L,
    ) -> Result<(), ArchiveError> {
        let mut text = Vec::new();
        for (index, thing) in things.iter().enumerate() {
            let origin = Origin {
                file,
                line: index + 1,
            };
            let line = serde_json::to_vec(&line_of(thing))
                .map_err(|error| ArchiveError::Unreadable(origin, error.to_string()))?;
            if length(&line) > MAX_LINE_BYTES {
                return Err(ArchiveError::LongLine(origin));
            }
            text.extend_from_slice(&line);
            text.push(b'\n');
            if length(&text) > self.left {
                return Err(ArchiveError::TooLarge);
            }
        }
        self.append(file, &text)
    }

    /// Appends a file as it is.
    /// Its header and the padding of its last block count towards the limit.
    fn append(&mut self, file: &str, text: &[u8]) -> Result<(), ArchiveError> {
        const BLOCK: u64 = 512;
        let blocks = length(text).div_ceil(BLOCK) + 1;
        let left = self.left.checked_sub(blocks * BLOCK);
        self.left = left.ok_or(ArchiveError::TooLarge)?;
        let mut header = tar::Header::new_gnu();
        header.set_size(length(text));
        header.set_mode(0o644);
        header.set_mtime(self.seconds);
        let appended = self.tar.append_data(&mut header, file, text);
        appended.map_err(|_| IN_MEMORY)
    }

    fn finish(self) -> Result<Vec<u8>, ArchiveError> {
        // A tar file ends with two blocks.
        self.left.checked_sub(1024).ok_or(ArchiveError::TooLarge)?;
        let packed = self.tar.into_inner().and_then(finish);
        packed.map_err(|_| IN_MEMORY)
    }
}

/// Unreachable, because writing to memory does not fail; the libraries return errors nevertheless.
const IN_MEMORY: ArchiveError = ArchiveError::Damaged("it cannot be written");

fn finish(mut encoder: GzEncoder<Vec<u8>>) -> io::Result<Vec<u8>> {
    encoder.flush()?;
    encoder.finish()
}

fn length(text: &[u8]) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}

fn times(times: Times) -> TimesLine {
    TimesLine {
        created_at: times.created_at.map(JsonTime),
        updated_at: times.updated_at.map(JsonTime),
    }
}

/// Type of a project label in archives of other servers.
const OF_PROJECT: &str = "ProjectLabel";

fn label(label: &ArchivedLabel) -> LabelLine {
    let content = &label.content;
    let priority = |priority| PriorityLine {
        priority: Some(priority),
    };
    LabelLine {
        title: content.title.clone(),
        color: Some(content.color.clone()),
        description: content.description.clone(),
        kind: Some(OF_PROJECT.to_owned()),
        priorities: content.priority.into_iter().map(priority).collect(),
        times: times(label.times),
    }
}

fn milestone(milestone: &ArchivedMilestone) -> MilestoneLine {
    let content = &milestone.content;
    MilestoneLine {
        iid: milestone.iid,
        title: content.title.clone(),
        description: content.description.clone(),
        state: Some(content.state.as_str().to_owned()),
        start_date: content.start_date.map(JsonDate),
        due_date: content.due_date.map(JsonDate),
        times: times(milestone.times),
    }
}

/// An issue.
/// Labels and milestone are referenced by title, because their other attributes are in files of their own.
fn issue(issue: &ArchivedIssue) -> IssueLine {
    let content = &issue.content;
    let severity = content.severity.as_str().to_owned();
    let link = |title: &String| LinkLine {
        label: Some(LabelLine {
            title: title.clone(),
            kind: Some(OF_PROJECT.to_owned()),
            ..LabelLine::default()
        }),
    };
    IssueLine {
        iid: Some(issue.iid.get()),
        title: content.title.clone(),
        description: content.description.clone(),
        state: Some(issue.state.as_str().to_owned()),
        closed_at: issue.closed_at.map(JsonTime),
        confidential: content.confidential,
        discussion_locked: content.discussion_locked,
        due_date: content.due_date.map(JsonDate),
        issue_type: Some(content.kind.as_str().to_owned()),
        issuable_severity: (content.kind == IssueKind::Incident).then_some(SeverityLine {
            severity: Some(severity),
        }),
        author: issue.author.as_ref().map(author),
        milestone: issue.milestone.as_ref().map(|title| MilestoneLine {
            title: title.clone(),
            ..MilestoneLine::default()
        }),
        label_links: issue.labels.iter().map(link).collect(),
        notes: issue.notes.iter().map(note).collect(),
        times: times(issue.times),
        ..IssueLine::default()
    }
}

fn note(note: &ArchivedNote) -> NoteLine {
    NoteLine {
        note: note.body.clone(),
        internal: note.internal,
        author: note.author.as_ref().map(author),
        times: times(note.times),
        ..NoteLine::default()
    }
}

fn author(author: &Author) -> AuthorLine {
    AuthorLine {
        name: author.name.clone(),
        username: author.username.clone(),
    }
}
