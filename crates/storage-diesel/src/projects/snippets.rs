//! Snippets and their files.

use std::collections::BTreeMap;

use ::projects::{
    NewSnippet, Snippet, SnippetContent, SnippetFile, SnippetFilter, SnippetPlace, SnippetQueries,
    SnippetRepository, SnippetScope,
};
use api_conventions::access::Visibility;
use api_conventions::ids::{ProjectId, SnippetId, UserId};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use api_conventions::time::Timestamp;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};
use storage::{Locked, StoreError};
use storage_diesel_macros::for_each_database;

use crate::entity::entity;
use crate::rows::DomainRow;
use crate::transaction::{order_by, row_limit};
use crate::window::Window;

entity! {
    snippets: SnippetRow, NewSnippetRow, ChangedSnippetRow;
    fixed {
        project_id: Nullable<BigInt>,
        author_id: BigInt,
        created_at: BigInt,
    }
    changing {
        title: Text,
        description: Nullable<Text>,
        visibility: SmallInt,
        updated_at: BigInt,
    }
}

/// Files of snippets.
mod files {
    use super::{DomainRow, SnippetFile, StoreError, entity};

    entity! {
        snippet_files: SnippetFileRow, NewSnippetFileRow;
        fixed {
            path: Text,
            content: Text,
        }
        written {
            snippet_id: BigInt,
            position: Integer,
        }
    }

    impl DomainRow for SnippetFileRow {
        type Value = SnippetFile;

        fn read(self) -> Result<SnippetFile, StoreError> {
            let row = self.reader();
            let path = Some(self.path).filter(|path| !path.is_empty());
            Ok(SnippetFile {
                path: row.require(path, "empty path")?,
                content: self.content,
            })
        }
    }
}

pub(super) use files::snippet_files;
use files::{NewSnippetFileRow, SnippetFileRow};

impl DomainRow for SnippetRow {
    type Value = Snippet;

    /// Converts a row to a snippet without the paths of its files.
    fn read(self) -> Result<Snippet, StoreError> {
        let row = self.reader();
        let visibility = Visibility::from_number(i64::from(self.visibility));
        Ok(Snippet {
            id: SnippetId::new(self.id),
            place: SnippetPlace::new(self.project_id.map(ProjectId::new)),
            author_id: UserId::new(self.author_id),
            content: SnippetContent {
                visibility: row.require(visibility, "unknown visibility")?,
                title: self.title,
                description: self.description,
            },
            paths: Vec::new(),
            created_at: row.timestamp(self.created_at)?,
            updated_at: row.timestamp(self.updated_at)?,
        })
    }
}

impl<'v> ChangedSnippetRow<'v> {
    fn new(content: &'v SnippetContent, updated_at: Timestamp) -> Self {
        Self {
            title: content.title.as_str().into(),
            description: content.description.as_deref().map(Into::into),
            visibility: content.visibility.number(),
            updated_at: updated_at.as_micros(),
        }
    }
}

impl<'v> From<&'v NewSnippet> for NewSnippetRow<'v> {
    fn from(new: &'v NewSnippet) -> Self {
        Self {
            project_id: new.place.project_id().map(ProjectId::get),
            author_id: new.author_id.get(),
            created_at: new.created_at.as_micros(),
            changing: ChangedSnippetRow::new(&new.draft.content, new.created_at),
        }
    }
}

const LIST: &str = "list snippets";

// As text, not as parameters: only then can the planner choose the partial indexes.
const PRIVATE: &str = "snippets.visibility < 10";
const INTERNAL: &str = "snippets.visibility >= 10";
const PUBLIC: &str = "snippets.visibility >= 20";

#[for_each_database(dialect = crate::projects)]
mod database {
    impl ::projects::SnippetQueriesWrapper for WriteTx<'_> {}

    type Db = crate::transaction::Backend<ReadTx<'static>>;
    type Rows = snippets::BoxedQuery<'static, Db>;

    /// Selects the snippets that meet the conditions of a filter besides its scope.
    fn in_period(filter: &SnippetFilter) -> Rows {
        let mut rows = snippets::table.into_boxed::<Db>();
        if let Some(after) = filter.created_after {
            rows = rows.filter(snippets::created_at.ge(after.as_micros()));
        }
        if let Some(before) = filter.created_before {
            rows = rows.filter(snippets::created_at.le(before.as_micros()));
        }
        rows
    }

