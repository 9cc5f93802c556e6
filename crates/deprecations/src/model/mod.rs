//! Announcements, their milestones, and the parts of the API they touch.

pub mod calendar;
mod endpoint;
mod milestone;
mod record;
mod touch;

pub use api_conventions::release::{API_VERSION, Edition};

pub use self::calendar::{Calendar, Monthly};
pub use self::endpoint::{Endpoint, NoEndpoint};
pub use self::milestone::{Milestone, NoMilestone};
pub(crate) use self::record::Dates;
pub use self::record::{Enforcement, Life, Record, RecordStatus, SubjectKind};
pub use self::touch::{Effect, Pairing, Site, Touch, is_sent_as};
