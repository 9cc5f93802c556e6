//! Milestones of projects.

use ::projects::{
    Milestone, MilestoneContent, MilestoneFilter, MilestoneQueries, MilestoneRepository,
    MilestoneState, NewMilestone, SaveMilestone,
};
use api_conventions::ids::{MilestoneId, MilestoneIid, ProjectId};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use api_conventions::time::{CalendarDate, Timestamp};
use diesel::dsl::{exists, sql};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text};
use storage::StoreError;

use super::search::pattern;
use super::tables::projects;
use crate::entity::entity;
use crate::rows::Row;
use crate::transaction::{Backend, order_by};

entity! {
    milestones: MilestoneRow, NewMilestoneRow, ChangedMilestoneRow;
    fixed {
        project_id: BigInt,
        iid: BigInt,
        created_at: BigInt,
    }
    changing {
        updated_at: BigInt,
        title: Text,
        description: Nullable<Text>,
        state: SmallInt,
        start_date: Nullable<Integer>,
        due_date: Nullable<Integer>,
    }
}

impl Row for MilestoneRow {
    type Value = Milestone;

    fn read(self) -> Result<Milestone, StoreError> {
        let row = self.reader();
        let day = |days: Option<i32>| days.map(|days| row.day(days)).transpose();
        Ok(Milestone {
            id: MilestoneId::new(self.id),
            iid: MilestoneIid::new(self.iid),
            project_id: ProjectId::new(self.project_id),
            created_at: row.timestamp(self.created_at)?,
            updated_at: row.timestamp(self.updated_at)?,
            content: MilestoneContent {
                title: self.title,
                description: self.description,
                state: match self.state {
                    0 => MilestoneState::Active,
                    1 => MilestoneState::Closed,
                    _ => return Err(row.wrong("an unknown state")),
                },
                start_date: day(self.start_date)?,
                due_date: day(self.due_date)?,
            },
        })
    }
}

fn number(state: MilestoneState) -> i16 {
    match state {
        MilestoneState::Active => 0,
        MilestoneState::Closed => 1,
    }
}

impl<'v> ChangedMilestoneRow<'v> {
    fn new(content: &'v MilestoneContent, now: Timestamp) -> Self {
        Self {
            updated_at: now.as_micros(),
            title: content.title.as_str().into(),
            description: content.description.as_deref().map(Into::into),
            state: number(content.state),
            start_date: content.start_date.map(CalendarDate::as_days),
            due_date: content.due_date.map(CalendarDate::as_days),
        }
    }
}

macro_rules! queries {
    ($tx:ident) => {
        impl MilestoneQueries for $tx<'_> {
            fn find_milestone(
                &mut self,
                project: ProjectId,
                id: MilestoneId,
            ) -> Result<Option<Milestone>, StoreError> {
                let of_project = milestones::project_id.eq(project.get());
                let milestone = milestones::table.find(id.get()).filter(of_project);
                self.find::<MilestoneRow>("find milestone", milestone)
            }

            fn list_milestones(
                &mut self,
                project: ProjectId,
                filter: &MilestoneFilter,
                page: OffsetPage,
            ) -> Result<Page<Milestone>, StoreError> {
                self.page::<MilestoneRow, _, _, _>(
                    "list milestones",
                    (page, SortOrder::Descending),
                    || matching(project, filter),
                    |ids, sort| order_by!(ids, sort, milestones::id),
                    |ids| milestones::table.filter(milestones::id.eq_any(ids)),
                )
            }
        }
    };
}

macro_rules! repository {
    ($tx:ident) => {
        fn matching(
            project: ProjectId,
            filter: &MilestoneFilter,
        ) -> milestones::BoxedQuery<'static, Backend<$tx<'static>>, BigInt> {
            let all = milestones::table.select(milestones::id);
            let mut ids = all
                .filter(milestones::project_id.eq(project.get()))
                .into_boxed();
            if !filter.iids.is_empty() {
                let iids: Vec<i64> = filter.iids.iter().map(|iid| iid.get()).collect();
                ids = ids.filter(milestones::iid.eq_any(iids));
            }
            if let Some(state) = filter.state {
                ids = ids.filter(milestones::state.eq(number(state)));
            }
            if let Some(title) = filter.title.clone() {
                ids = ids.filter(milestones::title.eq(title));
            }
            if let Some(text) = &filter.search {
                ids = ids.filter(
                    sql::<Bool>("(lower(title) LIKE lower(")
                        .bind::<Text, _>(pattern(text))
                        .sql(") ESCAPE '\\' OR lower(coalesce(description, '')) LIKE lower(")
                        .bind::<Text, _>(pattern(text))
                        .sql(") ESCAPE '\\')"),
                );
            }
            ids
        }

        impl $tx<'_> {
            /// Moves the last number of a project, which is given, and locks the project until the transaction ends. So
            /// nobody else writes a title meanwhile.
            fn move_iid(&mut self, project: ProjectId, by: i64) -> Result<i64, StoreError> {
                let last = projects::last_milestone_iid;
                let moved = diesel::update(projects::table.find(project.get()));
                let moved = moved.set(last.eq(last + by)).returning(last);
                self.value("number milestones", moved)
            }
        }

        impl MilestoneRepository for $tx<'_> {
            fn insert_milestone(
                &mut self,
                new: &NewMilestone,
            ) -> Result<SaveMilestone, StoreError> {
                let insert = diesel::insert_into(milestones::table).values(NewMilestoneRow {
                    project_id: new.project_id.get(),
                    iid: self.move_iid(new.project_id, 1)?,
                    created_at: new.created_at.as_micros(),
                    changing: ChangedMilestoneRow::new(&new.content, new.created_at),
                });
                let insert = insert.on_conflict_do_nothing();
                let insert = insert.returning(MilestoneRow::as_returning());
                let row: Option<MilestoneRow> = self.value_if("insert milestone", insert)?;
                let Some(row) = row else {
                    self.move_iid(new.project_id, -1)?;
                    return Ok(SaveMilestone::TitleTaken);
                };
                Ok(SaveMilestone::Saved(row.read()?))
            }

            fn update_milestone(
                &mut self,
                project: ProjectId,
                id: MilestoneId,
                content: &MilestoneContent,
                now: Timestamp,
            ) -> Result<SaveMilestone, StoreError> {
                self.move_iid(project, 0)?;
                let of_project = milestones::project_id.eq(project.get());
                let others = milestones::table.filter(of_project.and(milestones::id.ne(id.get())));
                let taken = exists(others.filter(milestones::title.eq(&content.title)));
                if self.value("find title", diesel::select(taken))? {
                    return Ok(SaveMilestone::TitleTaken);
                }
                let update = diesel::update(milestones::table.find(id.get()).filter(of_project))
                    .set(ChangedMilestoneRow::new(content, now))
                    .returning(MilestoneRow::as_returning());
                let row: Option<MilestoneRow> = self.value_if("update milestone", update)?;
                let saved = row.map(Row::read).transpose()?;
                Ok(saved.map_or(SaveMilestone::NotFound, SaveMilestone::Saved))
            }

            fn delete_milestone(
                &mut self,
                project: ProjectId,
                id: MilestoneId,
            ) -> Result<bool, StoreError> {
                let of_project = milestones::project_id.eq(project.get());
                let milestone = milestones::table.find(id.get()).filter(of_project);
                self.changes("delete milestone", diesel::delete(milestone))
            }
        }
    };
}

crate::transaction::for_each_database!(queries, repository);
