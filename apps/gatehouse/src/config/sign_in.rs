//! Sign-in sections: session lifetimes, limits on failed attempts, password hashing, and trusted proxies.

use accounts::flow::check_password::PasswordPolicy;
use accounts::{FailurePolicy, SessionLifetime};

use gatehouse_core::settings::SignInRules;

use super::load::ConfigReader;
use web_conventions::networks::Networks;

/// Seconds per day.
const DAY: i64 = 86_400;

/// Sign-in settings.
#[derive(Debug, Clone)]
pub struct SignInSettings {
    /// Session lifetimes, and limits on wrong passwords.
    pub rules: SignInRules,
    /// Passwords hashed at the same time; `None` for one per core.
    pub hashing: Option<usize>,
    /// Passwords that may wait to be hashed.
    pub waiting: usize,
    /// True if impersonation tokens are accepted (`AUTH-04`).
    pub accepts_impersonation: bool,
    /// Proxies trusted to report the address of a client.
    pub trusted_proxies: Networks,
}

impl ConfigReader {
    pub(super) fn sign_in(&mut self) -> SignInSettings {
        let window_seconds = self.count("sign_in.failure_window_minutes", 1, 1440) * 60;
        let mut failures = |key| FailurePolicy::new(self.count(key, 1, 1_000_000), window_seconds);
        let policy = PasswordPolicy::new(
            failures("sign_in.max_failures"),
            failures("sign_in.max_failures_per_address"),
        );
        SignInSettings {
            rules: SignInRules {
                lifetime: self.lifetime(),
                policy,
            },
            hashing: Some(self.bounded("passwords.concurrency", 0, 256)).filter(|most| *most > 0),
            waiting: self.bounded("passwords.queue", 0, 100_000),
            accepts_impersonation: self.value("tokens.impersonation_enabled"),
            trusted_proxies: self.networks("server.trusted_proxies"),
        }
    }

    fn lifetime(&mut self) -> SessionLifetime {
        SessionLifetime::new(
            self.count("sessions.idle_days", 1, 3650) * DAY,
            self.count("sessions.absolute_days", 1, 3650) * DAY,
            self.count("sessions.second_factor_minutes", 1, 60) * 60,
        )
    }

    pub(super) fn networks(&mut self, key: &str) -> Networks {
        let text: String = self.value(key);
        Networks::parse(&text).unwrap_or_else(|| {
            self.fault(
                key,
                "must be addresses or networks such as 10.0.0.0/8, separated by commas",
            );
            Networks::default()
        })
    }

    pub(super) fn count(&mut self, key: &str, least: usize, most: usize) -> i64 {
        i64::try_from(self.bounded(key, least, most)).unwrap_or_default()
    }
}
