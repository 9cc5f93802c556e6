//! Properties that hold for every input, shared by the fuzz targets.
//!
//! A target passes bytes to one parser and calls these checks. A violation is a panic, which the fuzzer records with
//! the input that caused it.

pub mod delivery;
pub mod oauth;
pub mod parameters;
pub mod tree;
