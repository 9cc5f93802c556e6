//! Operations as a host serves them.

mod document;
mod router;
mod support;
