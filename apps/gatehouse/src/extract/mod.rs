//! What handlers ask for: the caller or the visitor, the parameters or the form, the project of the path.

pub mod browser;
pub mod caller;
mod credentials;
pub mod form;
pub mod oauth_form;
pub mod params;
pub mod posted_request;
pub mod project;
pub mod visitor;
