//! Section of the OAuth 2.0 and OpenID Connect provider.

use oauth_provider::{Policy, SigningAlgorithm};

use super::load::ConfigReader;

/// Seconds per day.
const DAY: i64 = 86_400;

/// Settings of the OAuth 2.0 and OpenID Connect provider.
#[derive(Debug, Clone)]
pub struct OAuthSettings {
    /// Scopes of this platform, lifetimes, and the strictness of validation.
    pub policy: Policy,
    /// True if a username and password can be exchanged for a token.
    pub password_grant: bool,
    /// True if plain `http` redirect URIs on other hosts may be registered (`OAUTH-13`).
    pub allow_insecure_redirects: bool,
    /// Algorithm that signs ID tokens.
    pub signing_algorithm: SigningAlgorithm,
    /// Seconds after which the signing key is rotated.
    pub signing_key_seconds: i64,
}

impl ConfigReader {
    pub(super) fn oauth(&mut self) -> OAuthSettings {
        OAuthSettings {
            policy: self.policy(),
            password_grant: self.value("oauth.password_grant"),
            allow_insecure_redirects: self.value("oauth.allow_insecure_redirects"),
            signing_algorithm: self.signing_algorithm(),
            signing_key_seconds: self.number("oauth.signing_key_days", 1, 3650) * DAY,
        }
    }

    fn policy(&mut self) -> Policy {
        let mut policy = Policy::new(gatehouse_core::scopes::registry());
        policy.access_seconds = self.number("oauth.access_token_seconds", 60, 86_400);
        policy.max_access_seconds = self.longest("oauth.max_access_token_seconds");
        policy.max_id_token_seconds = self.longest("oauth.max_id_token_seconds");
        policy.code_seconds = self.number("oauth.code_seconds", 10, 600);
        policy.consent_seconds = self.number("oauth.consent_seconds", 60, 3600);
        policy.refresh_idle_seconds = self.number("oauth.refresh_idle_days", 1, 3650) * DAY;
        policy.grant_seconds = self.number("oauth.grant_days", 1, 3650) * DAY;
        policy.repeat_seconds = self.number("oauth.refresh_repeat_seconds", 0, 60);
        policy.public_clients_need_pkce = self.value("oauth.public_clients_need_pkce");
        policy
    }

    fn signing_algorithm(&mut self) -> SigningAlgorithm {
        let word: String = self.value("oauth.signing_algorithm");
        SigningAlgorithm::parse(&word).unwrap_or_else(|| {
            self.fault("oauth.signing_algorithm", "must be RS256, ES256 or EdDSA");
            SigningAlgorithm::Rs256
        })
    }

    /// Longest lifetime that an application may choose: at most a year.
    fn longest(&mut self, key: &str) -> u32 {
        let most = 366 * 86_400;
        u32::try_from(self.bounded(key, 60, most)).unwrap_or_default()
    }

    fn number(&mut self, key: &str, least: usize, most: usize) -> i64 {
        i64::try_from(self.bounded(key, least, most)).unwrap_or_default()
    }
}
