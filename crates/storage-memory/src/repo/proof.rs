//! The tables themselves after sequences of changes: no row names another one that is not there. The queries pass over such
//! a row, so that the suite alone does not find it.

use projects::{Doomed, Issue, MemberPlace};
use storage_conformance::probe_rows::EventProbeRows;
use storage_conformance::{Harness, run};

use crate::store::MemoryStore;

struct Looking(MemoryStore);

impl Harness for Looking {
    type Store = MemoryStore;
    type ProbeRows = EventProbeRows;

    fn fresh() -> Option<Self> {
        Some(Self(MemoryStore::new()))
    }

    fn store(&self) -> &MemoryStore {
        &self.0
    }

    fn reopen(&mut self) {
        unreachable!("the store is not declared to be durable");
    }

    fn open_again(&self) -> MemoryStore {
        unreachable!("the store is not declared to serve several processes");
    }

    fn dangling_rows(&self) -> Vec<String> {
        let state = self.0.state();
        let places = &state.projects;
        let has_project = |id| places.project_or_doomed(id).is_some();
        let has_group = |id| places.has_namespace(id) || places.doomed_namespaces.contains_key(&id);
        let mut found = Vec::new();
        let mut note = |is_sound: bool, words: String| {
            if !is_sound {
                found.push(words);
            }
        };
        for (place, _) in state.members.members.keys() {
            let is_there = match place {
                MemberPlace::Namespace(id) => has_group(*id),
                MemberPlace::Project(id) => has_project(*id),
            };
            note(is_there, format!("a role in {place:?}"));
        }
        for share in state.members.shares.rows() {
            let is_sound = has_project(share.project_id) && has_group(share.group_id);
            note(is_sound, format!("{share:?}"));
        }
        for deletion in places.deletions.rows() {
            let is_doomed = match deletion.doomed {
                Doomed::Project(id) => has_project(id) && places.project(id).is_none(),
                Doomed::Group(id) => places.doomed_namespaces.contains_key(&id),
            };
            note(is_doomed, format!("{deletion:?}"));
        }
        let doomed = places.doomed_projects.values().map(|(_, project)| project);
        for project in places.projects.rows().chain(doomed) {
            note(has_group(project.namespace.id), format!("{project:?}"));
        }
        let doomed = places.doomed_namespaces.values().map(|(_, row)| row);
        for row in places.namespaces.rows().chain(doomed) {
            note(
                row.group.parent_id.is_none_or(has_group),
                format!("{row:?}"),
            );
        }
        for label in state.labels.rows() {
            note(has_project(label.owner), format!("{label:?}"));
        }
        for milestone in state.milestones.rows() {
            note(has_project(milestone.owner), format!("{milestone:?}"));
        }
        for issue in state.issues.issues.rows() {
            let labels = issue.body.labels.iter();
            let mut labels = labels.map(|id| state.labels.get(*id).is_some());
            let milestone = issue.body.milestone_id;
            let is_sound = has_project(issue.project_id)
                && labels.all(|is_there| is_there)
                && milestone.is_none_or(|id| state.milestones.get(id).is_some());
            note(is_sound, format!("{issue:?}"));
        }
        for written in state.notes.notes.rows() {
            let on = |issue: &Issue| issue.id.get() == written.on.id;
            note(state.issues.issues.has(on), format!("{written:?}"));
        }
        found
    }
}

#[test]
fn no_row_names_another_one_that_is_not_there() {
    let cases = storage_conformance::projects::cases::<Looking>();
    run(&cases, "p91_any_sequence_of_changes_leaves_what_it_must");
}
