//! Applications, waiting requests, grants, pairs of tokens and signing keys.

mod applications;
mod grants;
mod keys;
