//! Foundation of all areas: the sender of a request, their permissions, and the frame of pages.
//!
//! * API operations take [`api`] and [`project`] types as their caller: the type states what was checked.
//! * Pages take a [`visitor`] or a [`form`].

pub mod api;
mod blocking;
pub mod caller;
pub mod client;
pub mod collector_failure;
pub mod cookies;
pub mod cors;
pub mod credentials;
pub mod csrf;
pub mod deletion;
mod edge;
pub mod followed_caller;
pub mod form;
pub mod group;
pub mod html;
pub mod intake_urls;
pub mod lane;
pub mod limits;
pub mod new_token;
pub mod oauth_failure;
pub mod old_address;
pub mod page;
pub mod page_reader;
pub mod password_check;
pub mod place;
pub mod posted_form;
pub mod project;
pub mod project_directory;
pub mod project_feature;
pub mod project_user;
pub mod public;
pub mod reauthentication;
mod registry;
pub mod releases;
mod restricted;
pub mod return_to;
pub mod runners_token;
pub mod scopes;
pub mod second_factor;
pub mod secret_once;
pub mod settings;
pub mod spam;
pub mod sudo;
pub mod token_expiry;
pub mod token_login;
pub mod tracked_error;
pub mod visitor;
