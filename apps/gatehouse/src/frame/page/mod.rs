//! What people see in a browser: pages made on the server, which work without a script.
//!
//! A page is a template and what it shows, together with a [`Shell`](shell::Shell): the frame that all pages have. Every
//! form comes in through [`Form`](crate::frame::form::Form), which reads nothing before it has seen that the form is one
//! of ours. What goes wrong is a [`PageFailure`](failure::PageFailure), which is a page, too.

pub mod access;
pub mod activity;
pub mod address;
pub mod answer;
pub mod assets;
pub mod bars;
mod direction;
pub mod failure;
pub mod field_failures;
pub mod format;
pub mod group;
pub mod headers;
pub mod list;
mod need;
pub mod notice;
pub mod pill;
pub mod place;
pub mod project;
pub mod prose;
pub mod settings_tabs;
pub mod shell;
pub mod shown_name;
pub mod side;
pub mod timeline;
