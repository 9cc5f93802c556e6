//! Settings of the spam check, and of the CAPTCHAs that let held content through.

use std::sync::Arc;

use projects::rules::spam::SpamRules;
use url::Url;
use zeroize::Zeroizing;

/// Settings of the spam check, which content must pass before it is published.
#[derive(Debug, Clone, Default)]
pub struct SpamSettings {
    /// The operator's rules.
    pub rules: SpamRules,
    /// External service that checks texts, called if no rule matches.
    pub service: Option<OutsideService>,
    /// CAPTCHA provider. Content that looks like spam passes once a user has solved a CAPTCHA.
    pub captcha: Option<CaptchaSettings>,
}

/// An external service, with the secret that authenticates this server.
#[derive(Clone)]
pub struct OutsideService {
    /// Base URL of its operations.
    pub address: Url,
    /// The shared secret.
    pub secret: Arc<Zeroizing<String>>,
}

impl std::fmt::Debug for OutsideService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut service = f.debug_struct("OutsideService");
        service.field("address", &self.address.as_str());
        service.finish_non_exhaustive()
    }
}

/// A CAPTCHA provider with the API of reCAPTCHA version 2.
#[derive(Debug, Clone)]
pub struct CaptchaSettings {
    /// Service that verifies solutions.
    pub provider: OutsideService,
    /// Public key for the widget.
    pub site_key: String,
}
