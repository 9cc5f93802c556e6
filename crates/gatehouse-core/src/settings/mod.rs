//! Settings of what a host configures. Where they come from is the host's matter.

mod database;
mod security;
mod sign_in;
mod spam;

pub use database::{DatabaseSettings, DatabaseUrl, Pooler};
pub use security::{SecretKey, SecuritySettings};
pub use sign_in::SignInRules;
pub use spam::{CaptchaSettings, OutsideService, SpamSettings};
