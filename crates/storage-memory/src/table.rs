//! A table: rows under ids that are never given twice, and the queries that every entity has.
//!
//! A repository over it is its conditions and nothing else. A table is a plain value inside [`State`](crate::State), which
//! is copied for each write and dropped when the write fails; so nothing here knows of transactions.

use std::collections::BTreeMap;

use api_conventions::ids;
use api_conventions::page::{KeysetPage, OffsetPage, Page, SortOrder, Stretch, Total};

/// The id of a row.
pub(crate) trait RowId: Copy + Ord {
    /// The id with this number.
    fn of(number: i64) -> Self;
}

macro_rules! row_ids {
    ($($id:ident),+ $(,)?) => {
        $( impl RowId for ids::$id {
            fn of(number: i64) -> Self {
                Self::new(number)
            }
        } )+
    };
}

row_ids![
    ApplicationId,
    DeletionId,
    AttachmentId,
    AuditEntryId,
    DeploymentId,
    EnvironmentId,
    JobId,
    PipelineId,
    ClientKeyId,
    ErrorCommentId,
    ErrorEventId,
    ErrorId,
    ErrorKeyId,
    EventId,
    GrantId,
    IntegrationId,
    MilestoneId,
    NamespaceId,
    ProjectId,
    ReceiptId,
    SessionId,
    ShareId,
    SigningKeyId,
    TokenId,
    TokenPairId,
    UserId,
    LabelId,
    IssueId,
    NoteId,
    SpamLogId,
];

/// Rows of one kind, in the order of their ids.
#[derive(Debug, Clone)]
pub(crate) struct Table<I, R> {
    rows: BTreeMap<I, R>,
    last_id: i64,
}

impl<I, R> Default for Table<I, R> {
    fn default() -> Self {
        Self {
            rows: BTreeMap::new(),
            last_id: 0,
        }
    }
}

impl<I: RowId, R> Table<I, R> {
    /// Inserts the row that `make` gives for an id that no row has had, and gives that id.
    pub(crate) fn insert(&mut self, make: impl FnOnce(I) -> R) -> I {
        self.last_id += 1;
        let id = I::of(self.last_id);
        self.rows.insert(id, make(id));
        id
    }

    /// Inserts a row as [`insert`](Self::insert) does, and gives a copy of it.
    pub(crate) fn insert_copy(&mut self, make: impl FnOnce(I) -> R) -> R
    where
        R: Clone,
    {
        self.last_id += 1;
        let id = I::of(self.last_id);
        let row = make(id);
        self.rows.insert(id, row.clone());
        row
    }

    /// The row with this id.
    pub(crate) fn get(&self, id: I) -> Option<&R> {
        self.rows.get(&id)
    }

    /// The row with this id, to be changed.
    pub(crate) fn get_mut(&mut self, id: I) -> Option<&mut R> {
        self.rows.get_mut(&id)
    }

    /// The first row that this is true of.
    pub(crate) fn find(&self, is_it: impl Fn(&R) -> bool) -> Option<&R> {
        self.rows.values().find(|row| is_it(row))
    }

    /// Whether this is true of any row.
    pub(crate) fn has(&self, is_it: impl Fn(&R) -> bool) -> bool {
        self.find(is_it).is_some()
    }

    /// All rows.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &R> {
        self.rows.values()
    }

    /// All rows, to be changed.
    pub(crate) fn rows_mut(&mut self) -> impl Iterator<Item = &mut R> {
        self.rows.values_mut()
    }

    /// Changes the row with this id; whether it is there.
    pub(crate) fn update(&mut self, id: I, change: impl FnOnce(&mut R)) -> bool {
        self.rows.get_mut(&id).map(change).is_some()
    }

    /// Takes the row with this id out, to be put back under it or to be forgotten.
    pub(crate) fn take(&mut self, id: I) -> Option<R> {
        self.rows.remove(&id)
    }

    /// Puts a row back under the id that it had.
    pub(crate) fn put_back(&mut self, id: I, row: R) {
        self.rows.insert(id, row);
    }

    /// Removes the row with this id; whether it was there.
    pub(crate) fn remove(&mut self, id: I) -> bool {
        self.rows.remove(&id).is_some()
    }

    /// Removes the rows that this is true of, at most `limit`, and gives their ids.
    pub(crate) fn remove_where(&mut self, limit: usize, goes: impl Fn(&R) -> bool) -> Vec<I> {
        let going = self.rows.iter().filter(|(_, row)| goes(row));
        let ids: Vec<I> = going.map(|(id, _)| *id).take(limit).collect();
        self.rows.retain(|id, _| !ids.contains(id));
        ids
    }

    /// The rows that match, in this order; ids break ties, in the direction of the order.
    pub(crate) fn list<K: Ord>(
        &self,
        matches: impl Fn(&R) -> bool,
        order: impl Fn(&R) -> K,
        sort: SortOrder,
    ) -> Vec<&R> {
        let mut matching: Vec<&R> = self.rows.values().filter(|row| matches(row)).collect();
        // The rows come in the order of their ids, and the sort keeps that where it finds no difference.
        matching.sort_by_cached_key(|row| order(row));
        if sort == SortOrder::Descending {
            matching.reverse();
        }
        matching
    }
}

impl<I: RowId, R: Clone> Table<I, R> {
    /// The page `asked` of the rows that match, as [`list`](Self::list) orders them.
    pub(crate) fn page<K: Ord>(
        &self,
        matches: impl Fn(&R) -> bool,
        order: impl Fn(&R) -> K,
        sort: SortOrder,
        asked: OffsetPage,
    ) -> Page<R> {
        page_of(self.list(matches, order, sort), asked)
    }

    /// The stretch `asked` of the rows that match, in the order of their ids.
    pub(crate) fn stretch(&self, matches: impl Fn(&R) -> bool, asked: KeysetPage) -> Stretch<R> {
        let matching = self.list(matches, |_| (), asked.sort());
        let fetched = usize::try_from(asked.fetch_limit()).unwrap_or(usize::MAX);
        let rows = matching.into_iter().take(fetched).cloned();
        Stretch::from_fetched(rows.collect(), asked)
    }
}

/// The page `asked` of all that matches, which is in order.
pub(crate) fn page_of<T: Clone>(matching: Vec<&T>, asked: OffsetPage) -> Page<T> {
    let counted = usize::try_from(Total::COUNT_LIMIT).unwrap_or(usize::MAX);
    let count = u64::try_from(matching.len().min(counted)).unwrap_or(u64::MAX);
    let skipped = usize::try_from(asked.offset()).unwrap_or(usize::MAX);
    let fetched = usize::try_from(asked.fetch_limit()).unwrap_or(usize::MAX);
    let rows = matching.into_iter().skip(skipped).take(fetched).cloned();
    Page::from_fetched(rows.collect(), asked, count)
}

/// Whether any of `texts` holds `part`, in any case.
pub(crate) fn any_holds(texts: &[&str], part: &str) -> bool {
    let part = part.to_lowercase();
    texts.iter().any(|text| text.to_lowercase().contains(&part))
}
