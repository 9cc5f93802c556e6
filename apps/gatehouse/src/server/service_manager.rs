//! Messages to the service manager: see `sd_notify(3)` of systemd. Without a service manager nothing is sent.

use std::time::Duration;

use actix_web::web::Data;
use sd_notify::NotifyState;
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::config::DatabaseUrl;
use crate::state::AppState;

/// Reports that the server accepts requests.
pub(super) fn ready() {
    notify(&[NotifyState::Ready]);
}

/// Reports that the server reloads its configuration; [`ready`] follows.
pub(super) fn reloading() {
    match NotifyState::monotonic_usec_now() {
        Ok(now) => notify(&[NotifyState::Reloading, now]),
        Err(error) => tracing::warn!(error = %error, "cannot read the monotonic clock"),
    }
}

/// Reports that the server stops.
pub(super) fn stopping() {
    notify(&[NotifyState::Stopping]);
}

fn notify(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        tracing::warn!(error = %error, "cannot notify the service manager");
    }
}

/// Reports twice per watchdog interval (`WatchdogSec=`) that the server works, until the task is dropped.
/// The service manager restarts a server that stops reporting.
pub(super) async fn feed_watchdog(state: Data<AppState>) {
    let Some(limit) = sd_notify::watchdog_enabled() else {
        return;
    };
    let half = limit / 2;
    let mut ticks = interval(half);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if is_working(&state, half).await {
            notify(&[NotifyState::Watchdog]);
        }
    }
}

/// True if the writer of an embedded database commits. A restart brings no other database server back, so with
/// PostgreSQL an answer is enough, whatever it is.
async fn is_working(state: &AppState, limit: Duration) -> bool {
    let checked = timeout(limit, state.database.health_check()).await;
    let is_embedded = matches!(state.settings.database.url, DatabaseUrl::Sqlite(_));
    match checked {
        Ok(Err(error)) if is_embedded => {
            tracing::error!(error = %error, "the database does not accept writes; the watchdog restarts the server");
            false
        }
        Ok(Ok(()) | Err(_)) => true,
        Err(_) => false,
    }
}
