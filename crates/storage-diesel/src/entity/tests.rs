//! Recipe of `docs/adding-an-entity.md`, exactly as documented: notes of projects, on both databases.
//! The declarations of a domain crate are at the end.

use api_conventions::ids::ProjectId;
use api_conventions::page::{OffsetPage, Page, SortOrder};
use api_conventions::time::Timestamp;
use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use crate::rows::DomainRow;
use crate::transaction::{Backend, order_by};

entity! {
    notes: NoteRow, NewNoteRow, ChangedNoteRow;
    fixed {
        project_id: BigInt,
        created_at: BigInt,
    }
    changing {
        title: Text,
        due_on: Nullable<Integer>,
    }
}

impl DomainRow for NoteRow {
    type Value = ProjectNote;

    fn read(self) -> Result<ProjectNote, StoreError> {
        let row = self.reader();
        Ok(ProjectNote {
            id: self.id,
            project: ProjectId::new(self.project_id),
            created_at: row.timestamp(self.created_at)?,
            text: NoteText {
                title: self.title,
                due_on: self.due_on,
            },
        })
    }
}

impl<'v> From<&'v NoteText> for ChangedNoteRow<'v> {
    fn from(text: &'v NoteText) -> Self {
        Self {
            title: text.title.as_str().into(),
            due_on: text.due_on,
        }
    }
}

/// Text that a user enters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoteText {
    title: String,
    due_on: Option<i32>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProjectNote {
    id: i64,
    project: ProjectId,
    created_at: Timestamp,
    text: NoteText,
}

#[storage::queries]
pub(crate) trait ProjectNoteQueries {
    fn find_note(&mut self, project: ProjectId, id: i64)
    -> Result<Option<ProjectNote>, StoreError>;
    fn list_notes(
        &mut self,
        project: ProjectId,
        page: OffsetPage,
    ) -> Result<Page<ProjectNote>, StoreError>;
}

pub(crate) trait ProjectNoteRepository: ProjectNoteQueries {
    fn insert_note(&mut self, project: ProjectId, text: &NoteText) -> Result<i64, StoreError>;
    fn update_note(&mut self, id: i64, text: &NoteText) -> Result<bool, StoreError>;
    fn delete_note(&mut self, id: i64) -> Result<bool, StoreError>;
}

/// A note is found, listed, updated and deleted, and only in its project.
fn plays_its_part(tx: &mut dyn ProjectNoteRepository) -> Result<(), StoreError> {
    let [mine, other] = [1, 2].map(ProjectId::new);
    let text = |title: &str, due_on| NoteText {
        title: title.to_owned(),
        due_on,
    };
    let hostile = "' \u{1F980}";
    let first = tx.insert_note(mine, &text(hostile, Some(3)))?;
    tx.insert_note(mine, &text(hostile, Some(1)))?;
    let third = tx.insert_note(mine, &text(hostile, Some(3)))?;
    tx.insert_note(other, &text("other", None))?;
    let page = tx.list_notes(mine, OffsetPage::new(1, 2))?;
    let listed: Vec<i64> = page.items.iter().map(|note| note.id).collect();
    assert_eq!((listed, page.has_next), (vec![third, first], true));
    let last = tx.list_notes(mine, OffsetPage::new(2, 2))?;
    assert_eq!(last.items.len(), 1);

    // A cleared value is written as null, and does not keep its old value.
    assert!(tx.update_note(first, &text("changed", None))?);
    let note = ProjectNote {
        id: first,
        project: mine,
        created_at: Timestamp::MIN,
        text: text("changed", None),
    };
    assert_eq!(tx.find_note(mine, first)?, Some(note));
    assert_eq!(tx.find_note(other, first)?, None);

    assert!(tx.delete_note(first)?);
    assert!(!tx.delete_note(first)?);
    assert!(!tx.update_note(first, &text("gone", None))?);
    Ok(())
}

#[test]
fn the_recipe_holds_on_sqlite() {
    use crate::transaction::Transaction as _;

    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("db.sqlite3");
    let store = crate::SqliteStore::open(file, crate::SqliteOptions::default()).unwrap();
    let written = storage::Store::write(&store, |tx| {
        tx.run("create notes", |connection| {
            connection.batch_execute(
                "CREATE TABLE notes (id INTEGER PRIMARY KEY, project_id INTEGER NOT NULL, \
                 created_at INTEGER NOT NULL, title TEXT NOT NULL, due_on INTEGER)",
            )
        })?;
        plays_its_part(tx)
    });
    written.wait().unwrap();
}

#[test]
fn the_recipe_holds_on_postgresql() {
    use crate::transaction::Transaction as _;

    let Some(database) = test_databases::TestDatabase::empty() else {
        return;
    };
    let options = crate::PostgresOptions::default();
    let store = crate::PostgresStore::open(database.url(), options).unwrap();
    let written = storage::Store::write(&store, |tx| {
        tx.run("create notes", |connection| {
            connection.batch_execute(
                "CREATE TABLE notes (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, \
                 project_id BIGINT NOT NULL, created_at BIGINT NOT NULL, title TEXT NOT NULL, due_on INTEGER)",
            )
        })?;
        plays_its_part(tx)
    });
    written.wait().unwrap();
}

#[for_each_database]
mod database {
    impl ProjectNoteQueriesWrapper for WriteTx<'_> {}

    impl ProjectNoteQueries for ReadTx<'_> {
        fn find_note(
            &mut self,
            project: ProjectId,
            id: i64,
        ) -> Result<Option<ProjectNote>, StoreError> {
            let of_project = notes::project_id.eq(project.get());
            self.find::<NoteRow>("find note", notes::table.find(id).filter(of_project))
        }

        fn list_notes(
            &mut self,
            project: ProjectId,
            page: OffsetPage,
        ) -> Result<Page<ProjectNote>, StoreError> {
            self.page::<NoteRow, _, _, _>(
                "list notes",
                page,
                SortOrder::Descending,
                || ids_of(project),
                |ids, sort| order_by!(ids, sort, notes::due_on, notes::id),
                |ids| notes::table.filter(notes::id.eq_any(ids)),
            )
        }
    }

    fn ids_of(
        project: ProjectId,
    ) -> notes::BoxedQuery<'static, Backend<WriteTx<'static>>, diesel::sql_types::BigInt> {
        let ids = notes::table.select(notes::id);
        ids.filter(notes::project_id.eq(project.get())).into_boxed()
    }

    impl ProjectNoteRepository for WriteTx<'_> {
        fn insert_note(&mut self, project: ProjectId, text: &NoteText) -> Result<i64, StoreError> {
            let insert = diesel::insert_into(notes::table).values(NewNoteRow {
                project_id: project.get(),
                created_at: Timestamp::MIN.as_micros(),
                changing: text.into(),
            });
            self.value("insert note", insert.returning(notes::id))
        }

        fn update_note(&mut self, id: i64, text: &NoteText) -> Result<bool, StoreError> {
            let note = diesel::update(notes::table.find(id));
            self.changes("update note", note.set(ChangedNoteRow::from(text)))
        }

        fn delete_note(&mut self, id: i64) -> Result<bool, StoreError> {
            self.changes("delete note", diesel::delete(notes::table.find(id)))
        }
    }
}
