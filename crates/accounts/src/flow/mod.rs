//! Use cases, one module each. None of them begins or commits a transaction; the caller owns it.

pub mod authenticate;
pub mod change_password;
pub mod check_password;
pub mod deploy_tokens;
pub mod find_user;
pub mod guess;
pub mod invitations;
pub mod issue_token;
mod limit_audit;
pub mod revoke_token;
pub mod rotate_token;
pub mod second_factor;
pub mod sessions;
pub mod set_user_state;
pub mod sign_in;
pub mod token_access;
mod token_audit;
pub mod token_reuse;
pub mod update_user;
