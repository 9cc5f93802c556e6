//! The OAuth 2.0 and OpenID Connect provider. The paths are those that its metadata tells.

pub mod authorize;
pub mod end_session;
pub mod introspect;
pub mod metadata;
pub mod revoke;
pub mod token;
pub mod token_info;
pub mod userinfo;

use actix_web::web::ServiceConfig;

/// Mounts all endpoints of the provider.
pub fn configure(service: &mut ServiceConfig) {
    token::configure(service);
    authorize::configure(service);
    end_session::configure(service);
    introspect::configure(service);
    token_info::configure(service);
    userinfo::configure(service);
    revoke::configure(service);
    metadata::configure(service);
}
