//! Settings and client keys.

use std::ops::{Bound, Deref};

use api_conventions::ids::{ClientKeyId, ErrorIid, IssueId, ProjectId};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use error_tracking::model::{ClientKey, ClientKeyChange, NewClientKey, PublicKey, Settings};
use error_tracking::store::{SettingsQueries, SettingsRepository};
use storage::{Locked, StoreError};

use crate::repo::conflict;
use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};

impl<S: Deref<Target = State>> SettingsQueries for MemoryTx<S> {
    fn find_error_settings(&mut self, project: ProjectId) -> Result<Option<Settings>, StoreError> {
        Ok(self.0.errors.settings.get(&project).cloned())
    }

    fn find_client_key(&mut self, key: &PublicKey) -> Result<Option<ClientKey>, StoreError> {
        let keys = &self.0.errors.client_keys;
        Ok(keys.find(|one| one.public_key == *key).cloned())
    }

    fn list_error_settings(
        &mut self,
        beyond: Option<ProjectId>,
        limit: usize,
    ) -> Result<Vec<Settings>, StoreError> {
        let from = beyond.map_or(Bound::Unbounded, Bound::Excluded);
        let listed = self.0.errors.settings.range((from, Bound::Unbounded));
        let listed = listed.map(|(_, settings)| settings.clone());
        Ok(listed.take(limit).collect())
    }

    fn list_client_keys(
        &mut self,
        project: ProjectId,
        page: OffsetPage,
    ) -> Result<Page<ClientKey>, StoreError> {
        let is_its = |key: &ClientKey| key.project_id == project;
        let keys = &self.0.errors.client_keys;
        Ok(keys.page(is_its, |_| (), SortOrder::Ascending, page))
    }

    fn list_external_links(
        &mut self,
        project: ProjectId,
        errors: &[ErrorIid],
    ) -> Result<Vec<(ErrorIid, IssueId)>, StoreError> {
        let links = self.0.errors.external_links.iter();
        let wanted = |error: &ErrorIid| errors.contains(error);
        Ok(links
            .filter(|((place, error), _)| *place == project && wanted(error))
            .map(|((_, error), issue)| (*error, *issue))
            .collect())
    }
}

impl SettingsRepository for MemoryWriteTx<'_> {
    /// There is one write transaction at a time, so nothing has to be locked.
    fn lock_error_settings(
        &mut self,
        project: ProjectId,
    ) -> Result<(Locked<Settings>, bool), StoreError> {
        let found = self.find_error_settings(project)?;
        let is_stored = found.is_some();
        let settings = found.unwrap_or_else(|| Settings::new(project));
        Ok((Locked::by_adapter(settings), is_stored))
    }

    fn put_error_settings(
        &mut self,
        locked: Locked<Settings>,
        settings: &Settings,
    ) -> Result<(), StoreError> {
        let project = locked.into_inner().project_id;
        self.0.errors.settings.insert(project, settings.clone());
        Ok(())
    }

    fn put_external_link(
        &mut self,
        locked: &Locked<Settings>,
        error: ErrorIid,
        issue: Option<IssueId>,
    ) -> Result<(), StoreError> {
        let link = (locked.project_id, error);
        let links = &mut self.0.errors.external_links;
        let is_taken = |issue| {
            links
                .iter()
                .any(|(at, linked)| *at != link && *linked == issue)
        };
        if issue.is_some_and(is_taken) {
            return Err(conflict("link an issue that is about another error"));
        }
        match issue {
            Some(issue) => links.insert(link, issue),
            None => links.remove(&link),
        };
        Ok(())
    }

    fn delete_external_links(&mut self, locked: &Locked<Settings>) -> Result<(), StoreError> {
        let links = &mut self.0.errors.external_links;
        links.retain(|(project, _), _| *project != locked.project_id);
        Ok(())
    }

    fn insert_client_key(&mut self, new: &NewClientKey) -> Result<ClientKey, StoreError> {
        if self.find_client_key(&new.public_key)?.is_some() {
            return Err(conflict("insert a client key whose digits exist"));
        }
        let keys = &mut self.0.errors.client_keys;
        Ok(keys.insert_copy(|id| ClientKey {
            id,
            project_id: new.project_id,
            public_key: new.public_key.clone(),
            active: true,
            events_per_minute: None,
            created_at: new.created_at,
        }))
    }

    fn update_client_key(
        &mut self,
        project: ProjectId,
        id: ClientKeyId,
        change: ClientKeyChange,
    ) -> Result<Option<ClientKey>, StoreError> {
        let found = self.0.errors.client_keys.get_mut(id);
        let found = found.filter(|key| key.project_id == project);
        Ok(found.map(|key| {
            match change {
                ClientKeyChange::Active(active) => key.active = active,
                ClientKeyChange::EventsPerMinute(limit) => key.events_per_minute = limit,
            }
            key.clone()
        }))
    }

    fn delete_client_key(
        &mut self,
        project: ProjectId,
        id: ClientKeyId,
    ) -> Result<Option<ClientKey>, StoreError> {
        let keys = &mut self.0.errors.client_keys;
        let is_its = keys.get(id).is_some_and(|key| key.project_id == project);
        Ok(if is_its { keys.take(id) } else { None })
    }
}
