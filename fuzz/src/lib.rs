//! What must hold for every input, shared by the fuzz targets.
//!
//! A target feeds bytes to one reader and calls what is here; a broken promise is a panic, which the fuzzer records
//! with the input that caused it.

pub mod delivery;
pub mod oauth;
pub mod parameters;
pub mod tree;
