//! Use cases: one module each. None begins or commits a transaction; the caller owns it.

pub mod authenticate;
pub mod issue_token;
pub mod revoke_token;
