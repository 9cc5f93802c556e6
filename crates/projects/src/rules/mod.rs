//! Pure rules: no store, no clock.

pub mod access;
pub mod features;
pub mod group_access;
pub mod image_tags;
#[cfg(feature = "archive")]
pub mod imported_text;
pub mod issues;
pub mod members;
pub mod nesting;
pub mod quick_actions;
pub mod snippets;
pub mod spam;
pub mod system_notes;
pub mod visibility;
