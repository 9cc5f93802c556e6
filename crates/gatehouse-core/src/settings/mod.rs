//! Settings provided by the host, which decides where they come from.

mod container_registry;
mod database;
mod mail;
mod security;
mod sign_in;
mod spam;
mod token_prefix;

pub use container_registry::ContainerRegistrySettings;
pub use database::{DatabaseSettings, DatabaseUrl, Pooler};
pub use mail::{MailLogin, MailSecurity, MailSettings};
pub use security::{SecretKey, SecuritySettings};
pub use sign_in::SignInRules;
pub use spam::{CaptchaSettings, OutsideService, SpamSettings};
pub use token_prefix::{TokenPrefix, TokenPrefixError};
