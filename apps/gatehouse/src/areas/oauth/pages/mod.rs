//! The pages of the provider: consent, the code to copy, signing out.

pub(super) mod code;
pub(super) mod consent;
mod destination;
pub(super) mod end_session;
pub(super) mod form_post;
