//! Image repositories of projects.

use ::projects::{
    ImageCleanup, ImageQueries, ImageRepositories, ImageRepository, NewImageRepository,
};
use api_conventions::ids::{ImageRepositoryId, NamespaceId, ProjectId};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use api_conventions::time::Timestamp;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use storage::{StoreError, StoreErrorKind};
use storage_diesel_macros::for_each_database;

use super::image_cleanups::{
    ImageCleanupRow, ImageCleanupValues, NewImageCleanupRow, image_cleanups,
};
use crate::entity::entity;
use crate::rows::DomainRow;
use crate::transaction::order_by;

entity! {
    image_repositories: ImageRepositoryRow, NewImageRepositoryRow;
    fixed {
        project_id: BigInt,
        name: Text,
        created_at: BigInt,
    }
}

impl DomainRow for ImageRepositoryRow {
    type Value = ImageRepository;

    fn read(self) -> Result<ImageRepository, StoreError> {
        let row = self.reader();
        Ok(ImageRepository {
            id: ImageRepositoryId::new(self.id),
            project_id: ProjectId::new(self.project_id),
            created_at: row.timestamp(self.created_at)?,
            name: self.name,
        })
    }
}

impl<'v> From<&'v NewImageRepository> for NewImageRepositoryRow<'v> {
    fn from(new: &'v NewImageRepository) -> Self {
        Self {
            project_id: new.project_id.get(),
            name: new.name.as_str().into(),
            created_at: new.created_at.as_micros(),
        }
    }
}

const PUT: &str = "put image repository";
const RESCHEDULE: &str = "reschedule image cleanup";

#[for_each_database]
mod database {
    impl ::projects::ImageQueriesWrapper for WriteTx<'_> {}

    impl ImageQueries for ReadTx<'_> {
        fn find_image_repository(
            &mut self,
            id: ImageRepositoryId,
        ) -> Result<Option<ImageRepository>, StoreError> {
            let one = image_repositories::table.find(id.get());
            self.find::<ImageRepositoryRow>("find image repository", one)
        }

        fn find_image_repository_by_name(
            &mut self,
            name: &str,
        ) -> Result<Option<ImageRepository>, StoreError> {
            let named = image_repositories::table.filter(image_repositories::name.eq(name));
            self.find::<ImageRepositoryRow>("find image repository by name", named)
        }

        fn list_image_repositories(
            &mut self,
            project: ProjectId,
            page: OffsetPage,
        ) -> Result<Page<ImageRepository>, StoreError> {
            self.page::<ImageRepositoryRow, _, _, _>(
                "list image repositories",
                page,
                SortOrder::Ascending,
                || {
                    let of_project = image_repositories::project_id.eq(project.get());
                    image_repositories::table
                        .select(image_repositories::id)
                        .filter(of_project)
                        .into_boxed::<Db>()
                },
                |ids, sort| order_by!(ids, sort, image_repositories::id),
                |ids| image_repositories::table.filter(image_repositories::id.eq_any(ids)),
            )
        }

        fn list_image_repositories_of_group(
            &mut self,
            group: NamespaceId,
            page: OffsetPage,
        ) -> Result<Page<ImageRepository>, StoreError> {
            let in_group = format!(
                "image_repositories.project_id IN (SELECT p.id FROM namespace_lineage AS l \
                 JOIN projects AS p ON p.namespace_id = l.namespace_id \
                 WHERE l.ancestor_id = {group} AND p.deletion_id IS NULL)"
            );
            self.page::<ImageRepositoryRow, _, _, _>(
                "list image repositories of group",
                page,
                SortOrder::Ascending,
                || {
                    image_repositories::table
                        .select(image_repositories::id)
                        .filter(sql::<Bool>(&in_group))
                        .into_boxed::<Db>()
                },
                |ids, sort| {
                    order_by!(
                        ids,
                        sort,
                        image_repositories::project_id,
                        image_repositories::id
                    )
                },
                |ids| image_repositories::table.filter(image_repositories::id.eq_any(ids)),
            )
        }

        fn find_image_cleanup(&mut self, name: &str) -> Result<Option<ImageCleanup>, StoreError> {
            let named = image_cleanups::table.filter(image_cleanups::name.eq(name));
            self.find::<ImageCleanupRow>("find image cleanup", named)
        }

        fn find_due_image_cleanup(
            &mut self,
            now: Timestamp,
        ) -> Result<Option<ImageCleanup>, StoreError> {
            let due = image_cleanups::table
                .filter(image_cleanups::due_at.le(now.as_micros()))
                .order((image_cleanups::due_at, image_cleanups::id))
                .limit(1);
            self.find::<ImageCleanupRow>("find due image cleanup", due)
        }
    }

    type Db = crate::transaction::Backend<ReadTx<'static>>;

    impl ImageRepositories for WriteTx<'_> {
        fn put_image_repository(
            &mut self,
            new: &NewImageRepository,
        ) -> Result<ImageRepository, StoreError> {
            let row = NewImageRepositoryRow::from(new);
            let insert = diesel::insert_into(image_repositories::table).values(&row);
            self.execute(PUT, insert.on_conflict_do_nothing())?;
            let found = self.find_image_repository_by_name(&new.name)?;
            found.ok_or_else(|| StoreError::new(StoreErrorKind::Contention, PUT))
        }

        fn delete_image_repository(&mut self, id: ImageRepositoryId) -> Result<bool, StoreError> {
            let one = image_repositories::table.find(id.get());
            self.changes("delete image repository", diesel::delete(one))
        }

        fn put_image_cleanup(&mut self, cleanup: &ImageCleanup) -> Result<(), StoreError> {
            let row = NewImageCleanupRow {
                name: cleanup.name.as_str().into(),
                changing: ImageCleanupValues::from(cleanup),
            };
            let put = diesel::insert_into(image_cleanups::table)
                .values(row)
                .on_conflict(image_cleanups::name)
                .do_update()
                .set(ImageCleanupValues::from(cleanup));
            self.execute("put image cleanup", put).map(drop)
        }

        fn reschedule_image_cleanup(
            &mut self,
            cleanup: &ImageCleanup,
            due_at: Option<Timestamp>,
        ) -> Result<bool, StoreError> {
            let change = image_cleanups::due_at.eq(due_at.map(Timestamp::as_micros));
            let named = image_cleanups::table.filter(image_cleanups::name.eq(&cleanup.name));
            if let Some(expected) = cleanup.due_at {
                let unchanged = named.filter(image_cleanups::due_at.eq(expected.as_micros()));
                return self.changes(RESCHEDULE, diesel::update(unchanged).set(change));
            }
            let unchanged = named.filter(image_cleanups::due_at.is_null());
            self.changes(RESCHEDULE, diesel::update(unchanged).set(change))
        }

        fn delete_image_cleanup(&mut self, name: &str) -> Result<bool, StoreError> {
            let named = image_cleanups::table.filter(image_cleanups::name.eq(name));
            self.changes("delete image cleanup", diesel::delete(named))
        }
    }
}
