//! Milestones of projects.

use std::collections::HashMap;
use std::ops::Deref;

use api_conventions::ids::{MilestoneId, MilestoneIid, ProjectId};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use api_conventions::time::Timestamp;
use projects::{
    Milestone, MilestoneContent, MilestoneFilter, MilestoneQueries, MilestoneRepository,
    NewMilestone, SaveMilestone,
};
use storage::StoreError;

use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};
use crate::table::{Table, any_holds};

/// The milestones, and the last number of each project.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tables {
    milestones: Table<MilestoneId, Milestone>,
    last: HashMap<ProjectId, i64>,
}

impl Tables {
    /// Whether a milestone of the project other than `id` has the title.
    fn is_taken(&self, project: ProjectId, id: Option<MilestoneId>, title: &str) -> bool {
        self.milestones.has(|one| {
            one.project_id == project && Some(one.id) != id && one.content.title == title
        })
    }
}

fn matches(filter: &MilestoneFilter, one: &Milestone) -> bool {
    let MilestoneContent {
        title,
        description,
        state,
        ..
    } = &one.content;
    let texts = [&**title, description.as_deref().unwrap_or_default()];
    (filter.iids.is_empty() || filter.iids.contains(&one.iid))
        && filter.state.is_none_or(|wanted| *state == wanted)
        && filter.title.as_ref().is_none_or(|wanted| title == wanted)
        && filter
            .search
            .as_ref()
            .is_none_or(|part| any_holds(&texts, part))
}

impl<S: Deref<Target = State>> MilestoneQueries for MemoryTx<S> {
    fn find_milestone(
        &mut self,
        project: ProjectId,
        id: MilestoneId,
    ) -> Result<Option<Milestone>, StoreError> {
        let found = self.0.milestones.milestones.get(id);
        Ok(found.filter(|one| one.project_id == project).cloned())
    }

    fn list_milestones(
        &mut self,
        project: ProjectId,
        filter: &MilestoneFilter,
        asked: OffsetPage,
    ) -> Result<Page<Milestone>, StoreError> {
        let is_listed = |one: &Milestone| one.project_id == project && matches(filter, one);
        let milestones = &self.0.milestones.milestones;
        Ok(milestones.page(is_listed, |_| (), SortOrder::Descending, asked))
    }
}

impl MilestoneRepository for MemoryWriteTx<'_> {
    fn insert_milestone(&mut self, new: &NewMilestone) -> Result<SaveMilestone, StoreError> {
        let tables = &mut self.0.milestones;
        if tables.is_taken(new.project_id, None, &new.content.title) {
            return Ok(SaveMilestone::TitleTaken);
        }
        let last = tables.last.entry(new.project_id).or_default();
        *last += 1;
        Ok(SaveMilestone::Saved(tables.milestones.insert_copy(|id| {
            Milestone {
                id,
                iid: MilestoneIid::new(*last),
                project_id: new.project_id,
                content: new.content.clone(),
                created_at: new.created_at,
                updated_at: new.created_at,
            }
        })))
    }

    fn update_milestone(
        &mut self,
        project: ProjectId,
        id: MilestoneId,
        content: &MilestoneContent,
        now: Timestamp,
    ) -> Result<SaveMilestone, StoreError> {
        let tables = &mut self.0.milestones;
        if tables.is_taken(project, Some(id), &content.title) {
            return Ok(SaveMilestone::TitleTaken);
        }
        let found = tables
            .milestones
            .get_mut(id)
            .filter(|one| one.project_id == project);
        Ok(found.map_or(SaveMilestone::NotFound, |one| {
            one.content.clone_from(content);
            one.updated_at = now;
            SaveMilestone::Saved(one.clone())
        }))
    }

    fn delete_milestone(
        &mut self,
        project: ProjectId,
        id: MilestoneId,
    ) -> Result<bool, StoreError> {
        let is_it = |one: &Milestone| one.id == id && one.project_id == project;
        Ok(!self
            .0
            .milestones
            .milestones
            .remove_where(1, is_it)
            .is_empty())
    }
}
