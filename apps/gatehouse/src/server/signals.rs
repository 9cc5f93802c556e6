//! Signals that are often sent to servers and mean nothing to this one. By default each of them would end the process.

#[cfg(unix)]
use rustix::process::Signal;
#[cfg(unix)]
use tokio::signal::unix::{SignalKind, signal};

/// Takes SIGHUP (a terminal that was closed, a script that rotates logs), SIGUSR1 and SIGUSR2, and goes on. A write beyond the limit
/// of the size of files (SIGXFSZ) fails as one on a full disk does.
#[cfg(unix)]
pub(super) fn ignore() -> std::io::Result<()> {
    let kinds = [
        ("SIGHUP", SignalKind::hangup()),
        ("SIGUSR1", SignalKind::user_defined1()),
        ("SIGUSR2", SignalKind::user_defined2()),
    ];
    for (name, kind) in kinds {
        let mut received = signal(kind)?;
        actix_web::rt::spawn(async move {
            while received.recv().await.is_some() {
                tracing::info!(signal = name, "signal ignored");
            }
        });
    }
    let mut too_large = signal(SignalKind::from_raw(Signal::XFSZ.as_raw()))?;
    actix_web::rt::spawn(async move {
        // Each write that fails sends the signal, so only the first one is logged.
        if too_large.recv().await.is_some() {
            tracing::error!(
                signal = "SIGXFSZ",
                "a file reached the limit of its size; raise RLIMIT_FSIZE (ulimit -f, LimitFSIZE=)"
            );
        }
    });
    Ok(())
}

/// Elsewhere there are none.
#[cfg(not(unix))]
pub(super) fn ignore() -> std::io::Result<()> {
    Ok(())
}
