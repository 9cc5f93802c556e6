//! Failures of connections, in sentences that are shown to users.

use std::error::Error as StdError;
use std::io::{Error as IoError, ErrorKind};
use std::time::Duration;

use notifications::model::{AttemptOutcome, AttemptReport};
use ureq::Error;

use super::report;
use crate::http_client::is_not_public;

/// Detail for a receiver that may not be contacted.
pub(super) const NOT_PUBLIC: &str = "the address is not public; an administrator can allow it with `notifications.allowed_networks`";
/// Detail for an unknown host.
pub(super) const NAME_UNKNOWN: &str = "the name does not resolve";

/// Returns the report of an attempt to which the receiver did not respond.
pub(super) fn http_failure(error: &Error, timeout: Duration) -> AttemptReport {
    let detail = match error {
        Error::Io(error) if is_not_public(error) => {
            return report(AttemptOutcome::Rejected, NOT_PUBLIC);
        }
        Error::BadUri(_) | Error::Http(_) => {
            return report(AttemptOutcome::Rejected, "the URL cannot be used");
        }
        Error::Timeout(_) => timed_out(timeout),
        Error::HostNotFound => NAME_UNKNOWN.to_owned(),
        Error::Io(error) => io_failure(error, timeout),
        Error::Rustls(error) => format!("TLS failed: {error}"),
        Error::Tls(text) => format!("TLS failed: {text}"),
        Error::Pem(_) => "TLS failed: a certificate is malformed".to_owned(),
        Error::LargeResponseHeader(..) => "the header of the response is too large".to_owned(),
        Error::Protocol(_) => "the response is not valid HTTP".to_owned(),
        _ => "the connection failed".to_owned(),
    };
    report(AttemptOutcome::Failed, detail)
}

/// Describes a failure of a connection.
pub(super) fn io_failure(error: &IoError, timeout: Duration) -> String {
    if let Some(tls) = rustls_error(error) {
        return format!("TLS failed: {tls}");
    }
    let text = match error.kind() {
        // A socket reports the end of its time limit in either way.
        ErrorKind::TimedOut | ErrorKind::WouldBlock => return timed_out(timeout),
        ErrorKind::ConnectionRefused => "connection refused",
        ErrorKind::ConnectionReset
        | ErrorKind::ConnectionAborted
        | ErrorKind::BrokenPipe
        | ErrorKind::UnexpectedEof => "the connection was closed before a response came",
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => "the host is unreachable",
        ErrorKind::InvalidData => "TLS failed",
        _ => "the connection failed",
    };
    text.to_owned()
}

/// Describes an attempt that took longer than its time limit.
pub(super) fn timed_out(timeout: Duration) -> String {
    format!("timed out after {} s", timeout.as_secs_f64())
}

/// Returns the error of TLS inside an error of a connection.
fn rustls_error(error: &IoError) -> Option<&rustls::Error> {
    let mut cause: Option<&(dyn StdError + 'static)> = error
        .get_ref()
        .map(|cause| -> &(dyn StdError + 'static) { cause });
    while let Some(error) = cause {
        if let Some(tls) = error.downcast_ref() {
            return Some(tls);
        }
        cause = error.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_plain_sentences() {
        let io = |kind| Error::Io(IoError::from(kind));
        let tls = rustls::Error::HandshakeNotComplete;
        let timeout = Duration::from_secs(15);
        for (error, expected) in [
            (io(ErrorKind::ConnectionRefused), "connection refused"),
            (io(ErrorKind::WouldBlock), "timed out after 15 s"),
            (
                Error::Io(IoError::new(ErrorKind::InvalidData, tls.clone())),
                "TLS failed: handshake not complete",
            ),
            (Error::Rustls(tls), "TLS failed: handshake not complete"),
            (Error::HostNotFound, "the name does not resolve"),
            (
                io(ErrorKind::ConnectionReset),
                "the connection was closed before a response came",
            ),
        ] {
            let report = http_failure(&error, timeout);
            assert_eq!(
                (report.outcome, report.detail.as_str()),
                (AttemptOutcome::Failed, expected)
            );
        }
        // Refused by a firewall of this machine, not by our own check.
        let report = http_failure(&io(ErrorKind::PermissionDenied), timeout);
        assert_eq!(report.outcome, AttemptOutcome::Failed);
    }
}
