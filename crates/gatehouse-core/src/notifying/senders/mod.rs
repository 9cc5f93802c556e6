//! Senders of the kinds of channels.
//!
//! A project's Maintainer chooses the receiver, so it must be treated as hostile: only public addresses are contacted
//! unless the administrator allows others, redirects are not followed, and time and size are bounded. The mail server is
//! chosen by the administrator, and may be anywhere.

mod failure;
mod http;
mod mail;
mod readable;
mod requests;
mod retry_after;
#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use api_conventions::time::Timestamp;
use notifications::flow::MessageDelivery;
use notifications::formats::{MessageText, Place};
use notifications::model::{AttemptOutcome, AttemptReport, ChannelKind};

use self::http::HttpSender;
pub use self::mail::{MailSettingsError, MailTransport};
use self::readable::Redaction;
use crate::http_client::AddressPermission;

/// Detail of mail that cannot be sent without a server.
const NO_MAIL_SERVER: &str = "no mail server is configured; an administrator sets mail.host";

/// Senders of all kinds of channels.
#[derive(Debug)]
pub struct MessageSenders {
    http: HttpSender,
    mail: Option<RwLock<Arc<MailTransport>>>,
    timeout: Duration,
}

impl MessageSenders {
    /// Time limit of an attempt: most receivers answer within a second, and Standard Webhooks asks for 15 to 30.
    pub const TIMEOUT: Duration = Duration::from_secs(15);

    /// Creates the senders. `is_allowed` returns true for non-public addresses that may be contacted anyway, and
    /// `timeout` limits each attempt, usually to [`Self::TIMEOUT`]. Without `mail`, messages by e-mail are rejected.
    pub fn new(
        is_allowed: impl Fn(IpAddr) -> bool + Send + Sync + 'static,
        mail: Option<MailTransport>,
        timeout: Duration,
    ) -> Self {
        let allowed: AddressPermission = Arc::new(is_allowed);
        Self {
            http: HttpSender::new(allowed, timeout),
            mail: mail.map(|mail| RwLock::new(Arc::new(mail))),
            timeout,
        }
    }

    /// Sends mail over another server, or with another login, from now on. Does nothing without [mail](Self::has_mail).
    pub fn replace_mail(&self, mail: MailTransport) {
        if let Some(place) = &self.mail {
            *place.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(mail);
        }
    }

    fn mail(&self) -> Option<Arc<MailTransport>> {
        let place = self.mail.as_ref()?;
        Some(Arc::clone(
            &place.read().unwrap_or_else(PoisonError::into_inner),
        ))
    }

    /// True if messages by e-mail can be sent.
    pub const fn has_mail(&self) -> bool {
        self.mail.is_some()
    }

    /// Sends a message, and reports the outcome. Blocks until the receiver answers, at most for the time limit; the dialog
    /// with a mail server may take up to four times as long if it is slow in every step.
    ///
    /// `secret` is the opened secret of the channel: the signing secret of a webhook, the whole URL for Slack, the
    /// access token for Matrix and ntfy, or the token of a project hook. The report never contains it.
    pub fn send(
        &self,
        delivery: &MessageDelivery,
        place: &Place,
        secret: Option<&str>,
        now: Timestamp,
    ) -> AttemptReport {
        let started = Instant::now();
        let mut report = self.attempt(delivery, place, secret, now);
        report.detail = Redaction::new(secret).apply(&report.detail);
        report.millis = u32::try_from(started.elapsed().as_millis()).unwrap_or(u32::MAX);
        report
    }

    fn attempt(
        &self,
        delivery: &MessageDelivery,
        place: &Place,
        secret: Option<&str>,
        now: Timestamp,
    ) -> AttemptReport {
        let text = MessageText::new(&delivery.message, place);
        let request = match delivery.channel.kind {
            ChannelKind::Email => {
                return self.mail().map_or_else(
                    || report(AttemptOutcome::Rejected, NO_MAIL_SERVER),
                    |mail| mail.send(delivery, &text, self.timeout),
                );
            }
            // Its messages are handed over to other channels.
            ChannelKind::OnCall => return report(AttemptOutcome::Rejected, "not sent"),
            ChannelKind::Webhook => requests::webhook(delivery, place, secret, now),
            ChannelKind::ProjectHook => requests::hook(delivery, place, secret, now),
            ChannelKind::Slack => requests::slack(&text, secret),
            ChannelKind::Ntfy => requests::ntfy(delivery, &text, secret),
            ChannelKind::Matrix => requests::matrix(delivery, &text, secret),
        };
        match request {
            Ok(request) => self.http.send(request, now),
            Err(error) => report(AttemptOutcome::Rejected, error.to_string()),
        }
    }
}

/// Returns the report of an attempt without response.
fn report(outcome: AttemptOutcome, detail: impl Into<String>) -> AttemptReport {
    AttemptReport {
        outcome,
        status: None,
        detail: detail.into(),
        retry_after: None,
        millis: 0,
    }
}
