//! What a record is.

use std::fmt::Debug;

use api_conventions::error::ApiError;
use api_conventions::time::Timestamp;
use validator::Validate;

/// What people write of one kind of record: a label, a milestone. It says everything that is special about the kind.
///
/// The macro [`content!`](crate::content!) declares the type together with its [`Edit`](Self::Edit).
pub trait Content: Validate + Clone + Debug + Eq + Send + Sync + 'static {
    /// What refusals call a record: `Label`.
    const NAME: &'static str;
    /// The id of a record, unique among all of its kind.
    type Id: Copy + Debug + Ord + Send + Sync + 'static;
    /// What a record belongs to, such as a project. It never changes.
    type Owner: Copy + Debug + Ord + Send + Sync + 'static;
    /// The number of a record in its owner: from 1, without gaps, never given twice. `()` where records have none.
    type Number: Copy + Debug + Eq + Send + Sync + 'static;
    /// What is set when a record is made and never changes, such as its author. `()` where there is nothing.
    type Fixed: Clone + Debug + Eq + Send + Sync + 'static;
    /// Which records of an owner to list. The default lists all.
    type Filter: Clone + Debug + Default + Send + Sync + 'static;
    /// What is to be changed.
    type Edit: Clone + Debug + Default + Send + Sync + 'static;

    /// The content after a change.
    #[must_use]
    fn edited(self, edit: &Self::Edit) -> Self;

    /// The content as it is stored, where people may write the same in more than one way.
    #[must_use]
    fn normalized(self) -> Self {
        self
    }

    /// The refusal of a record that shares something with another that no two may share.
    fn taken() -> ApiError;
}

/// A record of an owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record<C: Content> {
    /// Its id.
    pub id: C::Id,
    /// Its number in its owner.
    pub iid: C::Number,
    /// What it belongs to.
    pub owner: C::Owner,
    /// What was set when it was made.
    pub fixed: C::Fixed,
    /// What people wrote.
    pub content: C,
    /// When it was made.
    pub created_at: Timestamp,
    /// When its content last changed.
    pub updated_at: Timestamp,
}

/// A record to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRecord<C: Content> {
    /// What it will belong to.
    pub owner: C::Owner,
    /// What never changes.
    pub fixed: C::Fixed,
    /// What people wrote.
    pub content: C,
    /// Now.
    pub created_at: Timestamp,
}

impl<C: Content<Fixed = ()>> NewRecord<C> {
    /// A record of a kind that has nothing besides its content.
    pub fn new(owner: C::Owner, content: C, created_at: Timestamp) -> Self {
        Self {
            owner,
            fixed: (),
            content,
            created_at,
        }
    }
}

impl<C: Content> NewRecord<C> {
    /// The record that it becomes under an id and a number.
    pub fn stored(&self, id: C::Id, iid: C::Number) -> Record<C> {
        Record {
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
