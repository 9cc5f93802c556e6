//! Notes on issues and alerts.

use ::projects::{
    NewNote, NoteActivity, NoteFilter, NoteOrder, NoteQueries, NoteRepository, Noteable,
    NoteableKind, ResourceNote,
};
use api_conventions::ids::{AlertId, NoteId, ProjectId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::Timestamp;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::issues::issues;
use crate::capped_count::CappedCount;
use crate::entity::entity;
use crate::records::{EXAMINED, too_much};
use crate::rows::DomainRow;
use crate::transaction::{Backend, order_by, row_limit};

entity! {
    notes: NoteRow, NewNoteRow, ChangedNoteRow;
    fixed {
        project_id: BigInt,
        noteable_type: SmallInt,
        noteable_id: BigInt,
        noteable_iid: BigInt,
        author_id: BigInt,
        system: Bool,
        internal: Bool,
        created_at: BigInt,
    }
    changing {
        body: Text,
        updated_at: BigInt,
    }
}

impl DomainRow for NoteRow {
    type Value = ResourceNote;

    fn read(self) -> Result<ResourceNote, StoreError> {
        let row = self.reader();
        let kind = NoteableKind::from_number(self.noteable_type);
        Ok(ResourceNote {
            id: NoteId::new(self.id),
            on: Noteable {
                project_id: ProjectId::new(self.project_id),
                kind: row.require(kind, "unknown kind of parent")?,
                id: self.noteable_id,
                iid: self.noteable_iid,
            },
            author_id: UserId::new(self.author_id),
            body: self.body,
            system: self.system,
            internal: self.internal,
            created_at: row.timestamp(self.created_at)?,
            updated_at: row.timestamp(self.updated_at)?,
        })
    }
}

impl<'v> From<&'v NewNote> for NewNoteRow<'v> {
    fn from(new: &'v NewNote) -> Self {
        Self {
            project_id: new.on.project_id.get(),
            noteable_type: new.on.kind.number(),
            noteable_id: new.on.id,
            noteable_iid: new.on.iid,
            author_id: new.author_id.get(),
            system: new.system,
            internal: new.internal,
            created_at: new.created_at.as_micros(),
            changing: ChangedNoteRow {
                body: new.body.as_str().into(),
                updated_at: new.created_at.as_micros(),
            },
        }
    }
}

/// Condition that a note is on a noteable.
macro_rules! is_on {
    ($on:expr) => {
        notes::noteable_type
            .eq($on.kind.number())
            .and(notes::noteable_id.eq($on.id))
    };
}

const LIST: &str = "list notes";

#[for_each_database]
mod database {
    impl ::projects::NoteQueriesWrapper for WriteTx<'_> {}

    impl NoteQueries for ReadTx<'_> {
        fn find_note(
            &mut self,
            on: Noteable,
            id: NoteId,
        ) -> Result<Option<ResourceNote>, StoreError> {
            let note = notes::table.find(id.get()).filter(is_on!(on));
            self.find::<NoteRow>("find note", note)
        }

        fn list_notes_of_author(
            &mut self,
            author: UserId,
            limit: usize,
        ) -> Result<Vec<ResourceNote>, StoreError> {
            let its = notes::table.filter(notes::author_id.eq(author.get()));
            let its = its.order(notes::id).limit(row_limit(limit));
            self.list::<NoteRow>("list notes of author", its)
        }

        fn list_notes_by_id(&mut self, ids: &[NoteId]) -> Result<Vec<ResourceNote>, StoreError> {
            let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
            self.list::<NoteRow>(LIST, notes::table.filter(notes::id.eq_any(ids)))
        }

