//! Use cases of accounts on the reference adapter: authentication, expiry and revocation.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper that fails ends the test that called it"
)]

mod authenticate;
mod change_password;
mod check_password;
mod deploy_tokens;
mod guess;
mod issue_token;
mod passwords;
mod revoke_token;
mod rotate_token;
mod second_factor;
mod sessions;
mod set_user_state;
mod sign_in;
mod support;
mod token_access;
mod update_user;
mod users;
