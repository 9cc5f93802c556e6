//! Applications, waiting requests, grants, pairs of tokens and signing keys.

mod applications;
mod grants;
mod keys;
#[cfg(feature = "postgres")]
mod postgres;
mod rows;
#[cfg(feature = "sqlite")]
mod sqlite;
mod tables;

#[cfg(test)]
pub(crate) use tables::described;
