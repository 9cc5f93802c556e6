//! Promises of every stored entity, written once: the standard clauses, and the description of an entity that they
//! need.
//!
//! An entity describes how a row is created, inserted, looked up and, where that applies, listed, changed and deleted.
//! A suite then names the [`clauses`] that hold for it, each under a number of its own. `docs/adding-an-entity.md` is
//! the recipe.

pub mod clauses;
#[cfg(any(
    feature = "accounts",
    feature = "projects",
    feature = "alert-intake",
    feature = "error-tracking",
    feature = "events",
    feature = "oauth-provider",
    feature = "deprecations",
    feature = "pipelines",
    feature = "notifications"
))]
pub(crate) mod declare;
#[cfg(feature = "projects")]
pub(crate) mod declare_record;
pub mod lists;
#[cfg(feature = "projects")]
pub mod records;

use std::fmt::Debug;

use api_conventions::page::{KeysetPage, KeysetSlice, OffsetPage, Page, SortOrder};
use storage::{Store, StoreError};

use crate::areas::AreaHarness;

/// A harness of the store of `E`.
pub type HarnessOf<E> = AreaHarness<<E as Entity>::Store>;

/// A read transaction of the store of `E`.
pub type ReadOf<'t, E> = <<E as Entity>::Store as Store>::ReadTx<'t>;

/// A write transaction of the store of `E`.
pub type WriteOf<'t, E> = <<E as Entity>::Store as Store>::WriteTx<'t>;

/// A kind of stored row. The type only names it and has no values.
///
/// Every method that takes a transaction returns a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
pub trait Entity: 'static {
    /// The store whose transactions have the entity's methods: one of [`areas`](crate::areas).
    type Store: Store + ?Sized;
    /// Owner of a row: a project, a user, or `()` if rows have no owner.
    type Owner: Copy + Debug + Send + Sync + 'static;
    /// A row to insert.
    type New: Clone + Send + Sync + 'static;
    /// A stored row.
    type Row: Clone + Debug + PartialEq + Send + 'static;
    /// Key of a row within its owner.
    type Key: Clone + Debug + Ord + Send + Sync + 'static;

    /// True if a row is looked up, changed and deleted only under its owner. Otherwise the owner only determines its
    /// list.
    const IS_FOUND_BY_OWNER: bool;

    /// Two owners without stored rows.
    fn owners(harness: &HarnessOf<Self>) -> [Self::Owner; 2];

    /// An ordinary row. Two rows with different numbers differ in all unique values.
    fn sample(owner: Self::Owner, number: u32) -> Self::New;

    /// Rows at the limits of the columns: hostile and empty text, the first and the last timestamp, the largest number,
    /// and each optional value once present and once absent. They differ in all unique values.
    fn edges(owner: Self::Owner) -> Vec<Self::New>;

    /// Inserts a row and returns its key.
    fn insert(tx: &mut WriteOf<'_, Self>, new: &Self::New) -> Result<Self::Key, StoreError>;

    /// Finds a row of an owner.
    fn find(
        tx: &mut ReadOf<'_, Self>,
        owner: Self::Owner,
        key: &Self::Key,
    ) -> Result<Option<Self::Row>, StoreError>;

    /// Expected row for `new`. Values that only the store assigns, such as the id, are taken from `found`.
    fn expected(new: &Self::New, found: &Self::Row) -> Self::Row;

    /// Returns the key of a row.
    fn key(row: &Self::Row) -> Self::Key;

    /// A key without a row.
    fn unknown() -> Self::Key;
}

/// An entity whose rows are listed by owner, page by page.
#[expect(
    clippy::missing_errors_doc,
    reason = "as for the methods of an entity: if the store fails"
)]
pub trait ListableEntity: Entity {
    /// The direction of the list.
    const SORT: SortOrder;
    /// True if a column precedes the id in the order. [`Self::ranked`] then sets that column.
    const IS_RANKED: bool;

    /// A [sample](Entity::sample) with a rank from 0 to 9. In an ascending list, a greater rank comes later.
    fn ranked(owner: Self::Owner, number: u32, rank: u32) -> Self::New;

    /// A page of the rows of an owner.
    fn list(
        tx: &mut ReadOf<'_, Self>,
        owner: Self::Owner,
        page: OffsetPage,
    ) -> Result<Page<Self::Row>, StoreError>;

    /// Inserts many rows, in their order. Entities with a bulk method call it.
    fn insert_many(tx: &mut WriteOf<'_, Self>, new: &[Self::New]) -> Result<(), StoreError> {
        new.iter()
            .try_for_each(|new| Self::insert(tx, new).map(drop))
    }
}

/// An entity whose rows are also listed by key, without a count.
#[expect(
    clippy::missing_errors_doc,
    reason = "as for the methods of an entity: if the store fails"
)]
pub trait KeysetEntity: Entity {
    /// The next rows of an owner in the order of their ids, after (in a descending walk: before) the row `last`.
    fn walk(
        tx: &mut ReadOf<'_, Self>,
        owner: Self::Owner,
        last: Option<&Self::Row>,
        page: KeysetPage,
    ) -> Result<KeysetSlice<Self::Row>, StoreError>;
}

/// An entity whose rows are changed.
#[expect(
    clippy::missing_errors_doc,
    reason = "as for the methods of an entity: if the store fails"
)]
pub trait ChangeableEntity: Entity {
    /// Applies the change with this number, which sets all fields that can change. True if the row exists.
    fn change(
        tx: &mut WriteOf<'_, Self>,
        owner: Self::Owner,
        key: &Self::Key,
        number: u32,
    ) -> Result<bool, StoreError>;

    /// Expected row after that change.
    fn changed(row: &Self::Row, number: u32) -> Self::Row;
}

/// An entity whose rows are deleted one by one.
#[expect(
    clippy::missing_errors_doc,
    reason = "as for the methods of an entity: if the store fails"
)]
pub trait DeletableEntity: Entity {
    /// Deletes a row. True if it existed.
    fn delete(
        tx: &mut WriteOf<'_, Self>,
        owner: Self::Owner,
        key: &Self::Key,
    ) -> Result<bool, StoreError>;
}

/// An entity with a unique value.
#[expect(
    clippy::missing_errors_doc,
    reason = "as for the methods of an entity: if the store fails"
)]
pub trait UniqueEntity: Entity {
    /// True if rows of two owners may share the value.
    const IS_PER_OWNER: bool;

    /// A row that differs from the sample of this number in everything but the unique value.
    fn clashing(owner: Self::Owner, number: u32) -> Self::New;

    /// Inserts a row, or returns `None` if the method has an outcome for a value that is taken. If it has none, the
    /// store's own [`Conflict`](storage::StoreErrorKind::Conflict) is as good.
    fn try_insert(
        tx: &mut WriteOf<'_, Self>,
        new: &Self::New,
    ) -> Result<Option<Self::Key>, StoreError>;
}
