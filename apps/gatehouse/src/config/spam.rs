//! Section of the spam checks.

use std::path::PathBuf;
use std::sync::Arc;

use gatehouse_core::settings::{CaptchaSettings, OutsideService, SpamSettings};
use projects::rules::spam::SpamRules;
use url::Url;
use zeroize::Zeroizing;

use super::load::ConfigReader;

/// Largest file of patterns, in bytes.
const MAX_PATTERNS_BYTES: u64 = 1 << 20;
/// Upper bound of the permitted number of links.
const MAX_LINKS: usize = 100_000;
const SITE_KEY: &str = "spam.captcha_site_key";
const SECRET: &str = "spam.captcha_secret";

impl ConfigReader {
    pub(super) fn spam(&mut self) -> SpamSettings {
        SpamSettings {
            rules: self.spam_rules(),
            service: self.outside_service("spam.service_url", "spam.service_key"),
            captcha: self.captcha(),
        }
    }

    fn spam_rules(&mut self) -> SpamRules {
        const FILE: &str = "spam.patterns_file";
        let file = self.optional::<PathBuf>(FILE);
        let max_links = self.optional::<usize>("spam.max_links");
        if max_links.is_some_and(|most| most > MAX_LINKS) {
            self.fault("spam.max_links", &format!("must be at most {MAX_LINKS}"));
        }
        let patterns = file.map_or(Ok(String::new()), |file| read(&file));
        let rules = patterns.and_then(|patterns| {
            SpamRules::new(&patterns, max_links).map_err(|error| error.to_string())
        });
        rules.unwrap_or_else(|error| {
            self.fault(FILE, &error);
            SpamRules::default()
        })
    }

    fn captcha(&mut self) -> Option<CaptchaSettings> {
        let site_key = self.optional::<String>(SITE_KEY);
        let site_key = site_key.filter(|key| !key.is_empty());
        let provider = self.outside_service("spam.captcha_url", SECRET);
        match (site_key, provider) {
            (Some(site_key), Some(provider)) => Some(CaptchaSettings { provider, site_key }),
            (None, None) => None,
            (Some(_), None) => {
                self.fault(
                    SECRET,
                    "is missing; it is required with spam.captcha_site_key",
                );
                None
            }
            (None, Some(_)) => {
                self.fault(
                    SITE_KEY,
                    "is missing; it is required with spam.captcha_secret",
                );
                None
            }
        }
    }

    /// Reads the settings of a service, if its secret is set.
    fn outside_service(&mut self, address: &str, secret: &str) -> Option<OutsideService> {
        let text: String = self.value(address);
        let url = Url::parse(&text).ok();
        let url = url.filter(|url| {
            let is_web = matches!(url.scheme(), "http" | "https");
            is_web && url.query().is_none() && url.fragment().is_none()
        });
        if url.is_none() {
            let rule = "must be an address such as https://host.example/path";
            self.fault(address, rule);
        }
        let parse = |text: &str| Some(Zeroizing::new(text.to_owned()));
        let secret = self.secret(secret, parse, "must be text")?;
        let secret = Some(secret).filter(|secret| !secret.is_empty())?;
        Some(OutsideService {
            address: url?,
            secret: Arc::new(secret),
        })
    }
}

/// Reads a file of patterns.
fn read(file: &std::path::Path) -> Result<String, String> {
    let cannot = |error: std::io::Error| format!("cannot read {}: {error}", file.display());
    let bytes = std::fs::metadata(file).map_err(cannot)?.len();
    if bytes > MAX_PATTERNS_BYTES {
        return Err(format!(
            "must be a file of at most {MAX_PATTERNS_BYTES} bytes"
        ));
    }
    std::fs::read_to_string(file).map_err(cannot)
}
