//! `GET /oauth/authorize`: redirects, their targets, and their contents.

mod address;
mod challenge;
mod loopback;
mod parameters;
mod posted;
mod response;
mod sign_in;

pub(super) use sign_in::sign_in_at;
