//! Settings provided by the host, which decides where they come from.

mod database;
mod security;
mod sign_in;
mod spam;

pub use database::{DatabaseSettings, DatabaseUrl, Pooler};
pub use security::{SecretKey, SecuritySettings};
pub use sign_in::SignInRules;
pub use spam::{CaptchaSettings, OutsideService, SpamSettings};
