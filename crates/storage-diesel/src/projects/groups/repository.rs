//! Changes of groups, for write transactions.

use ::projects::GroupQueries as _;
use ::projects::rules::nesting::{Extent, fits};
use ::projects::{Group, GroupContent, GroupRepository, Locked, Namespace, SaveGroup};
use api_conventions::ids::NamespaceId;
use api_conventions::reference::{FullPath, NamespaceRef};
use api_conventions::time::Timestamp;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Text};
use storage::{StoreError, StoreErrorKind};
use storage_diesel_macros::for_each_database;

use crate::projects::groups::{path_below, sets};
use crate::projects::limits::NumberRow;
use crate::projects::tables::{full_paths, namespaces, projects};

#[for_each_database(dialect = crate::projects)]
mod database {
    impl GroupRepository for WriteTx<'_> {
        fn lock_group(
            &mut self,
            group: NamespaceId,
            others: &[NamespaceId],
        ) -> Result<Option<Locked<Group>>, StoreError> {
            let trees: Vec<i64> = [group].iter().chain(others).map(|id| id.get()).collect();
            dialect::lock_trees(self, &trees)?;
            let found = self.find_group(&NamespaceRef::Id(group))?;
            Ok(found.map(Locked::by_adapter))
        }

        fn update_group(
            &mut self,
            group: Locked<Group>,
            content: &GroupContent,
            parent: Option<&Namespace>,
            now: Timestamp,
        ) -> Result<SaveGroup, StoreError> {
            let full_path = path_below(parent, &content.path)?;
            let key = full_path.lookup_key();
            if key != group.full_path.lookup_key() && !self.path_is_free(&key)? {
                return Ok(SaveGroup::PathTaken);
            }
            if full_path != group.full_path
                && !fits(&group.full_path, &full_path, self.extent(group.id.get())?)
            {
                return Ok(SaveGroup::TooDeep);
            }
            let change = (
                namespaces::name.eq(&content.name),
                namespaces::path.eq(&content.path),
                namespaces::parent_id.eq(parent.map(|parent| parent.id.get())),
                namespaces::description.eq(&content.description),
                namespaces::visibility.eq(content.visibility.number()),
                namespaces::project_creation_level.eq(content.project_creation_level.number()),
                namespaces::subgroup_creation_level.eq(content.subgroup_creation_level.number()),
                namespaces::share_with_group_lock.eq(content.share_with_group_lock),
                namespaces::settings.eq(content.settings.to_json()),
                namespaces::name_key.eq(content.name.to_lowercase()),
                namespaces::path_key.eq(content.path.to_lowercase()),
                namespaces::updated_at.eq(now.as_micros()),
            );
            let update = diesel::update(namespaces::table.find(group.id.get())).set(change);
            self.execute("update group", update)?;
            if full_path != group.full_path {
                self.rename_below(group.id.get(), &group.full_path, &full_path)?;
            }
            if parent.map(|parent| parent.id) != group.parent_id {
                let parent = parent.map_or(-1, |parent| parent.id.get());
                self.replant(group.id.get(), parent)?;
            }
            let after = self.find_group(&NamespaceRef::Id(group.id))?;
            let gone = || {
                StoreError::inconsistent(
                    "namespaces",
                    group.id.get(),
                    "deleted while it was locked",
                )
            };
            Ok(SaveGroup::Saved(Box::new(after.ok_or_else(gone)?)))
        }
    }

    impl WriteTx<'_> {
        /// Measures the depth and path lengths of a group, including contents that are pending deletion, because these
        /// may be restored.
        fn extent(&mut self, group: i64) -> Result<Extent, StoreError> {
            let mut numbers = Vec::new();
            for statement in sets::extent(group) {
                let row: NumberRow = self.value("measure group", diesel::sql_query(statement))?;
                numbers.push(usize::try_from(row.number).unwrap_or(usize::MAX));
            }
            let [segments, of_groups, of_projects] = numbers[..] else {
                return Err(StoreError::new(StoreErrorKind::Internal, "measure group"));
            };
            Ok(Extent {
                segments,
                bytes: of_groups.max(of_projects),
            })
        }

        /// Changes the path of a group and everything below it.
        fn rename_below(
            &mut self,
            group: i64,
            before: &FullPath,
            after: &FullPath,
        ) -> Result<(), StoreError> {
            const RENAME: &str = "rename descendants of group";
            // Paths are ASCII, so bytes equal characters.
            let rest = before.as_str().len() + 1;
            let below = sets::below(group);
            let path = |column: &str, start: &str| {
                sql::<Text>("")
                    .bind::<Text, _>(start.to_owned())
                    .sql(&format!(" || substr({column}, {rest})"))
            };
            let groups =
                namespaces::table.filter(sql::<Bool>(&format!("namespaces.id IN ({below})")));
            let groups = diesel::update(groups);
            let renamed = path("namespaces.full_path", after.as_str());
            self.execute(RENAME, groups.set(namespaces::full_path.eq(renamed)))?;
            let inside =
                projects::table.filter(sql::<Bool>(&format!("projects.namespace_id IN ({below})")));
            let inside = diesel::update(inside);
            let renamed = path("projects.full_path", after.as_str());
            self.execute(RENAME, inside.set(projects::full_path.eq(renamed)))?;
            if before.lookup_key() == after.lookup_key() {
                return Ok(());
            }
            let keys = format!(
                "full_paths.namespace_id IN ({below}) OR full_paths.project_id IN \
                     (SELECT id FROM projects WHERE namespace_id IN ({below}))"
            );
            self.add_redirects(&keys)?;
            let moved = diesel::update(full_paths::table.filter(sql::<Bool>(&keys)));
            let renamed = path("full_paths.path_key", &after.lookup_key());
            self.execute(RENAME, moved.set(full_paths::path_key.eq(renamed)))?;
            self.delete_redirects(&keys)
        }

        /// Rewrites the lineage of a group and everything below it after a change of its parent.
        /// `parent` is -1 if there is none.
        fn replant(&mut self, group: i64, parent: i64) -> Result<(), StoreError> {
            let below = sets::below(group);
            let old = format!(
                "DELETE FROM namespace_lineage WHERE namespace_id IN ({below}) AND ancestor_id NOT IN ({below})"
            );
            self.execute("delete ancestors of group", diesel::sql_query(old))?;
            let new = format!(
                "INSERT INTO namespace_lineage (namespace_id, ancestor_id) \
                     SELECT b.namespace_id, a.ancestor_id FROM namespace_lineage AS b, namespace_lineage AS a \
                     WHERE b.ancestor_id = {group} AND a.namespace_id = {parent}"
            );
            self.execute("insert ancestors of group", diesel::sql_query(new))
                .map(drop)
        }
    }
}
