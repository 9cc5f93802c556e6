//! Use cases that span several aggregates. Each runs in one transaction: it commits or rolls back as a whole.

pub mod account;
pub mod change_alert;
pub mod collect_errors;
pub mod create_project;
pub mod create_user;
pub mod deletion;
pub mod endpoints;
pub mod error_tracking;
pub mod errors;
pub mod export_project;
pub mod external_errors;
pub mod git_access;
pub mod groups;
pub mod import_project;
pub mod issues;
pub mod members;
pub mod notes;
pub mod oauth;
pub mod place_tokens;
pub mod projects;
pub mod pushes;
pub mod receive_alerts;
pub mod records_in_feed;
pub mod references;
pub mod sign_in;
