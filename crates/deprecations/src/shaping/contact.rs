//! What the contacts of a runner say of it.

use api_conventions::time::Timestamp;
use chrono::Months;

/// How long a runner is online after a contact.
const ONLINE_SECONDS: i64 = 2 * 60 * 60;

/// After how many months without a contact a runner is stale.
const STALE_MONTHS: Months = Months::new(3);

/// When a runner was created, and when it made contact last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contact {
    /// When it was created.
    pub created_at: Timestamp,
    /// When it made contact last; `None` for never.
    pub contacted_at: Option<Timestamp>,
}

/// What the last contact of a runner says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ContactStatus {
    /// It made contact less than two hours ago.
    Online,
    /// It made contact two hours ago or earlier.
    Offline,
    /// It never made contact.
    NotConnected,
    /// It was created, and made its last contact if there was one, three months ago or earlier.
    Stale,
}

impl Contact {
    /// What it says at a time. A runner that is stale is nothing else. The specification has the words, in States and transitions,
    /// and no times; these are the ones that clients know.
    #[must_use]
    pub fn status(&self, now: Timestamp) -> ContactStatus {
        let latest = self.contacted_at.max(Some(self.created_at));
        let limit = now.to_chrono().checked_sub_months(STALE_MONTHS);
        let is_stale = |latest: Timestamp| limit.is_some_and(|limit| latest.to_chrono() <= limit);
        if latest.is_some_and(is_stale) {
            ContactStatus::Stale
        } else {
            self.status_of_three(now)
        }
    }

    /// The same without `stale`, which v5 does not have: a stale runner is offline, or not connected when it never made contact.
    #[must_use]
    pub fn status_of_three(&self, now: Timestamp) -> ContactStatus {
        match self.contacted_at {
            None => ContactStatus::NotConnected,
            Some(at) if at.plus_seconds(ONLINE_SECONDS) > now => ContactStatus::Online,
            Some(_) => ContactStatus::Offline,
        }
    }
}

impl ContactStatus {
    /// The word for it in the REST API. `not_connected` is the specification's; some clients know `never_contacted`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Online => "online",
            Self::Offline => "offline",
            Self::NotConnected => "not_connected",
            Self::Stale => "stale",
        }
    }
}
