//! Milestones of projects.

mod api;

pub use self::api::operations;
