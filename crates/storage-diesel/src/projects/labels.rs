//! Labels of projects.

use ::projects::{InsertLabel, Label, LabelQueries, LabelRepository, LabelText, NewLabel};
use api_conventions::ids::{LabelId, ProjectId};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use api_conventions::time::Timestamp;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text};
use storage::StoreError;

use super::search::pattern;
use crate::entity::entity;
use crate::rows::Row;
use crate::transaction::{Backend, order_by};

entity! {
    labels: LabelRow, NewLabelRow, ChangedLabelRow;
    fixed {
        project_id: BigInt,
        created_at: BigInt,
    }
    changing {
        title: Text,
        description: Nullable<Text>,
        color: Text,
        priority: Nullable<BigInt>,
        updated_at: BigInt,
    }
}

impl Row for LabelRow {
    type Value = Label;

    fn read(self) -> Result<Label, StoreError> {
        let row = self.reader();
        Ok(Label {
            id: LabelId::new(self.id),
            project_id: ProjectId::new(self.project_id),
            text: LabelText {
                title: self.title,
                description: self.description,
                color: self.color,
                priority: self.priority,
            },
            created_at: row.timestamp(self.created_at)?,
            updated_at: row.timestamp(self.updated_at)?,
        })
    }
}

impl<'v> ChangedLabelRow<'v> {
    fn new(text: &'v LabelText, now: Timestamp) -> Self {
        Self {
            title: text.title.as_str().into(),
            description: text.description.as_deref().map(Into::into),
            color: text.color.as_str().into(),
            priority: text.priority,
            updated_at: now.as_micros(),
        }
    }
}

macro_rules! queries {
    ($tx:ident) => {
        impl LabelQueries for $tx<'_> {
            fn find_label(
                &mut self,
                project: ProjectId,
                id: LabelId,
            ) -> Result<Option<Label>, StoreError> {
                let of_project = labels::project_id.eq(project.get());
                self.find::<LabelRow>(
                    "find label",
                    labels::table.find(id.get()).filter(of_project),
                )
            }

            fn find_label_by_title(
                &mut self,
                project: ProjectId,
                title: &str,
            ) -> Result<Option<Label>, StoreError> {
                let of_project = labels::table.filter(labels::project_id.eq(project.get()));
                self.find::<LabelRow>("find label", of_project.filter(labels::title.eq(title)))
            }

            fn list_labels(
                &mut self,
                project: ProjectId,
                search: Option<&str>,
                page: OffsetPage,
            ) -> Result<Page<Label>, StoreError> {
                self.page::<LabelRow, _, _, _>(
                    "list labels",
                    (page, SortOrder::Ascending),
                    || ids_of(project, search),
                    // Titles are unique, so there are no ties.
                    |ids, sort| order_by!(ids, sort, labels::title),
                    |ids| labels::table.filter(labels::id.eq_any(ids)),
                )
            }
        }
    };
}

macro_rules! repository {
    ($tx:ident) => {
        fn ids_of(
            project: ProjectId,
            search: Option<&str>,
        ) -> labels::BoxedQuery<'static, Backend<$tx<'static>>, BigInt> {
            let ids = labels::table.select(labels::id);
            let ids = ids
                .filter(labels::project_id.eq(project.get()))
                .into_boxed();
            let Some(text) = search else { return ids };
            ids.filter(
                sql::<Bool>("(lower(title) LIKE lower(")
                    .bind::<Text, _>(pattern(text))
                    .sql(") ESCAPE '\\' OR lower(coalesce(description, '')) LIKE lower(")
                    .bind::<Text, _>(pattern(text))
                    .sql(") ESCAPE '\\')"),
            )
        }

        impl LabelRepository for $tx<'_> {
            fn insert_label(&mut self, new: &NewLabel) -> Result<InsertLabel, StoreError> {
                let insert = diesel::insert_into(labels::table).values(NewLabelRow {
                    project_id: new.project_id.get(),
                    created_at: new.created_at.as_micros(),
                    changing: ChangedLabelRow::new(&new.text, new.created_at),
                });
                let insert = insert.on_conflict_do_nothing().returning(labels::id);
                let id: Option<i64> = self.value_if("insert label", insert)?;
                Ok(id.map_or(InsertLabel::TitleTaken, |id| {
                    InsertLabel::Inserted(new.stored(LabelId::new(id)))
                }))
            }

            fn update_label(
                &mut self,
                project: ProjectId,
                id: LabelId,
                text: &LabelText,
                now: Timestamp,
            ) -> Result<bool, StoreError> {
                let of_project = labels::project_id.eq(project.get());
                let label = diesel::update(labels::table.find(id.get()).filter(of_project));
                self.changes("update label", label.set(ChangedLabelRow::new(text, now)))
            }

            fn delete_label(
                &mut self,
                project: ProjectId,
                id: LabelId,
            ) -> Result<bool, StoreError> {
                let of_project = labels::project_id.eq(project.get());
                let label = labels::table.find(id.get()).filter(of_project);
                self.changes("delete label", diesel::delete(label))
            }
        }
    };
}

crate::transaction::for_each_database!(queries, repository);
