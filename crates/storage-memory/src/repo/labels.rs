//! Labels of projects.

use std::ops::Deref;

use api_conventions::ids::{LabelId, ProjectId};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use api_conventions::time::Timestamp;
use projects::{InsertLabel, Label, LabelQueries, LabelRepository, LabelText, NewLabel};
use storage::StoreError;

use super::conflict;
use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};
use crate::table::any_holds;

impl<S: Deref<Target = State>> LabelQueries for MemoryTx<S> {
    fn find_label(&mut self, project: ProjectId, id: LabelId) -> Result<Option<Label>, StoreError> {
        let label = self.0.projects.labels.get(id);
        Ok(label.filter(|label| label.project_id == project).cloned())
    }

    fn find_label_by_title(
        &mut self,
        project: ProjectId,
        title: &str,
    ) -> Result<Option<Label>, StoreError> {
        let labels = &self.0.projects.labels;
        let found = labels.find(|one| one.project_id == project && one.text.title == title);
        Ok(found.cloned())
    }

    fn list_labels(
        &mut self,
        project: ProjectId,
        search: Option<&str>,
        asked: OffsetPage,
    ) -> Result<Page<Label>, StoreError> {
        let matches = |label: &Label| {
            let description = label.text.description.as_deref().unwrap_or_default();
            let texts = [&*label.text.title, description];
            label.project_id == project && search.is_none_or(|part| any_holds(&texts, part))
        };
        let title = |label: &Label| label.text.title.clone();
        let labels = &self.0.projects.labels;
        Ok(labels.page(matches, title, SortOrder::Ascending, asked))
    }
}

impl LabelRepository for MemoryWriteTx<'_> {
    fn insert_label(&mut self, new: &NewLabel) -> Result<InsertLabel, StoreError> {
        let taken = self.find_label_by_title(new.project_id, &new.text.title)?;
        if taken.is_some() {
            return Ok(InsertLabel::TitleTaken);
        }
        let label = self.0.projects.labels.insert_copy(|id| new.stored(id));
        Ok(InsertLabel::Inserted(label))
    }

    fn update_label(
        &mut self,
        project: ProjectId,
        id: LabelId,
        text: &LabelText,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let namesake = self.find_label_by_title(project, &text.title)?;
        if self.find_label(project, id)?.is_none() {
            return Ok(false);
        }
        if namesake.is_some_and(|other| other.id != id) {
            return Err(conflict("update label"));
        }
        Ok(self.0.projects.labels.update(id, |label| {
            label.text.clone_from(text);
            label.updated_at = now;
        }))
    }

    fn delete_label(&mut self, project: ProjectId, id: LabelId) -> Result<bool, StoreError> {
        let is_it = |label: &Label| label.id == id && label.project_id == project;
        let removed = self.0.projects.labels.remove_where(1, is_it);
        Ok(!removed.is_empty())
    }
}
