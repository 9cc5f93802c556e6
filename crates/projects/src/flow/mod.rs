//! Use cases: one module each. None begins or commits a transaction; the caller owns it.

pub mod create_namespace;
pub mod create_project;
pub mod error;
pub mod find_visible;
pub mod full_names;
pub mod groups;
#[cfg(feature = "archive")]
pub mod import;
pub mod issues;
pub mod members;
pub mod notes;
pub mod snippets;
pub mod update_project;
