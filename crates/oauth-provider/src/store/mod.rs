//! The repository traits of the provider.
//!
//! What must happen once is one method here, so that an adapter makes it one conditional write: two callers at
//! the same time never both win.

mod applications;
mod conditional;
mod grants;
mod keys;

pub use applications::{ApplicationOwner, ApplicationQueries, ApplicationRepository};
pub use conditional::{CodeRedemption, Family, PairRotation, Redemption, Rotation};
pub use grants::{GrantQueries, GrantRepository};
pub use keys::{SigningKeyQueries, SigningKeyRepository};
