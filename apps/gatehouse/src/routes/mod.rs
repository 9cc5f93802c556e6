//! The URL tree. Each area has its own `configure`, so that a host can mount only what it wants.

pub mod alerts;
pub mod applications;
pub mod health;
pub mod intake;
pub mod oauth;
pub mod project_events;
mod project_filter;
pub mod projects;
pub mod tokens;
pub mod user;
pub mod version;

use actix_web::web::ServiceConfig;

/// Mounts all areas at their places.
pub fn configure(service: &mut ServiceConfig) {
    // Routes are tried in this order. Nothing is called as often as intake; paths without parameters, as all of the
    // provider's are, cost those behind them next to nothing.
    intake::configure(service);
    health::configure(service);
    version::configure(service);
    user::configure(service);
    oauth::configure(service);
    tokens::configure(service);
    projects::configure(service);
    project_events::configure(service);
    alerts::configure(service);
    applications::configure(service);
    crate::pages::configure(service);
}
