//! Saboteurs of namespaces, projects and members.

use ::projects::{Project, ProjectFilter};
use api_conventions::page::{KeysetPage, KeysetSlice, OffsetPage, Page};
use api_conventions::time::CalendarDate;
use storage::StoreError;

use crate::fault_injection::{ReadHook, Saboteur};

pub(crate) struct RepeatsRows;

impl Saboteur for RepeatsRows {
    fn list_projects(
        &self,
        at: &mut ReadHook<'_>,
        filter: &ProjectFilter,
        today: CalendarDate,
        page: OffsetPage,
    ) -> Result<Page<Project>, StoreError> {
        let mut listed = at.tx.list_projects(filter, today, page)?;
        if page.page() > 1 {
            let before = OffsetPage::new(page.page() - 1, page.per_page().into());
            let before = at.tx.list_projects(filter, today, before)?;
            if let (Some(last), Some(first)) = (before.items.last(), listed.items.first_mut()) {
                *first = last.clone();
            }
        }
        Ok(listed)
    }
}

pub(crate) struct RestartsKeyset;

impl Saboteur for RestartsKeyset {
    fn list_projects_by_key(
        &self,
        at: &mut ReadHook<'_>,
        filter: &ProjectFilter,
        today: CalendarDate,
        page: KeysetPage,
    ) -> Result<KeysetSlice<Project>, StoreError> {
        let mut filter = filter.clone();
        (filter.id_after, filter.id_before) = (None, None);
        at.tx.list_projects_by_key(&filter, today, page)
    }
}
