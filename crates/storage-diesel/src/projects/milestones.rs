//! Milestones of projects.

use ::projects::{MilestoneContent, MilestoneState, ProjectMilestone};
use api_conventions::ids::{MilestoneId, MilestoneIid, ProjectId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::{CalendarDate, Timestamp};
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use records::{
    Locked, NewRecord, RecordContent, RecordQueries, RecordRepository, SaveRecord, StoredRecord,
};
use storage::StoreError;

use super::tables::projects;
use crate::entity::entity;
use crate::records::records;
use crate::rows::DomainRow;
use crate::search::either_holds;
use crate::transaction::order_by;

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

impl DomainRow for MilestoneRow {
    type Value = ProjectMilestone;

    fn read(self) -> Result<ProjectMilestone, StoreError> {
        let row = self.reader();
        let day = |days: Option<i32>| days.map(|days| row.day(days)).transpose();
        Ok(ProjectMilestone {
            id: MilestoneId::new(self.id),
            iid: MilestoneIid::new(self.iid),
            owner: ProjectId::new(self.project_id),
            fixed: (),
            created_at: row.timestamp(self.created_at)?,
            updated_at: row.timestamp(self.updated_at)?,
            content: MilestoneContent {
                title: self.title,
                description: self.description,
                state: row.require(MilestoneState::from_number(self.state), "unknown state")?,
                start_date: day(self.start_date)?,
                due_date: day(self.due_date)?,
            },
        })
    }
}

impl<'v> ChangedMilestoneRow<'v> {
    fn new(content: &'v MilestoneContent, now: Timestamp) -> Self {
        Self {
            updated_at: now.as_micros(),
            title: content.title.as_str().into(),
            description: content.description.as_deref().map(Into::into),
            state: content.state.number(),
            start_date: content.start_date.map(CalendarDate::as_days),
            due_date: content.due_date.map(CalendarDate::as_days),
        }
    }
}

records! {
    MilestoneContent as MilestoneRow in milestones by project_id, of projects;
    insert: |new, number| NewMilestoneRow {
        project_id: new.owner.get(),
        iid: number,
        created_at: new.created_at.as_micros(),
        changing: ChangedMilestoneRow::new(&new.content, new.created_at),
    };
    change: |content, now| ChangedMilestoneRow::new(content, now);
    order Descending: |ids, sort| order_by!(ids, sort, milestones::id);
    filter: |ids, filter| {
        let mut ids = ids;
        if !filter.iids.is_empty() {
            let numbers: Vec<i64> = filter.iids.iter().map(|iid| iid.get()).collect();
            ids = ids.filter(milestones::iid.eq_any(numbers));
        }
        if let Some(state) = filter.state {
            ids = ids.filter(milestones::state.eq(state.number()));
        }
        if let Some(title) = &filter.title {
            ids = ids.filter(milestones::title.eq(title));
        }
        if let Some(text) = &filter.search {
            ids = ids.filter(either_holds!("title", "description", text));
        }
        if let Some(text) = &filter.search_title {
            ids = ids.filter(either_holds!("title", "NULL", text));
        }
        if let Some(timestamp) = filter.updated_after {
            ids = ids.filter(milestones::updated_at.ge(timestamp.as_micros()));
        }
        if let Some(timestamp) = filter.updated_before {
            ids = ids.filter(milestones::updated_at.le(timestamp.as_micros()));
        }
        ids
    };
    examines: |filter| {
        filter.search.is_some()
            || filter.state.is_some()
            || filter.search_title.is_some()
            || filter.updated_after.is_some()
            || filter.updated_before.is_some()
    };
    unique: |content| milestones::title.eq(&content.title);
    numbered by last_milestone_iid;
}
