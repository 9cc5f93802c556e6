//! Pages for browsers, rendered on the server.
//! They work without a script.
//!
//! A page consists of a template, its data and a [`Shell`](shell::Shell), the frame of all pages. Every form is
//! received as a [`PageForm`](crate::frame::form::PageForm), which exposes nothing before it has verified that the form is
//! ours. Failures are [`PageFailure`](failure::PageFailure)s, which are pages too.

pub mod access;
pub mod activity;
pub mod address;
pub mod answer;
pub mod assets;
pub mod bars;
mod direction;
pub mod display_name;
pub mod failure;
pub mod field_failures;
pub mod format;
pub mod group;
pub mod headers;
pub mod held;
pub mod list;
mod need;
pub mod notice;
pub mod pill;
pub mod place;
pub mod project;
pub mod prose;
mod push_line;
pub mod scope_choice;
pub mod scope_wording;
pub mod settings_tabs;
pub mod shell;
pub mod side;
pub mod timeline;
pub mod token_form;
pub mod tokens;
