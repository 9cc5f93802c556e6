//! Logic of the provider's endpoints: from a parsed request to a response.

pub mod authorization;
pub mod bearer;
pub mod clients;
pub mod code;
pub mod end_session;
pub mod introspection;
pub mod issue;
pub mod password;
pub mod refresh;
pub mod revocation;
pub mod subject;
