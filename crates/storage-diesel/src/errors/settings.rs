//! Settings and client keys.

use api_conventions::ids::{ClientKeyId, ErrorIid, IssueId, ProjectId};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use diesel::prelude::*;
use error_tracking::model::{ClientKey, ClientKeyChange, NewClientKey, PublicKey, Settings};
use error_tracking::store::{SettingsQueries, SettingsRepository};
use storage::{Locked, StoreError};
use storage_diesel_macros::for_each_database;

use super::rows::keys::{ClientKeyRow, NewClientKeyRow, error_client_keys};
use super::rows::settings::SettingsRow;
use super::tables::{error_links, error_settings};
use crate::transaction::{order_by, row_limit};

#[for_each_database(dialect = crate::errors)]
mod database {
    impl ::error_tracking::store::SettingsQueriesWrapper for WriteTx<'_> {}

    impl SettingsQueries for ReadTx<'_> {
        fn find_error_settings(
            &mut self,
            project: ProjectId,
        ) -> Result<Option<Settings>, StoreError> {
            let settings = error_settings::table.find(project.get());
            self.find::<SettingsRow>("find error settings", settings)
        }

        fn find_client_key(&mut self, key: &PublicKey) -> Result<Option<ClientKey>, StoreError> {
            let with_digits = error_client_keys::public_key.eq(key.as_str());
            self.find::<ClientKeyRow>(
                "find client key",
                error_client_keys::table.filter(with_digits),
            )
        }

        fn list_error_settings(
            &mut self,
            beyond: Option<ProjectId>,
            limit: usize,
        ) -> Result<Vec<Settings>, StoreError> {
            let from = beyond.map_or(i64::MIN, ProjectId::get);
            let rows = error_settings::table
                .filter(error_settings::project_id.gt(from))
                .order(error_settings::project_id)
                .limit(row_limit(limit));
            self.list::<SettingsRow>("list error settings", rows)
        }

        fn list_client_keys(
            &mut self,
            project: ProjectId,
            page: OffsetPage,
        ) -> Result<Page<ClientKey>, StoreError> {
            let of_project = error_client_keys::project_id.eq(project.get());
            let ids = || {
                let ids = error_client_keys::table.select(error_client_keys::id);
                ids.filter(of_project).into_boxed()
            };
            self.page::<ClientKeyRow, _, _, _>(
                "list client keys",
                page,
                SortOrder::Ascending,
                ids,
                |ids, sort| order_by!(ids, sort, error_client_keys::id),
                |ids| error_client_keys::table.filter(error_client_keys::id.eq_any(ids)),
            )
        }

        fn list_external_links(
            &mut self,
            project: ProjectId,
            errors: &[ErrorIid],
        ) -> Result<Vec<(ErrorIid, IssueId)>, StoreError> {
            let numbers: Vec<i64> = errors.iter().map(|error| error.get()).collect();
            let links = error_links::table
                .filter(error_links::project_id.eq(project.get()))
                .filter(error_links::external_id.eq_any(numbers))
                .order(error_links::external_id)
                .select((error_links::external_id, error_links::issue_id));
            let rows: Vec<(i64, i64)> = self.values("list external links", links)?;
            let links = rows.into_iter();
            Ok(links
                .map(|(error, issue)| (ErrorIid::new(error), IssueId::new(issue)))
                .collect())
        }
    }

    impl SettingsRepository for WriteTx<'_> {
        fn lock_error_settings(
            &mut self,
            project: ProjectId,
        ) -> Result<(Locked<Settings>, bool), StoreError> {
            dialect::lock_errors(self, &[project.get()])?;
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
            let mut row = SettingsRow::of(settings);
            row.project_id = locked.project_id.get();
            let insert = diesel::insert_into(error_settings::table)
                .values(&row)
                .on_conflict(error_settings::project_id)
                .do_update()
                .set(&row);
            self.execute("put error settings", insert).map(drop)
        }

        fn put_external_link(
            &mut self,
            locked: &Locked<Settings>,
            error: ErrorIid,
            issue: Option<IssueId>,
        ) -> Result<(), StoreError> {
            let link = error_links::table.find((locked.project_id.get(), error.get()));
            self.execute("delete external link", diesel::delete(link))?;
            let Some(issue) = issue else {
                return Ok(());
            };
            let insert = diesel::insert_into(error_links::table).values((
                error_links::project_id.eq(locked.project_id.get()),
                error_links::external_id.eq(error.get()),
                error_links::issue_id.eq(issue.get()),
            ));
            self.execute("put external link", insert).map(drop)
        }

        fn delete_external_links(&mut self, locked: &Locked<Settings>) -> Result<(), StoreError> {
            let of_project = error_links::project_id.eq(locked.project_id.get());
            let links = diesel::delete(error_links::table.filter(of_project));
            self.execute("delete external links", links).map(drop)
        }

        fn insert_client_key(&mut self, new: &NewClientKey) -> Result<ClientKey, StoreError> {
            let insert = diesel::insert_into(error_client_keys::table)
                .values(NewClientKeyRow::from(new))
                .returning(error_client_keys::id);
            let id: i64 = self.value("insert client key", insert)?;
            Ok(ClientKey {
                id: ClientKeyId::new(id),
                project_id: new.project_id,
                public_key: new.public_key.clone(),
                active: true,
                events_per_minute: None,
                created_at: new.created_at,
            })
        }

        fn update_client_key(
            &mut self,
            project: ProjectId,
            id: ClientKeyId,
            change: ClientKeyChange,
        ) -> Result<Option<ClientKey>, StoreError> {
            const UPDATE: &str = "update client key";
            let of_project = error_client_keys::project_id.eq(project.get());
            let key = error_client_keys::table.find(id.get()).filter(of_project);
            let update = diesel::update(key);
            match change {
                ClientKeyChange::Active(active) => {
                    self.changes(UPDATE, update.set(error_client_keys::active.eq(active)))?
                }
                ClientKeyChange::EventsPerMinute(limit) => {
                    let limit = error_client_keys::events_per_minute.eq(limit.map(i64::from));
                    self.changes(UPDATE, update.set(limit))?
                }
            };
            self.find::<ClientKeyRow>(UPDATE, key)
        }

        fn delete_client_key(
            &mut self,
            project: ProjectId,
            id: ClientKeyId,
        ) -> Result<Option<ClientKey>, StoreError> {
            const DELETE: &str = "delete client key";
            let of_project = error_client_keys::project_id.eq(project.get());
            let key = error_client_keys::table.find(id.get()).filter(of_project);
            let found = self.find::<ClientKeyRow>(DELETE, key)?;
            let is_deleted = self.changes(DELETE, diesel::delete(key))?;
            Ok(found.filter(|_| is_deleted))
        }
    }
}
