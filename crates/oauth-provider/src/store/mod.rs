//! The repository traits of the provider.
//!
//! What must happen once is one method here, so that an adapter makes it one conditional write: two callers at
//! the same time never both win.

mod applications;
mod conditional;
mod grants;
mod keys;

pub use applications::{
    ApplicationOwner, ApplicationQueries, ApplicationQueriesWrapper, ApplicationRepository,
    ApplicationRepositoryWrapper,
};
pub use conditional::{CodeRedemption, Family, PairRotation, Redemption, Rotation};
pub use grants::{GrantQueries, GrantQueriesWrapper, GrantRepository, GrantRepositoryWrapper};
pub use keys::{
    SigningKeyQueries, SigningKeyQueriesWrapper, SigningKeyRepository, SigningKeyRepositoryWrapper,
};

storage::dyn_store! {
    /// A store of applications, grants, tokens and signing keys, to be held behind `dyn`. Every
    /// [`Store`](storage::Store) is one whose transactions have these repository traits.
    pub trait OauthStore {
        /// What a read closure of an [`OauthStore`] gets.
        type Read: OauthReadTx = ApplicationQueries + GrantQueries + SigningKeyQueries;
        /// What a write closure of an [`OauthStore`] gets.
        type Write: OauthWriteTx = ApplicationRepository + GrantRepository + SigningKeyRepository;
    }
}
