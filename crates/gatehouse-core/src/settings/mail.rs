//! Settings of the server that accepts outgoing mail.

use std::fmt;
use std::sync::Arc;

use zeroize::Zeroizing;

/// Settings of the server that accepts outgoing mail, checked by
/// [`MailTransport::new`](crate::notifying::MailTransport::new).
#[derive(Debug, Clone)]
pub struct MailSettings {
    /// Host name or IP address of the server. TLS certificates must be for this name.
    pub host: String,
    /// Port of the server; [`MailSecurity::default_port`] is the usual one.
    pub port: u16,
    /// Encryption of the connection.
    pub security: MailSecurity,
    /// True if [`MailSecurity::None`] is accepted for a server on another machine.
    pub allow_plaintext: bool,
    /// Login, if the server demands one.
    pub login: Option<MailLogin>,
    /// Sender of all mail: an address, or a name with an address, such as `Gatehouse <gatehouse@example.com>`.
    pub from: String,
}

impl MailSettings {
    /// Creates the settings for a server that takes mail from this sender with STARTTLS and without login.
    ///
    /// A host changes single fields with `..MailSettings::new(host, from)`, so that it still compiles when a field is
    /// added.
    pub fn new(host: &str, from: &str) -> Self {
        let security = MailSecurity::Starttls;
        Self {
            host: host.to_owned(),
            port: security.default_port(),
            security,
            allow_plaintext: false,
            login: None,
            from: from.to_owned(),
        }
    }
}

/// Encryption of the connection to a mail server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailSecurity {
    /// STARTTLS (RFC 3207). A server that does not offer it gets no mail and no password.
    Starttls,
    /// TLS from the first byte (RFC 8314).
    Tls,
    /// No encryption.
    None,
}

impl MailSecurity {
    /// Parses `starttls`, `tls` or `none`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "starttls" => Some(Self::Starttls),
            "tls" => Some(Self::Tls),
            "none" => Some(Self::None),
            _ => None,
        }
    }

    /// Returns the text that [`Self::parse`] accepts.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Starttls => "starttls",
            Self::Tls => "tls",
            Self::None => "none",
        }
    }

    /// Returns the usual port: 587, 465 or 25.
    pub const fn default_port(self) -> u16 {
        match self {
            Self::Starttls => 587,
            Self::Tls => 465,
            Self::None => 25,
        }
    }
}

/// Login at a mail server.
#[derive(Clone)]
pub struct MailLogin {
    /// User name.
    pub username: String,
    /// Password.
    pub password: Arc<Zeroizing<String>>,
}

impl fmt::Debug for MailLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut login = f.debug_struct("MailLogin");
        login.field("username", &self.username);
        login.finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_settings_hide_the_password() {
        let settings = MailSettings {
            login: Some(MailLogin {
                username: "gatehouse".to_owned(),
                password: Arc::new(Zeroizing::new("s3cret".to_owned())),
            }),
            ..MailSettings::new("mail.example.com", "gatehouse@example.com")
        };
        let printed = format!("{settings:?}");
        assert!(!printed.contains("s3cret"), "{printed}");
        assert!(printed.contains("mail.example.com"), "{printed}");
    }

    #[test]
    fn security_is_parsed_from_its_text() {
        for security in [
            MailSecurity::Starttls,
            MailSecurity::Tls,
            MailSecurity::None,
        ] {
            assert_eq!(MailSecurity::parse(security.as_str()), Some(security));
        }
        assert_eq!(MailSecurity::parse("opportunistic"), None);
    }
}
