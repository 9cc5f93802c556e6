//! The configuration: one typed struct per section, read from a file, the environment and flags.
//!
//! Later sources win: defaults, then the file, then `GATEHOUSE_*` variables, then flags. Unknown keys are faults,
//! and all faults are told together.

mod keys;
mod load;
mod sections;

pub use keys::{KEYS, Key};
pub use load::{ConfigError, Overrides, load};
pub use sections::{
    DatabaseSettings, DatabaseUrl, IntakeSettings, LogFormat, LogSettings, NamingSettings,
    PagingSettings, ServerSettings, Settings,
};
