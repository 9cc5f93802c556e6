//! The configuration: one typed struct per section, read from a file, the environment and flags.
//!
//! Later sources override earlier ones: defaults, the file, `GATEHOUSE_*` variables, flags. Unknown keys are faults,
//! and all faults are reported together, unless the file cannot be parsed at all.

mod effective;
mod fault;
mod keys;
mod limits;
mod listen;
mod load;
mod log_filter;
mod mail;
mod oauth;
mod registry;
mod sections;
mod security;
mod setting_type;
mod sign_in;
mod sources;
mod spam;

pub use effective::{EffectiveValue, effective_values};
pub use fault::ConfigError;
pub use gatehouse_core::settings::{
    DatabaseSettings, DatabaseUrl, SecretKey, SecuritySettings, SignInRules,
};
pub use keys::{ConfigKey, KEYS};
pub use limits::{LimitSettings, RequestLimit, RequestQuota};
pub use listen::ListenAddress;
pub use load::load;
pub use mail::NotificationSettings;
pub use oauth::OAuthSettings;
pub use sections::{
    ApiSettings, AppSettings, CertificateFiles, ErrorSettings, EventsSettings, IntakeSettings,
    LogFormat, LogSettings, NamingSettings, PagingSettings, ProjectsSettings, ServerSettings,
};
pub use sign_in::SignInSettings;
pub use sources::Overrides;
