//! Contents of a project, so that a deletion has rows to delete.

use std::collections::BTreeSet;

use projects::{LabelContent, MilestoneContent, NewNote, Noteable, NoteableKind};
use records::{NewRecord, Saved};

use super::world::{World, choice};
use crate::broken::Verdict;
use crate::projects::stored_issue::issue;
use crate::samples::refused;

impl World<'_> {
    pub(super) fn fill(&mut self, project: u8) -> Verdict {
        let Some(index) = choice(project, &self.model.live_projects()) else {
            return Ok(());
        };
        let thing = &mut self.model.things[index];
        thing.issues += 1;
        let (id, title) = (thing.id, format!("number {}", thing.issues));
        let (author, now) = (self.people[0], self.now());
        self.write(move |tx| {
            let lost = || refused("insert a record", &title);
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

fn record<C: records::Content>(saved: Saved<C>) -> Option<records::Record<C>> {
    match saved {
        Saved::Saved(record) => Some(record),
        Saved::Taken => None,
    }
}
