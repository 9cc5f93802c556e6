//! Contents of a project, so that a deletion has rows to delete.

use std::collections::BTreeSet;

use projects::{LabelContent, MilestoneContent, NewNote, Noteable, NoteableKind};
use records::{NewRecord, SaveRecord};

use super::world::{World, choose};
use crate::broken_promise::Verdict;
use crate::projects::stored_issue::issue;
use crate::samples::unexpected_conflict;

impl World<'_> {
    pub(super) fn fill(&mut self, project: u8) -> Verdict {
        let Some(index) = choose(project, &self.model.live_projects()) else {
            return Ok(());
        };
        let project = &mut self.model.projects[index];
        project.issues += 1;
        let (id, title) = (project.id, format!("number {}", project.issues));
        let (author, now) = (self.people[0], self.now());
        self.write(move |tx| {
            let lost = || unexpected_conflict("insert a record", &title);
            let label = LabelContent {
                title: title.clone(),
                color: "#aabbcc".to_owned(),
                ..LabelContent::default()
            };
            let milestone = MilestoneContent {
                title: title.clone(),
                ..MilestoneContent::default()
            };
            let label = record(tx.insert_record(&NewRecord::new(id, label, now))?);
            let milestone = record(tx.insert_record(&NewRecord::new(id, milestone, now))?);
            let mut new = issue(id, &title);
            new.author_id = author;
            new.body.labels = BTreeSet::from([label.ok_or_else(lost)?.id]);
            new.body.milestone_id = Some(milestone.ok_or_else(lost)?.id);
            new.body.assignees = BTreeSet::from([author]);
            let issue = tx.insert_issue(&new)?;
            let on = Noteable {
                project_id: id,
                kind: NoteableKind::Issue,
                id: issue.id.get(),
                iid: issue.iid.get(),
            };
            let note = NewNote {
                on,
                author_id: author,
                body: title.clone(),
                system: false,
                internal: false,
                created_at: now,
            };
            tx.insert_notes(&[note]).map(drop)
        })
    }
}

fn record<C: records::RecordContent>(saved: SaveRecord<C>) -> Option<records::StoredRecord<C>> {
    match saved {
        SaveRecord::Saved(record) => Some(record),
        SaveRecord::Conflict => None,
    }
}
