//! Pure rules: no store, no clock.

pub mod access;
