//! `GET /oauth/authorize`: who may be answered, where, and what.

mod address;
mod challenge;
mod loopback;
mod parameters;
mod posted;
mod response;
mod sign_in;

pub(super) use sign_in::sign_in_at;
