//! Pages in a browser.

mod applications;
mod authorizations;
mod below_a_path;
mod errors;
mod frame;
mod groups;
mod issues;
mod lockout;
mod profile;
mod projects;
pub(crate) mod second_factor;
mod sessions;
mod sign_in;
mod stale_sign_in;
mod tls;
mod tokens;
mod users;
mod web_url;
