//! Deletions of projects and groups.
//! A project or group that is pending deletion keeps its row, with the id of the deletion, and has no path.

use ::projects::{
    CancelDeletion, DeletionQueries, DeletionRepository, DeletionTarget, Group, Locked,
    NamespaceKind, NewDeletion, Project, ScheduledDeletion,
};
use api_conventions::ids::{DeletionId, NamespaceId, ProjectId, UserId};
use api_conventions::time::Timestamp;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::deletion_statements::{
    deleted_parents, groups_of, name_conflicts, paths_of, references_to, rows_of,
};
use super::groups::GroupRow;
use super::limits::NumberRow;
use super::rows::{PlacedProjectRow, namespace_kind};
use super::tables::{deletions, namespaces, projects};
use crate::rows::{DomainRow, RowReader};
use crate::transaction::row_limit;

#[derive(Queryable, Selectable)]
#[diesel(table_name = deletions)]
struct DeletionRow {
    id: i64,
    namespace_id: Option<i64>,
    project_id: Option<i64>,
    requested_by: i64,
    requested_at: i64,
    due_at: i64,
    started: bool,
}

impl DomainRow for DeletionRow {
    type Value = ScheduledDeletion;

    fn read(self) -> Result<ScheduledDeletion, StoreError> {
        let row = RowReader::new("deletions", self.id);
        let target = match (self.namespace_id, self.project_id) {
            (Some(group), None) => Some(DeletionTarget::Group(NamespaceId::new(group))),
            (None, Some(project)) => Some(DeletionTarget::Project(ProjectId::new(project))),
            _ => None,
        };
        Ok(ScheduledDeletion {
            id: DeletionId::new(self.id),
            target: row.require(target, "neither a group nor a project")?,
            requested_by: UserId::new(self.requested_by),
            requested_at: row.timestamp(self.requested_at)?,
            due_at: row.timestamp(self.due_at)?,
            started: self.started,
        })
    }
}

/// Returns the columns of a pending deletion.
fn columns(target: DeletionTarget) -> (Option<i64>, Option<i64>) {
    match target {
        DeletionTarget::Group(id) => (Some(id.get()), None),
        DeletionTarget::Project(id) => (None, Some(id.get())),
    }
}

#[for_each_database(dialect = crate::projects)]
mod database {
    impl ::projects::DeletionQueriesWrapper for WriteTx<'_> {}

    impl DeletionQueries for ReadTx<'_> {
        fn find_deletion(
            &mut self,
            target: DeletionTarget,
        ) -> Result<Option<ScheduledDeletion>, StoreError> {
            const FIND: &str = "find deletion";
            match columns(target) {
                (Some(group), _) => {
                    let of_group = deletions::table.filter(deletions::namespace_id.eq(group));
                    self.find::<DeletionRow>(FIND, of_group)
                }
                (None, project) => {
                    let of_project = deletions::table.filter(deletions::project_id.eq(project));
                    self.find::<DeletionRow>(FIND, of_project)
                }
            }
        }

        fn find_project_pending_deletion(
            &mut self,
            id: ProjectId,
        ) -> Result<Option<Project>, StoreError> {
            let project = projects::table.inner_join(namespaces::table);
            let project = project
                .filter(projects::id.eq(id.get()))
                .filter(projects::deletion_id.is_not_null());
            self.find::<PlacedProjectRow>("find project pending deletion", project)
        }

        fn find_group_pending_deletion(
            &mut self,
            id: NamespaceId,
        ) -> Result<Option<Group>, StoreError> {
            let group = namespaces::table.find(id.get());
            let group = group.filter(namespaces::deletion_id.is_not_null());
            self.find::<GroupRow>("find group pending deletion", group)
        }

        fn list_due_deletions(
            &mut self,
            now: Timestamp,
            limit: usize,
        ) -> Result<Vec<ScheduledDeletion>, StoreError> {
            let due = deletions::table
                .filter(deletions::due_at.le(now.as_micros()))
                .order((deletions::due_at, deletions::id))
                .limit(row_limit(limit));
            self.list::<DeletionRow>("list due deletions", due)
        }

        fn has_namespace_of_user(&mut self, user: UserId) -> Result<bool, StoreError> {
            let personal = namespaces::table
                .filter(namespaces::owner_id.eq(user.get()))
                .filter(namespaces::kind.eq(namespace_kind(NamespaceKind::User)));
            let found = diesel::select(diesel::dsl::exists(personal));
            self.value("find namespace of user", found)
        }

