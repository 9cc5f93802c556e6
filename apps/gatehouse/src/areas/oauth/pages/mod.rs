//! Pages of the provider: consent, a code to copy, sign-out.

pub(super) mod code;
pub(super) mod consent;
mod destination;
pub(super) mod end_session;
pub(super) mod form_post;
