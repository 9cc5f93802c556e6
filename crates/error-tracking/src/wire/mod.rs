//! The JSON of responses.

mod errors;
mod events;
mod monitors;
mod settings;
mod stats;

pub use errors::{ErrorDetailJson, ErrorJson, GroupingJson, TagJson};
pub use events::{AttachmentJson, CommentJson, EventDetailJson, EventErrorJson, EventJson};
pub use monitors::{MonitorConfigJson, MonitorJson, MonitorScheduleJson};
pub use settings::{ClientKeyJson, OptionsJson, SettingsJson, dsn_of, dsn_with};
pub use stats::{CounterJson, ReleaseHealthJson};
