//! What is taken for spam, and what lets it through nevertheless.

use std::sync::Arc;

use projects::rules::spam::SpamRules;
use url::Url;
use zeroize::Zeroizing;

/// How texts are judged before everybody reads them.
#[derive(Debug, Clone, Default)]
pub struct SpamSettings {
    /// The operator's rules.
    pub rules: SpamRules,
    /// A service that judges texts, asked where the rules find nothing.
    pub service: Option<OutsideService>,
    /// CAPTCHAs, which let through what looks like spam once a person has solved one.
    pub captcha: Option<CaptchaSettings>,
}

/// A service of others, and the secret that it knows this server by.
#[derive(Clone)]
pub struct OutsideService {
    /// Its address, below which its operations are.
    pub address: Url,
    /// The secret.
    pub secret: Arc<Zeroizing<String>>,
}

impl std::fmt::Debug for OutsideService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut service = f.debug_struct("OutsideService");
        service.field("address", &self.address.as_str());
        service.finish_non_exhaustive()
    }
}

/// A provider of CAPTCHAs that speaks as reCAPTCHA does in version 2.
#[derive(Debug, Clone)]
pub struct CaptchaSettings {
    /// Where solutions are verified.
    pub provider: OutsideService,
    /// The key that the widget is shown with. Everybody may know it.
    pub site_key: String,
}
