//! External trackers: their addresses, and the formats of their web API.
//! The formats are parsed where we are the client, and written where a client takes us for a tracker. Sending requests,
//! timeouts and allowed addresses are up to the host.

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
pub use issue::{ExternalIssue, ExternalStatus, IssueProject, issues};
pub use link::{Cursors, link_header, offset_of};
pub use query::{QueryFault, read_query, write_query};
pub use tracker::{CursorPage, Tracker};
pub use transport::{Call, CallResponse, Transport};
