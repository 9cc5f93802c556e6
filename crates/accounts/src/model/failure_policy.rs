//! Limits on failed attempts.

use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;

use super::Failures;

/// Number of failures that lock out until the end of a time window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct FailurePolicy {
    /// Number of failures that trigger the lockout.
    pub limit: i64,
    /// Length of the window, in seconds. It starts with the first failure.
    pub window_seconds: i64,
}

impl FailurePolicy {
    /// Creates a policy of `limit` failures within `window_seconds`.
    pub const fn new(limit: i64, window_seconds: i64) -> Self {
        Self {
            limit,
            window_seconds,
        }
    }

    /// Returns the seconds until the lockout ends, at least one; `None` if there is no lockout.
    pub fn lockout_seconds(&self, failures: Option<Failures>, now: Timestamp) -> Option<i64> {
        let failures = failures.filter(|failures| failures.count >= self.limit)?;
        self.seconds_left(failures, now)
    }

    /// Returns the same for an attempt that was counted before its verification: attempts up to the limit are let
    /// through. Counting is atomic in the store, so concurrent attempts get different counts.
    pub fn lockout_seconds_after(&self, counted: Failures, now: Timestamp) -> Option<i64> {
        if counted.count > self.limit {
            self.seconds_left(counted, now)
        } else {
            None
        }
    }

    fn seconds_left(&self, failures: Failures, now: Timestamp) -> Option<i64> {
        let opens_at = failures.since.plus_seconds(self.window_seconds);
        let micros = opens_at.as_micros().saturating_sub(now.as_micros());
        (micros > 0).then(|| micros.div_euclid(1_000_000) + 1)
    }
}

/// Subject that failures are counted for. The store gets only its digest as the key, so it never sees the names that
/// were typed or the addresses of clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKey<'a> {
    /// An account, by user id, whichever of its logins was typed.
    Account(i64),
    /// A login as typed, ignoring case, that belongs to no account.
    Login(&'a str),
    /// The address of a client.
    Address(&'a str),
    /// An OAuth application that a client at an address claims to be, whether or not the application exists. Counts per
    /// application and address, so that a client at another address cannot lock the application out.
    Application {
        /// `client_id` of the application.
        client_id: &'a str,
        /// Address of the client.
        address: &'a str,
    },
    /// The address of a client that claims to be any application. Counted separately from users who sign in at that
    /// address.
    ApplicationAddress(&'a str),
    /// The address of a program that sends a token as a password, such as Git.
    TokenAddress(&'a str),
    /// The address of a browser that opens links of invitations.
    InvitationAddress(&'a str),
    /// The second factor of a user, by user id.
    SecondFactor(i64),
}

impl FailureKey<'_> {
    /// Returns the key in the store.
    pub fn digest(&self) -> SecretDigest {
        SecretDigest::of(&match self {
            Self::Account(user) => format!("account {user}"),
            Self::Login(login) => format!("login {}", login.trim().to_lowercase()),
            Self::Address(address) => format!("address {address}"),
            // Only the address cannot contain a blank, so no two keys produce the same text.
            Self::Application { client_id, address } => {
                format!("application {address} {client_id}")
            }
            Self::ApplicationAddress(address) => format!("applications {address}"),
            Self::TokenAddress(address) => format!("tokens {address}"),
            Self::InvitationAddress(address) => format!("invitations {address}"),
            Self::SecondFactor(user) => format!("second factor {user}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lockout_starts_at_the_limit_and_ends_with_the_window() {
        let at = |seconds: i64| Timestamp::from_micros(seconds * 1_000_000).unwrap();
        let policy = FailurePolicy {
            limit: 3,
            window_seconds: 60,
        };
        let failures = |count| {
            Some(Failures {
                count,
                since: at(100),
            })
        };
        assert_eq!(policy.lockout_seconds(None, at(100)), None);
        assert_eq!(policy.lockout_seconds(failures(2), at(100)), None);
        assert_eq!(policy.lockout_seconds(failures(3), at(130)), Some(31));
        assert_eq!(policy.lockout_seconds(failures(3), at(160)), None);
        let counted = |count| policy.lockout_seconds_after(failures(count).unwrap(), at(130));
        assert_eq!((counted(3), counted(4)), (None, Some(31)));
    }

    #[test]
    fn a_login_is_one_key_in_any_case_and_no_key_of_another_kind() {
        assert_eq!(
            FailureKey::Login("Ann").digest(),
            FailureKey::Login(" ann").digest()
        );
        assert_ne!(
            FailureKey::Login("ann").digest(),
            FailureKey::Address("ann").digest()
        );
        assert_ne!(
            FailureKey::Login("7").digest(),
            FailureKey::SecondFactor(7).digest()
        );
        assert_ne!(
            FailureKey::Login("7").digest(),
            FailureKey::Account(7).digest()
        );
    }

    #[test]
    fn an_application_is_another_key_at_another_address() {
        let key = |client_id, address| FailureKey::Application { client_id, address }.digest();
        assert_eq!(key("app", "192.0.2.1"), key("app", "192.0.2.1"));
        assert_ne!(key("app", "192.0.2.1"), key("app", "192.0.2.2"));
        assert_ne!(key("app", "192.0.2.1"), key("App", "192.0.2.1"));
        assert_ne!(
            key("", "192.0.2.1"),
            FailureKey::ApplicationAddress("192.0.2.1").digest()
        );
        assert_ne!(
            FailureKey::Address("192.0.2.1").digest(),
            FailureKey::ApplicationAddress("192.0.2.1").digest()
        );
    }
}
