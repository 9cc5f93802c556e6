//! What every stored entity promises, written once: the standard clauses, and what they need to know of an entity.
//!
//! An entity says how a row is made, inserted, found and perhaps listed, changed and deleted. A suite then names the
//! [`clauses`] that hold for it, each under a number of its own. `docs/adding-an-entity.md` is the recipe.

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
    feature = "projects"
))]
pub(crate) mod declare;
#[cfg(feature = "projects")]
pub(crate) mod declare_record;
pub mod lists;
#[cfg(feature = "projects")]
pub mod records;

use std::fmt::Debug;

use api_conventions::page::{KeysetPage, OffsetPage, Page, SortOrder, Stretch};
use storage::{Store, StoreError};

use crate::areas::AreaHarness;

/// A harness of the store of `E`.
pub type HarnessOf<E> = AreaHarness<<E as Entity>::Store>;

/// A read transaction of the store of `E`.
pub type ReadOf<'t, E> = <<E as Entity>::Store as Store>::ReadTx<'t>;

/// A write transaction of the store of `E`.
pub type WriteOf<'t, E> = <<E as Entity>::Store as Store>::WriteTx<'t>;

/// A kind of row that is stored: the type is a name for it and has no values.
///
/// Every method that takes a transaction gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
pub trait Entity: 'static {
    /// The store whose transactions have its methods: one of [`areas`](crate::areas).
    type Store: Store + ?Sized;
    /// What a row belongs to: a project, a user, or `()` where all rows stand together.
    type Owner: Copy + Debug + Send + Sync + 'static;
    /// What is inserted.
    type New: Clone + Send + Sync + 'static;
    /// What is found.
    type Row: Clone + Debug + PartialEq + Send + 'static;
    /// What a row is found by in its owner.
    type Key: Clone + Debug + Ord + Send + Sync + 'static;

    /// Whether a row is found, changed and deleted under its owner only. Otherwise the owner says no more than in which list
    /// it stands.
    const IS_FOUND_BY_OWNER: bool;

    /// Two owners, of whose rows none is stored yet.
    fn owners(harness: &HarnessOf<Self>) -> [Self::Owner; 2];

    /// An ordinary row. Two with different numbers differ in all that must be unique.
    fn sample(owner: Self::Owner, number: u32) -> Self::New;

    /// Rows at the ends of what the columns hold: hostile and empty text, the first and the last timestamp, the largest
    /// number, everything that may be absent once there and once not. They differ in all that must be unique.
    fn edges(owner: Self::Owner) -> Vec<Self::New>;

    /// Inserts a row and gives what it is found by.
    fn insert(tx: &mut WriteOf<'_, Self>, new: &Self::New) -> Result<Self::Key, StoreError>;

    /// Finds a row of an owner.
    fn find(
        tx: &mut ReadOf<'_, Self>,
        owner: Self::Owner,
        key: &Self::Key,
    ) -> Result<Option<Self::Row>, StoreError>;

    /// What must be found of `new`. What the store alone gives, such as the id, is taken from `found`.
    fn expected(new: &Self::New, found: &Self::Row) -> Self::Row;

    /// What the row is found by.
    fn key(row: &Self::Row) -> Self::Key;

    /// What no row is found by.
    fn unknown() -> Self::Key;
}

/// An entity whose rows are listed by owner, page by page.
#[expect(
    clippy::missing_errors_doc,
    reason = "as for the methods of an entity: when the store fails"
)]
pub trait Listed: Entity {
    /// The direction of the list.
    const SORT: SortOrder;
    /// Whether a column comes before the id in the order, which [`Self::ranked`] then sets.
    const IS_RANKED: bool;

    /// A [sample](Entity::sample) that comes the later in an ascending list, the greater its rank is. Ranks are from 0
    /// to 9.
    fn ranked(owner: Self::Owner, number: u32, rank: u32) -> Self::New;

    /// A page of the rows of an owner.
    fn list(
        tx: &mut ReadOf<'_, Self>,
        owner: Self::Owner,
        page: OffsetPage,
    ) -> Result<Page<Self::Row>, StoreError>;

    /// Inserts many rows, in their order. Entities with a method for that call it.
    fn insert_many(tx: &mut WriteOf<'_, Self>, new: &[Self::New]) -> Result<(), StoreError> {
        new.iter()
            .try_for_each(|new| Self::insert(tx, new).map(drop))
    }
}

/// An entity whose rows are also listed by key, without a count.
#[expect(
    clippy::missing_errors_doc,
    reason = "as for the methods of an entity: when the store fails"
)]
pub trait Walked: Entity {
    /// The next rows of an owner in the order of their ids, after (in a descending walk: before) the row `last`.
    fn walk(
        tx: &mut ReadOf<'_, Self>,
        owner: Self::Owner,
        last: Option<&Self::Row>,
        page: KeysetPage,
    ) -> Result<Stretch<Self::Row>, StoreError>;
}

/// An entity whose rows are changed.
#[expect(
    clippy::missing_errors_doc,
    reason = "as for the methods of an entity: when the store fails"
)]
pub trait Changed: Entity {
    /// Makes the change with this number, which sets all that can be changed; whether the row was there.
    fn change(
        tx: &mut WriteOf<'_, Self>,
        owner: Self::Owner,
        key: &Self::Key,
        number: u32,
    ) -> Result<bool, StoreError>;

    /// What must be found of `row` after that change.
    fn changed(row: &Self::Row, number: u32) -> Self::Row;
}

/// An entity whose rows are deleted one by one.
#[expect(
    clippy::missing_errors_doc,
    reason = "as for the methods of an entity: when the store fails"
)]
pub trait Deleted: Entity {
    /// Deletes a row; whether it was there.
    fn delete(
        tx: &mut WriteOf<'_, Self>,
        owner: Self::Owner,
        key: &Self::Key,
    ) -> Result<bool, StoreError>;
}

/// An entity with something that two rows never share.
#[expect(
    clippy::missing_errors_doc,
    reason = "as for the methods of an entity: when the store fails"
)]
pub trait Unique: Entity {
    /// Whether rows of two owners may share it.
    const IS_PER_OWNER: bool;

    /// A row that differs from the sample of this number in everything but what must be unique.
    fn clashing(owner: Self::Owner, number: u32) -> Self::New;

    /// Inserts a row, or gives `None` where the method has an outcome that says that it is taken. Where it has none, the
    /// store's own [`Conflict`](storage::StoreErrorKind::Conflict) is as good.
    fn try_insert(
        tx: &mut WriteOf<'_, Self>,
        new: &Self::New,
    ) -> Result<Option<Self::Key>, StoreError>;
}
