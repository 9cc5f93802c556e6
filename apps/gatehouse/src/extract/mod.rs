//! What handlers ask for: the caller with their parameters, or the visitor or the form, the project of the path.

pub mod browser;
pub mod caller;
mod credentials;
pub mod form;
pub mod lane;
pub mod oauth_form;
pub mod params;
pub mod posted_request;
pub mod project;
pub mod sudo;
pub mod visitor;
