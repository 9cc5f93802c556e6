//! What people see in a browser: pages without scripts, made on the server.
//!
//! A page is a template and what it shows, together with a [`Shell`](shell::Shell): the frame that all pages have. Every
//! form comes in through [`Form`](crate::extract::form::Form), which reads nothing before it has seen that the form is
//! one of ours. What goes wrong is a [`PageFailure`](failure::PageFailure), which is a page, too.

pub mod access;
pub mod answer;
pub mod applications;
pub mod assets;
pub mod authorized_applications;
pub mod code;
pub mod consent;
mod continuation;
mod destination;
pub mod end_session;
pub mod failure;
pub mod format;
pub mod headers;
pub mod home;
pub mod notice;
mod password_check;
pub mod profile;
pub mod reauthentication;
pub mod return_to;
pub mod second_factor;
pub mod sessions;
pub mod shell;
pub mod shown_name;
pub mod sign_in;
pub mod two_factor;
pub mod web_url;

use actix_web::web::ServiceConfig;

/// Mounts all pages.
pub fn configure(service: &mut ServiceConfig) {
    assets::configure(service);
    home::configure(service);
    sign_in::configure(service);
    second_factor::configure(service);
    profile::configure(service);
    sessions::configure(service);
    two_factor::configure(service);
    applications::configure(service);
    authorized_applications::configure(service);
}
