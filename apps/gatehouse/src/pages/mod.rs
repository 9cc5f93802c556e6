//! What people see in a browser: pages without scripts, made on the server.
//!
//! A page is a template and what it shows, together with a [`Shell`](shell::Shell): the frame that all pages have. Every
//! form comes in through [`Form`](crate::extract::form::Form), which reads nothing before it has seen that the form is
//! one of ours. What goes wrong is a [`PageFailure`](failure::PageFailure), which is a page, too.

pub mod answer;
pub mod assets;
pub mod code;
pub mod consent;
pub mod failure;
pub mod headers;
pub mod notice;
pub mod return_to;
pub mod shell;
pub mod texts;

use actix_web::web::ServiceConfig;

/// Mounts all pages.
pub fn configure(service: &mut ServiceConfig) {
    assets::configure(service);
}
