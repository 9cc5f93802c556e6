//! Rows of users, their credentials, access tokens and sessions.

pub(super) mod audit;
pub(super) mod credentials;
pub(super) mod deploy_tokens;
pub(super) mod invitations;
pub(super) mod sessions;
pub(super) mod tokens;
pub(super) mod users;
