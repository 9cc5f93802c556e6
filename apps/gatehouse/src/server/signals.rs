//! Signals that are often sent to servers.
//! By default each of them would end the process.

#[cfg(unix)]
use rustix::process::Signal;
#[cfg(unix)]
use tokio::signal::unix::{SignalKind, signal};

/// Ignores SIGUSR1 and SIGUSR2, and calls `reload` on each SIGHUP.
/// A write beyond the file size limit (SIGXFSZ) fails like one on a full disk.
#[cfg(unix)]
pub(super) fn handle(reload: impl Fn() + 'static) -> std::io::Result<()> {
    let mut hangups = signal(SignalKind::hangup())?;
    actix_web::rt::spawn(async move {
        while hangups.recv().await.is_some() {
            reload();
        }
    });
    let kinds = [
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
        // Every failed write sends the signal, so only the first one is logged.
        if too_large.recv().await.is_some() {
            tracing::error!(
                signal = "SIGXFSZ",
                "a file reached the size limit; raise RLIMIT_FSIZE (ulimit -f, LimitFSIZE=)"
            );
        }
    });
    Ok(())
}

/// Does nothing: other systems have no such signals.
#[cfg(not(unix))]
pub(super) fn handle(_: impl Fn() + 'static) -> std::io::Result<()> {
    Ok(())
}
