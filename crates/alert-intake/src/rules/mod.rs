//! Pure rules: no store, no clock.

pub mod datetime;
pub mod details;
pub mod exact;
pub mod identity;
pub mod incident;
pub mod labels;
pub mod mapping;
pub mod matcher;
pub mod revision;
pub mod severity;
pub mod state;
pub mod text;
pub mod title_state;
pub mod transition;