    /// Selects the personal snippets of a filter with a visibility.
    fn personal(filter: &SnippetFilter, visibility: &str) -> Rows {
        let rows = in_period(filter).filter(snippets::project_id.is_null());
        rows.filter(sql::<Bool>(visibility))
    }

    /// Selects the matching snippets in parts, each of which one index has in order.
    fn parts(filter: &SnippetFilter) -> Vec<Rows> {
        match filter.scope {
            SnippetScope::OfAuthor(author) => {
                let rows = in_period(filter).filter(snippets::project_id.is_null());
                vec![rows.filter(snippets::author_id.eq(author.get()))]
            }
            SnippetScope::VisibleTo(user) => vec![
                personal(filter, INTERNAL),
                personal(filter, PRIVATE).filter(snippets::author_id.eq(user.get())),
            ],
            SnippetScope::Public => vec![personal(filter, PUBLIC)],
            SnippetScope::All => vec![in_period(filter)],
            SnippetScope::Project { id, least } => {
                let rows = in_period(filter).filter(snippets::project_id.eq(id.get()));
                vec![match least {
                    Visibility::Private => rows,
                    Visibility::Internal => rows.filter(sql::<Bool>(INTERNAL)),
                    Visibility::Public => rows.filter(sql::<Bool>(PUBLIC)),
                }]
            }
        }
    }

    impl ReadTx<'_> {
        /// Adds the paths of the files to snippets.
        fn with_paths(&mut self, mut found: Vec<Snippet>) -> Result<Vec<Snippet>, StoreError> {
            if found.is_empty() {
                return Ok(found);
            }
            let ids: Vec<i64> = found.iter().map(|snippet| snippet.id.get()).collect();
            let paths = snippet_files::table
                .filter(snippet_files::snippet_id.eq_any(ids))
                .order((snippet_files::snippet_id, snippet_files::position))
                .select((snippet_files::snippet_id, snippet_files::path));
            let paths: Vec<(i64, String)> = self.values(LIST, paths)?;
            let mut by_snippet = BTreeMap::<i64, Vec<String>>::new();
            for (id, path) in paths {
                by_snippet.entry(id).or_default().push(path);
            }
            for snippet in &mut found {
                snippet.paths = by_snippet.remove(&snippet.id.get()).unwrap_or_default();
            }
            Ok(found)
        }

