//! Pages in a browser.

mod admin_tokens;
mod admin_users;
mod applications;
mod attention;
mod audit_events;
mod authorizations;
mod below_a_path;
mod deploy_tokens;
mod errors;
mod frame;
mod groups;
mod home;
mod invitations;
mod issues;
mod lockout;
mod profile;
pub(crate) mod projects;
mod runners;
pub(crate) mod second_factor;
mod sessions;
mod sign_in;
mod snippets;
mod stale_sign_in;
mod tls;
pub(crate) mod tokens;
mod users;
mod web_url;
