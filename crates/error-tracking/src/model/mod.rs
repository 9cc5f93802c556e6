//! The values of error tracking.

mod client_key;
mod counters;
mod delivery;
mod error;
mod event_id;
mod filter;
mod key;
mod level;
mod session_sum;
mod settings;
mod stored_event;

pub use client_key::{ClientKey, ClientKeyChange, NewClientKey};
pub use counters::{CounterKey, Outcome, OutcomeCounter};
pub use delivery::{ArrivingEvent, EventDelivery, StorageLimits, UserMark};
pub use error::{ErrorFacts, ErrorKey, ErrorState, TrackedError};
pub use event_id::EventId;
pub use filter::{ErrorFilter, ErrorOrder, StatusName};
pub use key::PublicKey;
pub use level::Level;
pub use session_sum::{SessionSum, SessionSumKey};
pub use settings::{ExternalTracker, Options, Settings};
pub use stored_event::{ErrorComment, ErrorEvent, ErrorEventSummary, StoredAttachment, TagCount};
