//! Nothing: what counts is what the manifest depends on.
