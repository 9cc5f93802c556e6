//! Repository traits of the provider.
//!
//! Each step that must happen only once is one method, which an adapter implements as one conditional write: of two
//! concurrent callers, only one wins.

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
    /// A store of applications, grants, tokens and signing keys, for use as `dyn`. Implemented by every
    /// [`Store`](storage::Store) whose transactions have these repository traits.
    pub trait OauthStore {
        /// Argument of a read closure of an [`OauthStore`].
        type Read: OauthReadTx = ApplicationQueries + GrantQueries + SigningKeyQueries;
        /// Argument of a write closure of an [`OauthStore`].
        type Write: OauthWriteTx = ApplicationRepository + GrantRepository + SigningKeyRepository;
    }
}
