//! Sections of notifications and of the mail server.

use std::sync::Arc;

use gatehouse_core::notifying::MailTransport;
use gatehouse_core::settings::{MailLogin, MailSecurity, MailSettings};
use web_conventions::networks::Networks;
use zeroize::Zeroizing;

use super::load::ConfigReader;

const HOST: &str = "mail.host";
const FROM: &str = "mail.from";
const SECURITY: &str = "mail.security";

/// Notifications.
#[derive(Debug, Clone, Default)]
pub struct NotificationSettings {
    /// Private addresses and networks in which receivers are allowed.
    pub allowed_networks: Networks,
    /// Server that accepts outgoing mail; `None` if there is none.
    pub mail: Option<MailSettings>,
}

impl ConfigReader {
    pub(super) fn notifications(&mut self) -> NotificationSettings {
        NotificationSettings {
            allowed_networks: self.networks("notifications.allowed_networks"),
            mail: self.mail(),
        }
    }

    fn mail(&mut self) -> Option<MailSettings> {
        let host: String = self.value(HOST);
        let from: String = self.value(FROM);
        let text: String = self.value(SECURITY);
        let security = MailSecurity::parse(&text).unwrap_or_else(|| {
            self.fault(SECURITY, "must be starttls, tls or none");
            MailSecurity::Starttls
        });
        let port = self.bounded("mail.port", 1, usize::from(u16::MAX));
        let username: String = self.value("mail.username");
        let password = self.secret(
            "mail.password",
            |text| Some(Arc::new(Zeroizing::new(text.to_owned()))),
            "must be a text",
        );
        if username.is_empty() && password.is_some() {
            let text = "is missing; it is required with mail.password";
            self.fault("mail.username", text);
        }
        let settings = MailSettings {
            port: u16::try_from(port).unwrap_or_default(),
            security,
            allow_plaintext: self.value("mail.allow_plaintext"),
            login: password
                .filter(|_| !username.is_empty())
                .map(|password| MailLogin { username, password }),
            ..MailSettings::new(&host, &from)
        };
        if host.is_empty() {
            return None;
        }
        // The error names the key.
        if let Err(error) = MailTransport::new(&settings) {
            let text = error.to_string();
            let (key, rule) = text.split_once(' ').unwrap_or((HOST, &text));
            self.fault(key, rule);
        }
        Some(settings)
    }
}
