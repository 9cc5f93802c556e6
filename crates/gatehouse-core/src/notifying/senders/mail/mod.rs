//! Sender over SMTP.

mod dialog;
mod failure;
mod message;

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr as _;
use std::time::{Duration, Instant};

use lettre::Address;
use lettre::message::Mailbox;
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::TlsParameters;
use lettre::transport::smtp::extension::ClientId;
use notifications::flow::MessageDelivery;
use notifications::formats::MessageText;
use notifications::model::{AttemptOutcome, AttemptReport};

use self::dialog::{Acceptance, Dialog};
use super::readable::readable;
use super::report;
use crate::settings::{MailSecurity, MailSettings};

/// Reason to refuse the settings of mail.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MailSettingsError {
    /// The host is blank.
    #[error("mail.host is empty; set it to the name of the mail server")]
    Host,
    /// The sender is not an address.
    #[error("mail.from must be an address, such as Gatehouse <gatehouse@example.com>")]
    From,
    /// The connection to another machine would be readable for all between.
    #[error(
        "mail.security is none, but mail.host is another machine; set mail.security to starttls or tls, or set mail.allow_plaintext"
    )]
    Plaintext,
    /// TLS cannot be set up, for example because the machine has no trusted certificates.
    #[error("TLS to the mail server cannot be set up: {0}")]
    Tls(String),
}

/// Connection data of the server that accepts outgoing mail. A connection is opened for each message.
pub struct MailTransport {
    host: String,
    port: u16,
    encryption: Encryption,
    credentials: Option<Credentials>,
    from: Mailbox,
    hello: ClientId,
}

/// Encryption of a connection, ready for use.
enum Encryption {
    Starttls(TlsParameters),
    Tls(TlsParameters),
    None,
}

impl MailTransport {
    /// Creates the transport, without a connection.
    ///
    /// # Errors
    /// See [`MailSettingsError`].
    pub fn new(settings: &MailSettings) -> Result<Self, MailSettingsError> {
        let host = settings.host.trim();
        // The address of an IPv6 host is in brackets only where a port follows.
        let host = host.strip_prefix('[').unwrap_or(host);
        let host = host.strip_suffix(']').unwrap_or(host);
        if host.is_empty() {
            return Err(MailSettingsError::Host);
        }
        let from = Mailbox::from_str(settings.from.trim()).map_err(|_| MailSettingsError::From)?;
        let tls = || {
            TlsParameters::new(host.to_owned())
                .map_err(|error| MailSettingsError::Tls(error.to_string()))
        };
        let encryption = match settings.security {
            MailSecurity::Starttls => Encryption::Starttls(tls()?),
            MailSecurity::Tls => Encryption::Tls(tls()?),
            MailSecurity::None if settings.allow_plaintext || is_loopback(host) => Encryption::None,
            MailSecurity::None => return Err(MailSettingsError::Plaintext),
        };
        let login = settings.login.as_ref();
        Ok(Self {
            host: host.to_owned(),
            port: settings.port,
            encryption,
            credentials: login.map(|login| {
                Credentials::new(login.username.clone(), login.password.as_str().to_owned())
            }),
            // Mail servers want the name of a host, and the sender's domain is one that is known to be right.
            hello: ClientId::Domain(from.email.domain().to_owned()),
            from,
        })
    }

    /// Sends one message to all addresses of a channel, and reports the outcome.
    ///
    /// The message counts as delivered if the server accepts it for one address or more: the others must not lose an
    /// alert because one of them left the company. The detail names the refused addresses.
    pub(super) fn send(
        &self,
        delivery: &MessageDelivery,
        text: &MessageText,
        timeout: Duration,
    ) -> AttemptReport {
        let deadline = Instant::now() + timeout;
        let addresses = delivery.channel.settings.addresses();
        let addresses: Result<Vec<Address>, _> = addresses.map(Address::from_str).collect();
        let Ok(addresses) = addresses else {
            return report(AttemptOutcome::Rejected, "an address is malformed");
        };
        let Ok(mail) = message::build(&self.from, &addresses, delivery, text) else {
            return report(AttemptOutcome::Rejected, "the mail cannot be written");
        };
        let sent = Dialog::open(self, deadline)
            .and_then(|mut dialog| dialog.send(&self.from.email, &addresses, &mail.formatted()));
        match sent {
            Ok(acceptance) => accepted(&acceptance, addresses.len()),
            Err(failure) => failure.report(timeout),
        }
    }
}

fn accepted(acceptance: &Acceptance, addresses: usize) -> AttemptReport {
    let refused = &acceptance.refused;
    let detail = if refused.is_empty() {
        acceptance.text.clone()
    } else {
        let list = refused.join("; ");
        format!(
            "refused for {} of {addresses} addresses: {list}",
            refused.len()
        )
    };
    AttemptReport {
        status: Some(acceptance.status),
        ..report(
            AttemptOutcome::Delivered,
            readable(detail.as_bytes(), AttemptReport::MAX_DETAIL),
        )
    }
}

/// True for this machine.
fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

impl fmt::Debug for MailTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut transport = f.debug_struct("MailTransport");
        transport.field("host", &self.host);
        transport.field("port", &self.port);
        transport.finish_non_exhaustive()
    }
}
