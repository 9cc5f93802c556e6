//! Rows of users, of what they sign in with, of their tokens and of their sessions.

pub(super) mod audit;
pub(super) mod credentials;
pub(super) mod sessions;
pub(super) mod tokens;
pub(super) mod users;
