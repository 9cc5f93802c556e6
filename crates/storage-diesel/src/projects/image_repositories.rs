//! Image repositories of projects.

use ::projects::{ImageQueries, ImageRepositories, ImageRepository, NewImageRepository};
use api_conventions::ids::{ImageRepositoryId, ProjectId};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use diesel::prelude::*;
use storage::{StoreError, StoreErrorKind};
use storage_diesel_macros::for_each_database;

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
    }
}
