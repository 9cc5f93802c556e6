//! Endpoints of the provider.
//! Its metadata lists their paths.

mod authorize;
mod described;
mod end_session;
mod introspect;
mod metadata;
mod revoke;
mod token;
mod token_info;
mod userinfo;

use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [
        token::operations(),
        authorize::operations(),
        end_session::operations(),
        introspect::operations(),
        token_info::operations(),
        userinfo::operations(),
        revoke::operations(),
        metadata::operations(),
    ]
    .concat()
}
