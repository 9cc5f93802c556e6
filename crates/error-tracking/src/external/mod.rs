//! An external tracker: its addresses, and the shapes of its web API. They are read here where we are its client, and written where
//! somebody takes us for one. Who asks, how long it waits and which addresses it may reach is the host's.

mod address;
mod entries;
mod failure;
mod issue;
mod link;
mod own;
mod query;
mod tracker;
mod transport;

pub use address::{ApiUrl, ApiUrlError, ExternalProject, TrackerRoot};
pub use entries::{latest_event, read_event};
pub use failure::{ExternalFailure, MAX_ANSWER};
pub use issue::{ExternalIssue, ExternalStatus, issues};
pub use link::{Cursors, link_header, offset_of};
pub use query::{QueryFault, read_query, write_query};
pub use tracker::{Stretch, Tracker};
pub use transport::{Call, CallAnswer, Transport};
