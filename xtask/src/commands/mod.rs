//! The commands, a module each.

pub(crate) mod bench;
pub(crate) mod book;
pub(crate) mod ci;
pub(crate) mod dist;
pub(crate) mod layers;
pub(crate) mod mutants;
pub(crate) mod public_api;
pub(crate) mod spec;
pub(crate) mod test;
pub(crate) mod tidy;
