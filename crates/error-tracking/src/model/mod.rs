//! The values of error tracking.

mod client_key;
mod delivery;
mod error;
mod event_id;
mod filter;
mod key;
mod level;
mod session_sum;
mod settings;
mod stored_event;
mod tally;

pub use client_key::{ClientKey, ClientKeyChange, NewClientKey};
pub use delivery::{ArrivingEvent, Delivery, StorageLimits, UserMark};
pub use error::{ErrorFacts, ErrorKey, ErrorState, TrackedError};
pub use event_id::EventId;
pub use filter::{ErrorFilter, ErrorOrder, StatusName};
pub use key::PublicKey;
pub use level::Level;
pub use session_sum::{SessionSum, SessionSumOf};
pub use settings::{ExternalTracker, Options, Settings};
pub use stored_event::{ErrorComment, ErrorEvent, ErrorEventSummary, StoredAttachment, TagCount};
pub use tally::{Outcome, Tally, TallyOf};
