//! Rules: allowed status transitions, the status of a pipeline, and slugs.

mod slug;
mod statuses;
mod tier;

pub use slug::slug_of;
pub use statuses::{may_follow_deployment, may_follow_job, status_of};
pub use tier::tier_of;
