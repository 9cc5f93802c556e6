//! `POST /oauth/token`, grant by grant.

mod clients;
mod code;
mod errors;
mod guessing;
mod password;
mod proof;
mod refresh;
mod reuse;
