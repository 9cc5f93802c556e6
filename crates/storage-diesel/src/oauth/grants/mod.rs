//! Grants, their pairs of tokens, and the requests that come before them.
//!
//! Anyone who changes several rows of a family locks its grant first and its pairs afterwards, so that a rotation and
//! the end of the grant never wait for each other. Waiting requests are locked before grants.

mod queries;
mod repository;
