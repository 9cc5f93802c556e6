//! Grants, their pairs of tokens, and the authorization requests that precede them.
//!
//! A transaction that changes several rows of a family locks its grant first and its pairs afterwards, so that a
//! rotation and the revocation of the grant never wait for each other. Waiting requests are locked before grants.

mod queries;
mod repository;