        fn list_notes(
            &mut self,
            filter: &NoteFilter,
            page: OffsetPage,
        ) -> Result<Page<ResourceNote>, StoreError> {
            let on_it = || notes::table.select(notes::id).filter(is_on!(filter.on));
            if !filter.holds_all() {
                let all: i64 = self.value(LIST, CappedCount(on_it().limit(EXAMINED + 1)))?;
                if all > EXAMINED {
                    return Err(too_much(LIST));
                }
            }
            let matching = || {
                let mut ids: notes::BoxedQuery<'_, Backend<Self>, BigInt> = on_it().into_boxed();
                if !filter.sees_internal {
                    ids = ids.filter(notes::internal.eq(false));
                }
                match filter.activity {
                    NoteActivity::All => ids,
                    NoteActivity::Comments => ids.filter(notes::system.eq(false)),
                    NoteActivity::Activity => ids.filter(notes::system.eq(true)),
                }
            };
            self.page::<NoteRow, _, _, _>(
                LIST,
                page,
                filter.sort,
                matching,
                |ids, sort| match filter.order_by {
                    NoteOrder::CreatedAt => order_by!(ids, sort, notes::created_at, notes::id),
                    NoteOrder::UpdatedAt => order_by!(ids, sort, notes::updated_at, notes::id),
                },
                |ids| notes::table.filter(notes::id.eq_any(ids)),
            )
        }

        fn list_comment_ids(
            &mut self,
            on: Noteable,
            sees_internal: bool,
            after: NoteId,
            limit: usize,
        ) -> Result<Vec<NoteId>, StoreError> {
            // As text, not as a parameter: only then can the planner choose the partial index.
            let mut ids: notes::BoxedQuery<'_, Backend<Self>, BigInt> = notes::table
                .select(notes::id)
                .filter(is_on!(on))
                .filter(sql::<Bool>("NOT system"))
                .filter(notes::id.gt(after.get()))
                .order(notes::id.asc())
                .limit(row_limit(limit))
                .into_boxed();
            if !sees_internal {
                ids = ids.filter(notes::internal.eq(false));
            }
            let ids: Vec<i64> = self.values(LIST, ids)?;
            Ok(ids.into_iter().map(NoteId::new).collect())
        }
    }

    impl WriteTx<'_> {
        /// Adds to the count of user notes on the noteable, if it is an issue.
        fn count_notes(&mut self, on: Noteable, more: i64) -> Result<(), StoreError> {
            if on.kind != NoteableKind::Issue || more == 0 {
                return Ok(());
            }
            let count = issues::user_notes_count;
            let counted = diesel::update(issues::table.find(on.id)).set(count.eq(count + more));
            self.execute("count notes", counted).map(drop)
        }
    }

    impl NoteRepository for WriteTx<'_> {
        fn insert_notes(&mut self, new: &[NewNote]) -> Result<Vec<ResourceNote>, StoreError> {
            let mut inserted = Vec::new();
            for new in new {
                let insert = diesel::insert_into(notes::table).values(NewNoteRow::from(new));
                let id: i64 = self.value("insert note", insert.returning(notes::id))?;
                self.count_notes(new.on, i64::from(!new.system))?;
                inserted.push(new.stored(NoteId::new(id)));
            }
            Ok(inserted)
        }

        fn update_note(
            &mut self,
            on: Noteable,
            id: NoteId,
            body: &str,
            now: Timestamp,
        ) -> Result<bool, StoreError> {
            let change = ChangedNoteRow {
                body: body.into(),
                updated_at: now.as_micros(),
            };
            let note = diesel::update(notes::table.find(id.get())).filter(is_on!(on));
            self.changes("update note", note.set(change))
        }

        fn delete_note(&mut self, on: Noteable, id: NoteId) -> Result<bool, StoreError> {
            let note = diesel::delete(notes::table.find(id.get())).filter(is_on!(on));
            let system: Option<bool> =
                self.value_if("delete note", note.returning(notes::system))?;
            let Some(system) = system else {
                return Ok(false);
            };
            self.count_notes(on, -i64::from(!system))?;
            Ok(true)
        }

        fn delete_notes_on_alerts(
            &mut self,
            alerts: &[AlertId],
            limit: usize,
        ) -> Result<usize, StoreError> {
            if alerts.is_empty() {
                return Ok(0);
            }
            let alerts: Vec<String> = alerts.iter().map(AlertId::to_string).collect();
            let delete = diesel::sql_query(format!(
                "DELETE FROM notes WHERE id IN (SELECT id FROM notes WHERE noteable_type = {} AND noteable_id IN ({}) LIMIT {})",
                NoteableKind::Alert.number(),
                alerts.join(", "),
                row_limit(limit)
            ));
            self.execute("delete notes on alerts", delete)
        }
    }
}