        fn find_project_to_delete(
            &mut self,
            deletion: DeletionId,
        ) -> Result<Option<ProjectId>, StoreError> {
            let inside = groups_of(deletion);
            let its = format!(
                "projects.deletion_id IS NOT NULL AND (projects.namespace_id IN ({inside}) OR projects.id = \
                     (SELECT project_id FROM deletions WHERE id = {deletion}))"
            );
            let its = projects::table
                .filter(sql::<Bool>(&its))
                .select(projects::id);
            let found: Option<i64> =
                self.value_if("find project to delete", its.order(projects::id).limit(1))?;
            Ok(found.map(ProjectId::new))
        }
    }

    impl WriteTx<'_> {
        fn insert_deletion(
            &mut self,
            target: DeletionTarget,
            new: &NewDeletion,
        ) -> Result<ScheduledDeletion, StoreError> {
            let (group, project) = columns(target);
            let row = (
                deletions::namespace_id.eq(group),
                deletions::project_id.eq(project),
                deletions::requested_by.eq(new.requested_by.get()),
                deletions::requested_at.eq(new.requested_at.as_micros()),
                deletions::due_at.eq(new.due_at.as_micros()),
                deletions::started.eq(false),
            );
            let insert = diesel::insert_into(deletions::table).values(row);
            let row = insert.returning(DeletionRow::as_returning());
            let row: DeletionRow = self.value("insert deletion", row)?;
            row.read()
        }

        fn statement(&mut self, operation: &'static str, text: &str) -> Result<usize, StoreError> {
            self.execute(operation, diesel::sql_query(text))
        }

        fn number_of(&mut self, text: &str) -> Result<i64, StoreError> {
            let row: NumberRow = self.value("cancel deletion", diesel::sql_query(text))?;
            Ok(row.number)
        }

        /// Marks a namespace with everything in it as pending deletion.
        fn schedule_namespace(
            &mut self,
            operation: &'static str,
            namespace: NamespaceId,
            new: &NewDeletion,
        ) -> Result<ScheduledDeletion, StoreError> {
            let deletion = self.insert_deletion(DeletionTarget::Group(namespace), new)?;
            let (id, below) = (deletion.id, groups_of(deletion.id));
            let mark = |table: &str, column: &str| {
                format!(
                    "UPDATE {table} SET deletion_id = {id} WHERE deletion_id IS NULL AND {column} IN ({below})"
                )
            };
            self.statement(operation, &mark("projects", "namespace_id"))?;
            self.statement(operation, &mark("namespaces", "id"))?;
            let paths = |column: &str, table: &str| {
                format!(
                    "DELETE FROM full_paths WHERE {column} IN (SELECT id FROM {table} WHERE deletion_id = {id})"
                )
            };
            self.statement(operation, &paths("project_id", "projects"))?;
            self.statement(operation, &paths("namespace_id", "namespaces"))?;
            Ok(deletion)
        }
    }

    impl DeletionRepository for WriteTx<'_> {
        fn schedule_project_deletion(
            &mut self,
            project: Locked<Project>,
            new: &NewDeletion,
        ) -> Result<ScheduledDeletion, StoreError> {
            const SCHEDULE: &str = "schedule project deletion";
            let id = project.id.get();
            let deletion = self.insert_deletion(DeletionTarget::Project(project.id), new)?;
            let mark = diesel::update(projects::table.find(id));
            let mark = mark.set(projects::deletion_id.eq(deletion.id.get()));
            self.execute(SCHEDULE, mark)?;
            self.statement(
                SCHEDULE,
                &format!("DELETE FROM full_paths WHERE project_id = {id}"),
            )?;
            Ok(deletion)
        }

        fn schedule_group_deletion(
            &mut self,
            group: Locked<Group>,
            new: &NewDeletion,
        ) -> Result<ScheduledDeletion, StoreError> {
            const SCHEDULE: &str = "schedule group deletion";
            self.schedule_namespace(SCHEDULE, group.id, new)
        }

        fn schedule_namespace_deletion(
            &mut self,
            user: UserId,
            new: &NewDeletion,
        ) -> Result<Option<ScheduledDeletion>, StoreError> {
            const SCHEDULE: &str = "schedule namespace deletion";
            let personal = namespaces::table
                .filter(namespaces::owner_id.eq(user.get()))
                .filter(namespaces::kind.eq(namespace_kind(NamespaceKind::User)))
                .filter(namespaces::deletion_id.is_null())
                .select(namespaces::id);
            let Some(id) = self.value_if::<i64>(SCHEDULE, personal)? else {
                return Ok(None);
            };
            dialect::lock_trees(self, &[id])?;
            let mut deletion = self.schedule_namespace(SCHEDULE, NamespaceId::new(id), new)?;
            let row = diesel::update(deletions::table.find(deletion.id.get()));
            self.execute(SCHEDULE, row.set(deletions::started.eq(true)))?;
            deletion.started = true;
            Ok(Some(deletion))
        }

        fn release_rows_of_user(
            &mut self,
            user: UserId,
            successor: UserId,
            limit: usize,
        ) -> Result<usize, StoreError> {
            let mut left = limit;
            for text in references_to(user, successor) {
                if left == 0 {
                    break;
                }
                left -= self.statement("release rows of user", &format!("{text}{left})"))?;
            }
            Ok(limit - left)
        }

        fn cancel_deletion(&mut self, id: DeletionId) -> Result<CancelDeletion, StoreError> {
            const CANCEL: &str = "cancel deletion";
            let found = self.find::<DeletionRow>(CANCEL, deletions::table.find(id.get()))?;
            let Some(found) = found.filter(|found| !found.started) else {
                return Ok(CancelDeletion::TooLate);
            };
            let home = match found.target {
                DeletionTarget::Group(group) => Some(group),
                DeletionTarget::Project(project) => {
                    let project = self.find_project_pending_deletion(project)?;
                    project.map(|project| project.namespace.id)
                }
            };
            let trees: Vec<i64> = home.iter().map(|home| home.get()).collect();
            dialect::lock_trees(self, &trees)?;
            if self.number_of(&deleted_parents(id))? > 0 {
                return Ok(CancelDeletion::TooLate);
            }
            if self.number_of(&name_conflicts(id))? > 0 {
                return Ok(CancelDeletion::PathTaken);
            }
            // In the meantime, a job may have started it, or another caller may have cancelled it.
            let row = deletions::table.find(id.get());
            let row = row.filter(deletions::started.eq(false));
            if !self.changes(CANCEL, diesel::delete(row))? {
                return Ok(CancelDeletion::TooLate);
            }
            let paths = paths_of(id);
            let paths =
                format!("INSERT INTO full_paths (path_key, namespace_id, project_id) {paths}");
            self.statement(CANCEL, &paths)?;
            for table in ["projects", "namespaces"] {
                let back =
                    format!("UPDATE {table} SET deletion_id = NULL WHERE deletion_id = {id}");
                self.statement(CANCEL, &back)?;
            }
            Ok(CancelDeletion::Cancelled)
        }

        fn start_deletion(&mut self, id: DeletionId, now: Timestamp) -> Result<bool, StoreError> {
            let due = deletions::table
                .find(id.get())
                .filter(deletions::due_at.le(now.as_micros()));
            let start = diesel::update(due).set(deletions::started.eq(true));
            self.changes("start deletion", start)
        }

        fn delete_rows_of_project(
            &mut self,
            project: ProjectId,
            limit: usize,
        ) -> Result<usize, StoreError> {
            if self.find_project_pending_deletion(project)?.is_none() {
                return Ok(0);
            }
            let mut left = limit;
            for (operation, text) in rows_of(project) {
                if left == 0 {
                    return Ok(limit);
                }
                left -= self.statement(operation, &format!("{text}{left})"))?;
            }
            if left > 0 {
                let row = projects::table.find(project.get());
                let row = row.filter(projects::deletion_id.is_not_null());
                left -= self.execute("delete project", diesel::delete(row))?;
            }
            Ok(limit - left)
        }

        fn delete_groups_of(
            &mut self,
            deletion: DeletionId,
            limit: usize,
        ) -> Result<Vec<NamespaceId>, StoreError> {
            const DELETE: &str = "delete groups";
            // Descendants have the longer paths.
            let its = namespaces::table
                .filter(sql::<Bool>(&format!(
                    "namespaces.id IN ({})",
                    groups_of(deletion)
                )))
                .filter(namespaces::deletion_id.is_not_null())
                .order(sql::<BigInt>(
                    "length(namespaces.full_path) DESC, namespaces.id DESC",
                ))
                .limit(row_limit(limit))
                .select(namespaces::id);
            let ids: Vec<i64> = self.values(DELETE, its)?;
            if ids.is_empty() {
                return Ok(Vec::new());
            }
            let list: Vec<String> = ids.iter().map(i64::to_string).collect();
            let list = list.join(", ");
            for (table, column) in [
                ("namespace_members", "namespace_id"),
                ("namespace_lineage", "namespace_id"),
                ("namespaces", "id"),
            ] {
                let delete = format!("DELETE FROM {table} WHERE {column} IN ({list})");
                self.statement(DELETE, &delete)?;
            }
            Ok(ids.into_iter().map(NamespaceId::new).collect())
        }
    }
}
