//! Reload of the configuration on SIGHUP.

use actix_web::web::Data;
use gatehouse_core::notifying::MailTransport;

use super::service_manager;
use crate::config::AppSettings;
use crate::state::AppState;

/// Function that reads the configuration again, and applies the part that concerns the process as a whole.
pub type ReloadSettings = Box<dyn Fn() -> anyhow::Result<AppSettings> + Send + Sync>;

/// Reads the configuration again and applies the settings that can change while the server runs. If it has faults, the
/// server keeps the previous one.
pub(super) fn reload(state: &Data<AppState>, settings: Option<&ReloadSettings>) {
    let Some(settings) = settings else {
        tracing::info!(signal = "SIGHUP", "signal ignored");
        return;
    };
    service_manager::reloading();
    let reloaded = settings().and_then(|settings| replace_mail(state, &settings));
    match reloaded {
        Ok(()) => tracing::info!(
            "configuration reloaded: log level and mail server; other changes need a restart"
        ),
        Err(error) => {
            tracing::error!(error = %error, "cannot reload the configuration; keeping the previous one");
        }
    }
    service_manager::ready();
}

/// Uses another mail server, or another login, from now on.
fn replace_mail(state: &AppState, settings: &AppSettings) -> anyhow::Result<()> {
    if let Some(mail) = &settings.notifications.mail {
        state.senders.replace_mail(MailTransport::new(mail)?);
    }
    Ok(())
}
