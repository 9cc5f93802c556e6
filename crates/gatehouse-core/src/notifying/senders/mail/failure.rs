//! Failures of the dialog with a mail server.

use std::error::Error as StdError;
use std::io::Error as IoError;
use std::time::Duration;

use lettre::transport::smtp::Error;
use notifications::model::{AttemptOutcome, AttemptReport};

use super::super::failure::{NAME_UNKNOWN, io_failure, timed_out};
use super::super::readable::readable;
use super::super::report;

/// Step that logs in.
pub(super) const LOGIN: &str = "login";

/// Failure of a dialog.
#[derive(Debug)]
pub(super) enum MailFailure {
    /// The time limit has passed.
    Timeout,
    /// The name of the server does not resolve.
    NameUnknown,
    /// The server does not offer the encryption that the administrator demands.
    NoStarttls,
    /// The server does not accept addresses beyond ASCII.
    NoUtf8,
    /// A step failed: the server refused it, or the connection broke.
    Step(&'static str, Error),
    /// The server refused every address, in these words. True if all refusals are final.
    Recipients {
        refused: Vec<String>,
        status: Option<u16>,
        is_final: bool,
    },
}

impl MailFailure {
    /// Returns the report of an attempt that failed in this way. `timeout` is the time limit that it had.
    pub(super) fn report(self, timeout: Duration) -> AttemptReport {
        match self {
            Self::Timeout => report(AttemptOutcome::Failed, timed_out(timeout)),
            Self::NameUnknown => report(AttemptOutcome::Failed, NAME_UNKNOWN),
            Self::NoStarttls => report(
                AttemptOutcome::Failed,
                "the mail server does not offer STARTTLS, so it got no mail; an administrator can set mail.security to tls",
            ),
            Self::NoUtf8 => report(
                AttemptOutcome::Rejected,
                "the mail server does not accept addresses beyond ASCII (SMTPUTF8)",
            ),
            Self::Step(step, error) => AttemptReport {
                status: error.status().map(u16::from),
                ..report(
                    // A refused login is not about the message: an administrator corrects the password.
                    outcome(error.is_permanent() && step != LOGIN),
                    format!("{step}: {}", sentence(&error, timeout)),
                )
            },
            Self::Recipients {
                refused,
                status,
                is_final,
            } => AttemptReport {
                status,
                ..report(outcome(is_final), refused.join("; "))
            },
        }
    }
}

/// Returns the outcome of a refusal: final ones begin with 5 (RFC 5321, section 4.2.1).
const fn outcome(is_final: bool) -> AttemptOutcome {
    if is_final {
        AttemptOutcome::Rejected
    } else {
        AttemptOutcome::Failed
    }
}

/// Describes an error: the reply of the server, or what happened to the connection.
fn sentence(error: &Error, timeout: Duration) -> String {
    if error.status().is_some() {
        return reply(error);
    }
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(io) = error.downcast_ref::<IoError>() {
            return io_failure(io, timeout);
        }
        if let Some(tls) = error.downcast_ref::<rustls::Error>() {
            return format!("TLS failed: {tls}");
        }
        cause = error.source();
    }
    let text = error.source().map_or_else(String::new, ToString::to_string);
    readable(text.as_bytes(), AttemptReport::MAX_DETAIL)
}

/// Returns the reply of a server, with its code.
pub(super) fn reply(error: &Error) -> String {
    let code = error.status().map_or(0, u16::from);
    let text = error.source().map_or_else(String::new, ToString::to_string);
    let text = readable(text.as_bytes(), AttemptReport::MAX_DETAIL);
    format!("{code} {text}").trim_end().to_owned()
}
