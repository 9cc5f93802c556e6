//! Users, what they sign in with, their tokens and their sessions.

mod audit;
mod credentials;
mod limits;
mod lists;
#[cfg(feature = "postgres")]
mod postgres;
mod rows;
mod sessions;
#[cfg(feature = "sqlite")]
mod sqlite;
mod tables;
mod users;

#[cfg(test)]
pub(crate) use tables::described;
