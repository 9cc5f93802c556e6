//! Labels of projects.

use ::projects::{Label, LabelContent};
use api_conventions::ids::{LabelId, ProjectId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::Timestamp;
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

impl DomainRow for LabelRow {
    type Value = Label;

    fn read(self) -> Result<Label, StoreError> {
        let row = self.reader();
        Ok(Label {
            id: LabelId::new(self.id),
            iid: (),
            owner: ProjectId::new(self.project_id),
            fixed: (),
            content: LabelContent {
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
    fn new(content: &'v LabelContent, now: Timestamp) -> Self {
        Self {
            title: content.title.as_str().into(),
            description: content.description.as_deref().map(Into::into),
            color: content.color.as_str().into(),
            priority: content.priority,
            updated_at: now.as_micros(),
        }
    }
}

records! {
    LabelContent as LabelRow in labels by project_id, of projects;
    insert: |new, _| NewLabelRow {
        project_id: new.owner.get(),
        created_at: new.created_at.as_micros(),
        changing: ChangedLabelRow::new(&new.content, new.created_at),
    };
    change: |content, now| ChangedLabelRow::new(content, now);
    // Titles are unique, so there are no ties.
    order Ascending: |ids, sort| order_by!(ids, sort, labels::title);
    filter: |ids, filter| {
        let mut ids = ids;
        if let Some(title) = &filter.title {
            ids = ids.filter(labels::title.eq(title));
        }
        if let Some(text) = &filter.search {
            ids = ids.filter(either_holds!("title", "description", text));
        }
        ids
    };
    examines: |filter| filter.search.is_some();
    unique: |content| labels::title.eq(&content.title);
}
