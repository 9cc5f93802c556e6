//! Content trait and record types.

use std::fmt::Debug;

use api_conventions::error::ApiError;
use api_conventions::time::Timestamp;
use validator::Validate;

/// Content of one kind of record, such as a label or a milestone.
/// It declares everything that is specific to the kind.
///
/// The macro [`content!`](crate::content!) declares the type together with its [`Edit`](Self::Edit).
pub trait RecordContent: Validate + Clone + Debug + Eq + Send + Sync + 'static {
    /// Resource name in error responses: `Label`.
    const NAME: &'static str;
    /// Id of a record, unique within its kind.
    type Id: Copy + Debug + Ord + Send + Sync + 'static;
    /// Owner of a record, such as a project; never changes.
    type Owner: Copy + Debug + Ord + Send + Sync + 'static;
    /// Number of a record within its owner: counts from 1 without gaps, never reused.
    /// `()` for kinds without numbers.
    type Number: Copy + Debug + Eq + Send + Sync + 'static;
    /// Fields set on creation that never change, such as the author.
    /// `()` for none.
    type Fixed: Clone + Debug + Eq + Send + Sync + 'static;
    /// Filter for the records of an owner.
    /// The default lists all.
    type Filter: Clone + Debug + Default + Send + Sync + 'static;
    /// Edit of the content.
    type Edit: Clone + Debug + Default + Send + Sync + 'static;

    /// The content after a change.
    #[must_use]
    fn edited(self, edit: &Self::Edit) -> Self;

    /// The content in its stored form, for kinds where users can write the same value in more than one way.
    #[must_use]
    fn normalized(self) -> Self {
        self
    }

    /// Error for a record with a value that must be unique and is already used.
    fn name_conflict() -> ApiError;
}

/// A record of an owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRecord<C: RecordContent> {
    /// Id.
    pub id: C::Id,
    /// Number within the owner.
    pub iid: C::Number,
    /// Owner.
    pub owner: C::Owner,
    /// Fields set on creation.
    pub fixed: C::Fixed,
    /// Content that users write.
    pub content: C,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change to the content.
    pub updated_at: Timestamp,
}

/// A record to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRecord<C: RecordContent> {
    /// Owner.
    pub owner: C::Owner,
    /// Fields that never change.
    pub fixed: C::Fixed,
    /// Content that users write.
    pub content: C,
    /// Current time.
    pub created_at: Timestamp,
}

impl<C: RecordContent<Fixed = ()>> NewRecord<C> {
    /// New record of a kind without fixed fields.
    pub fn new(owner: C::Owner, content: C, created_at: Timestamp) -> Self {
        Self {
            owner,
            fixed: (),
            content,
            created_at,
        }
    }
}

impl<C: RecordContent> NewRecord<C> {
    /// The record as stored under an id and a number.
    pub fn stored(&self, id: C::Id, iid: C::Number) -> StoredRecord<C> {
        StoredRecord {
            id,
            iid,
            owner: self.owner,
            fixed: self.fixed.clone(),
            content: self.content.clone(),
            created_at: self.created_at,
            updated_at: self.created_at,
        }
    }
}
