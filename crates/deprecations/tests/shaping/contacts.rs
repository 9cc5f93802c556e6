//! Runners that tests speak of, by their contacts.

use api_conventions::time::Timestamp;
use deprecations::shaping::Contact;

/// The time at which tests look at runners.
pub(crate) const NOW: &str = "2023-05-31T12:00:00Z";

pub(crate) fn time(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}

/// A runner that was created at one time and made contact at another; `-` is never.
pub(crate) fn contact(created_at: &str, contacted_at: &str) -> Contact {
    Contact {
        created_at: time(created_at),
        contacted_at: (contacted_at != "-").then(|| time(contacted_at)),
    }
}

pub(crate) fn online() -> Contact {
    contact("2022-01-01T00:00:00Z", "2023-05-31T11:00:00Z")
}

pub(crate) fn offline() -> Contact {
    contact("2022-01-01T00:00:00Z", "2023-05-30T11:00:00Z")
}

pub(crate) fn not_connected() -> Contact {
    contact("2023-05-01T00:00:00Z", "-")
}

pub(crate) fn stale() -> Contact {
    contact("2022-01-01T00:00:00Z", "2022-02-01T00:00:00Z")
}

pub(crate) fn stale_and_not_connected() -> Contact {
    contact("2022-01-01T00:00:00Z", "-")
}
