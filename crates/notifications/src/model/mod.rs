//! Channels, messages and attempts; on-call schedules.

mod attempt;
mod channel;
mod hook;
mod local_time;
mod message;
mod on_call;
mod quiet;
mod settings;

pub use attempt::{AttemptOutcome, AttemptReport, DeliveryAttempt};
pub use channel::{
    Channel, ChannelKind, ChannelLane, ChannelOwner, DueChannel, NewChannel, SealedSecret,
};
pub use hook::{HookBody, HookEvent, HookTriggers};
pub use local_time::LocalTime;
pub(crate) use local_time::{Pick, local_date};
pub use message::{
    MessageContent, MessageEvent, MessageFilter, MessageScope, MessageSeverity, MessageState,
    MessageSubject, MessageSubjectKind, NewMessage, OutboxMessage, shortened,
};
pub use on_call::{
    NewOverride, NewSchedule, OnCallSchedule, OnCallShift, OverrideError, ScheduleOverride,
    ScheduleSettings, ScheduleSettingsError,
};
pub use quiet::QuietHours;
pub use settings::{ChannelSettings, ChannelSettingsError};
