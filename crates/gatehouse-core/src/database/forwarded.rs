//! Records through the transaction that [records](super::recording) what is taken away.

use projects::{LabelContent, MilestoneContent};
use records::Content;

#[cfg(test)]
use super::ReadTransaction;
use super::WriteTransaction;
#[cfg(test)]
use super::recording::Looking;
use super::recording::Recording;

/// A kind of record whose changes end nothing that authentication remembers: no token, session or account. A kind that is not
/// here cannot be written.
trait EndsNothing: Content {}

impl EndsNothing for LabelContent {}
impl EndsNothing for MilestoneContent {}

records::forward_queries!(Recording over WriteTransaction by inner);
records::forward_changes!(Recording over WriteTransaction by inner, of EndsNothing);
#[cfg(test)]
records::forward_queries!(Looking over ReadTransaction by inner);
