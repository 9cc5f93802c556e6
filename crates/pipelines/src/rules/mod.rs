//! Rules: allowed status transitions, the status of a pipeline and of a runner, and slugs.

mod runner_status;
mod slug;
mod statuses;
mod tier;

pub use runner_status::{
    ONLINE_SECONDS, STALE_SECONDS, StatusForm, contact_filter, is_online, runner_status,
};
pub use slug::slug_of;
pub use statuses::{may_follow_deployment, may_follow_job, status_of};
pub use tier::tier_of;
