//! Users, their credentials, access tokens and sessions.

mod audit;
mod audit_list;
mod credentials;
mod deploy_tokens;
mod invitations;
mod limits;
mod lists;
#[cfg(feature = "postgres")]
mod postgres;
mod rows;
mod sessions;
#[cfg(feature = "sqlite")]
mod sqlite;
mod statuses;
mod tables;
mod token_list;
mod users;

#[cfg(test)]
pub(crate) use tables::described;