        /// Returns the ids in a window of the list that consists of these parts, in the order of the list.
        fn snippet_ids(
            &mut self,
            window: Window,
            parts: Vec<Rows>,
        ) -> Result<Vec<i64>, StoreError> {
            let direction = window.direction(SortOrder::Descending);
            let mut keys: Vec<(i64, i64)> = Vec::new();
            for part in parts {
                let part = order_by!(part, direction, snippets::created_at, snippets::id);
                let part = part.limit(window.skip.saturating_add(window.take));
                let part = part.select((snippets::created_at, snippets::id));
                keys.extend(self.values::<(i64, i64)>(LIST, part)?);
            }
            keys.sort_unstable();
            if direction == SortOrder::Descending {
                keys.reverse();
            }
            let [skip, take] = [window.skip, window.take]
                .map(|number| usize::try_from(number).unwrap_or(usize::MAX));
            let ids = keys.into_iter().skip(skip).take(take);
            Ok(window.in_order(ids.map(|(_, id)| id).collect()))
        }
    }

    impl SnippetQueries for ReadTx<'_> {
        fn find_snippet(
            &mut self,
            place: SnippetPlace,
            id: SnippetId,
        ) -> Result<Option<Snippet>, StoreError> {
            let found = self.find::<SnippetRow>("find snippet", snippets::table.find(id.get()))?;
            let found = found.filter(|snippet| snippet.place == place);
            Ok(self.with_paths(found.into_iter().collect())?.pop())
        }

        fn list_snippet_files(&mut self, id: SnippetId) -> Result<Vec<SnippetFile>, StoreError> {
            let files = snippet_files::table
                .filter(snippet_files::snippet_id.eq(id.get()))
                .order(snippet_files::position);
            self.list::<SnippetFileRow>("list snippet files", files)
        }

        fn list_snippets(
            &mut self,
            filter: &SnippetFilter,
            page: OffsetPage,
        ) -> Result<Page<Snippet>, StoreError> {
            let mut count = 0;
            for part in parts(filter) {
                count += self.count(LIST, part.select(snippets::id))?;
            }
            let window = Window::of(page, count);
            if window.is_empty() {
                return Ok(window.page(Vec::new()));
            }
            let ids = self.snippet_ids(window, parts(filter))?;
            let rows = snippets::table.filter(snippets::id.eq_any(ids.clone()));
            let found = self.list_in_order::<SnippetRow>(LIST, &ids, rows)?;
            Ok(window.page(self.with_paths(found)?))
        }
    }

    impl WriteTx<'_> {
        fn insert_snippet_files(
            &mut self,
            id: SnippetId,
            files: &[SnippetFile],
        ) -> Result<(), StoreError> {
            for (position, file) in (0..).zip(files) {
                let row = NewSnippetFileRow {
                    snippet_id: id.get(),
                    position,
                    path: file.path.as_str().into(),
                    content: file.content.as_str().into(),
                };
                let insert = diesel::insert_into(snippet_files::table).values(row);
                self.execute("insert snippet file", insert)?;
            }
            Ok(())
        }
    }

    impl SnippetRepository for WriteTx<'_> {
        fn insert_snippet(&mut self, new: &NewSnippet) -> Result<Snippet, StoreError> {
            let insert = diesel::insert_into(snippets::table).values(NewSnippetRow::from(new));
            let id: i64 = self.value("insert snippet", insert.returning(snippets::id))?;
            let id = SnippetId::new(id);
            self.insert_snippet_files(id, &new.draft.files)?;
            Ok(new.stored(id))
        }

        fn lock_snippet(
            &mut self,
            place: SnippetPlace,
            id: SnippetId,
        ) -> Result<Option<Locked<Snippet>>, StoreError> {
            match place {
                SnippetPlace::Project(project) => {
                    if !dialect::lock_project(self, project.get())? {
                        return Ok(None);
                    }
                }
                SnippetPlace::Personal => dialect::lock_snippet(self, id.get())?,
            }
            let found = self.find_snippet(place, id)?;
            Ok(found.map(Locked::by_adapter))
        }

        fn update_snippet(
            &mut self,
            snippet: Locked<Snippet>,
            content: &SnippetContent,
            files: &[SnippetFile],
            now: Timestamp,
        ) -> Result<Snippet, StoreError> {
            let id = snippet.id;
            let row = diesel::update(snippets::table.find(id.get()));
            self.execute(
                "update snippet",
                row.set(ChangedSnippetRow::new(content, now)),
            )?;
            let old = snippet_files::table.filter(snippet_files::snippet_id.eq(id.get()));
            self.execute("delete snippet files", diesel::delete(old))?;
            self.insert_snippet_files(id, files)?;
            Ok(Snippet {
                content: content.clone(),
                paths: files.iter().map(|file| file.path.clone()).collect(),
                updated_at: now,
                ..snippet.into_inner()
            })
        }

        fn delete_snippet(&mut self, snippet: Locked<Snippet>) -> Result<Snippet, StoreError> {
            let row = snippets::table.find(snippet.id.get());
            self.execute("delete snippet", diesel::delete(row))?;
            Ok(snippet.into_inner())
        }

        fn delete_snippets_of_author(
            &mut self,
            author: UserId,
            limit: usize,
        ) -> Result<usize, StoreError> {
            const DELETE: &str = "delete snippets of author";
            // The expression of an index.
            let author_id = sql::<BigInt>("author_id + 0");
            let ids = snippets::table
                .filter(author_id.eq(author.get()))
                .limit(row_limit(limit))
                .select(snippets::id);
            let ids: Vec<i64> = self.values(DELETE, ids)?;
            let rows = snippets::table.filter(snippets::id.eq_any(ids));
            self.execute(DELETE, diesel::delete(rows))
        }
    }
}
