//! Use cases that span several aggregates. Each is one closure's work: it commits or rolls back as one.

pub mod account;
pub mod change_alert;
pub mod create_project;
pub mod create_user;
pub mod oauth;
pub mod receive_alerts;
pub mod records_in_feed;
pub mod sign_in;
