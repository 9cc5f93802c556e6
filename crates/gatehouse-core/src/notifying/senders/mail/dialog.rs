//! Dialog with a mail server (RFC 5321).

use std::net::{SocketAddr, ToSocketAddrs as _};
use std::time::{Duration, Instant};

use lettre::Address;
use lettre::transport::smtp::authentication::DEFAULT_MECHANISMS;
use lettre::transport::smtp::client::SmtpConnection;
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{Extension, MailBodyParameter, MailParameter};

use super::failure::{LOGIN, MailFailure, reply};
use super::{Encryption, MailTransport};

/// Connection that is ready for a message: encrypted and authenticated as the settings demand.
pub(super) struct Dialog {
    connection: SmtpConnection,
    deadline: Instant,
}

/// Acceptance of a message.
#[derive(Debug)]
pub(super) struct Acceptance {
    /// Code of the reply, such as 250.
    pub(super) status: u16,
    /// Text of the reply, which often has the id of the message on the server.
    pub(super) text: String,
    /// Refused addresses, each with the reply.
    pub(super) refused: Vec<String>,
}

impl Dialog {
    /// Opens a connection. The library waits for the greeting and the reply to `EHLO` before it returns, so these can each
    /// take the whole time that is left until `deadline`.
    pub(super) fn open(transport: &MailTransport, deadline: Instant) -> Result<Self, MailFailure> {
        let mut dialog = Self {
            connection: connect(transport, deadline)?,
            deadline,
        };
        if let Encryption::Starttls(parameters) = &transport.encryption {
            if !dialog.connection.can_starttls() {
                dialog.connection.abort();
                return Err(MailFailure::NoStarttls);
            }
            dialog.limit()?;
            let secured = dialog.connection.starttls(parameters, &transport.hello);
            secured.map_err(|error| MailFailure::Step("STARTTLS", error))?;
        }
        if let Some(credentials) = &transport.credentials {
            dialog.limit()?;
            let login = dialog.connection.auth(DEFAULT_MECHANISMS, credentials);
            login.map_err(|error| MailFailure::Step(LOGIN, error))?;
        }
        Ok(dialog)
    }

    /// Sends a mail to all addresses that the server accepts.
    pub(super) fn send(
        &mut self,
        from: &Address,
        to: &[Address],
        mail: &[u8],
    ) -> Result<Acceptance, MailFailure> {
        let sent = self.transfer(from, to, mail);
        // The outcome is known, so the farewell gets no more than a moment.
        let _ = self
            .connection
            .set_timeout(Some(Duration::from_millis(500)));
        self.connection.abort();
        sent
    }

    fn transfer(
        &mut self,
        from: &Address,
        to: &[Address],
        mail: &[u8],
    ) -> Result<Acceptance, MailFailure> {
        self.limit()?;
        let options = self.options(from, to, mail)?;
        let command = Mail::new(Some(from.clone()), options);
        let greeted = self.connection.command(command);
        greeted.map_err(|error| MailFailure::Step("MAIL", error))?;
        let refused = self.name_recipients(to)?;
        self.limit()?;
        let ready = self.connection.command(Data);
        ready.map_err(|error| MailFailure::Step("DATA", error))?;
        self.limit()?;
        let response = self.connection.message(mail);
        let response = response.map_err(|error| MailFailure::Step("mail", error))?;
        Ok(Acceptance {
            status: response.code().into(),
            text: response.first_line().unwrap_or_default().to_owned(),
            refused,
        })
    }

    /// Names the recipients, and returns the refused ones.
    fn name_recipients(&mut self, to: &[Address]) -> Result<Vec<String>, MailFailure> {
        let (mut refused, mut status, mut is_final) = (Vec::new(), None, true);
        for address in to {
            self.limit()?;
            let named = Rcpt::new(address.clone(), Vec::new());
            let Err(error) = self.connection.command(named) else {
                continue;
            };
            // Without a code it is the connection that failed, and with it all addresses.
            let Some(code) = error.status() else {
                return Err(MailFailure::Step("RCPT", error));
            };
            refused.push(format!("{address}: {}", reply(&error)));
            status = Some(code.into());
            is_final &= error.is_permanent();
        }
        if refused.len() < to.len() {
            return Ok(refused);
        }
        Err(MailFailure::Recipients {
            refused,
            status,
            is_final,
        })
    }

    fn options(
        &self,
        from: &Address,
        to: &[Address],
        mail: &[u8],
    ) -> Result<Vec<MailParameter>, MailFailure> {
        let mut options = Vec::new();
        let mut addresses = to.iter().chain([from]);
        if !addresses.all(|address| AsRef::<str>::as_ref(address).is_ascii()) {
            let server = self.connection.server_info();
            if !server.supports_feature(Extension::SmtpUtfEight) {
                return Err(MailFailure::NoUtf8);
            }
            options.push(MailParameter::SmtpUtfEight);
        }
        // Only such addresses leave a mail beyond ASCII, and a server that knows them knows 8BITMIME (RFC 6531).
        if !mail.is_ascii() {
            options.push(MailParameter::Body(MailBodyParameter::EightBitMime));
        }
        Ok(options)
    }

    /// Limits the next command to the time that is left.
    fn limit(&mut self) -> Result<(), MailFailure> {
        let left = time_left(self.deadline)?;
        let set = self.connection.set_timeout(Some(left));
        set.map_err(|_| MailFailure::Timeout)
    }
}

/// Connects to the first address of the server that accepts a connection.
fn connect(transport: &MailTransport, deadline: Instant) -> Result<SmtpConnection, MailFailure> {
    let found = (transport.host.as_str(), transport.port).to_socket_addrs();
    let found: Vec<SocketAddr> = found.map_err(|_| MailFailure::NameUnknown)?.collect();
    let tls = match &transport.encryption {
        Encryption::Tls(parameters) => Some(parameters),
        Encryption::Starttls(_) | Encryption::None => None,
    };
    let mut failure = MailFailure::NameUnknown;
    for (address, left) in found.iter().zip((1..=found.len()).rev()) {
        // Each address gets its share, so that one that does not respond leaves time for the others.
        let share = time_left(deadline)? / u32::try_from(left).unwrap_or(u32::MAX);
        match SmtpConnection::connect(address, Some(share), &transport.hello, tls, None) {
            Ok(connection) => return Ok(connection),
            Err(error) => failure = MailFailure::Step("connection", error),
        }
    }
    Err(failure)
}

/// Returns the time until the deadline, which is never zero.
fn time_left(deadline: Instant) -> Result<Duration, MailFailure> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(MailFailure::Timeout);
    }
    Ok(left)
}
