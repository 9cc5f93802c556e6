//! Reload of the configuration on SIGHUP.

use actix_web::web::Data;
use gatehouse_core::notifying::MailTransport;

use super::service_manager;
use crate::config::{AppSettings, ConfigError, LogSettings};
use crate::state::AppState;
use crate::state::certificate::LoadedCertificate;

/// Function that applies another log level to a running log.
pub type ApplyLog = dyn Fn(&LogSettings) -> anyhow::Result<()> + Send + Sync;

/// Source of the configuration that a running server reloads.
pub struct ReloadSource {
    /// Reads the configuration again.
    pub load: Box<dyn Fn() -> Result<AppSettings, ConfigError> + Send + Sync>,
    /// Applies another log level.
    pub apply_log: Box<ApplyLog>,
}

/// Reads the configuration again and applies the settings that can change while the server runs. If it has faults, the
/// server keeps the previous one.
pub(super) fn reload(state: &Data<AppState>, source: Option<&ReloadSource>) {
    let Some(source) = source else {
        tracing::info!(signal = "SIGHUP", "signal ignored");
        return;
    };
    service_manager::reloading();
    match apply(state, source) {
        Ok(()) => tracing::info!(
            "configuration reloaded: log level, mail server and TLS certificate; other changes need a restart"
        ),
        Err(error) => {
            tracing::error!(error = %error, "cannot reload the configuration; keeping the previous one");
        }
    }
    service_manager::ready();
}

/// Prepares everything that can fail before it changes anything.
fn apply(state: &AppState, source: &ReloadSource) -> anyhow::Result<()> {
    let settings = (source.load)()?;
    let mail = settings.notifications.mail.as_ref();
    let mail = mail.map(MailTransport::new).transpose()?;
    let certificate = settings.server.certificate.as_ref();
    let certificate = certificate.map(LoadedCertificate::read).transpose()?;
    (source.apply_log)(&settings.log)?;
    match mail {
        Some(mail) if state.senders.has_mail() => state.senders.replace_mail(mail),
        None if !state.senders.has_mail() => {}
        _ => tracing::warn!("mail was turned on or off; restart the server to apply that"),
    }
    match (&state.certificate, certificate) {
        (Some(used), Some(certificate)) => used.replace(certificate),
        (None, None) => {}
        _ => tracing::warn!("TLS was turned on or off; restart the server to apply that"),
    }
    Ok(())
}

impl std::fmt::Debug for ReloadSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReloadSource").finish_non_exhaustive()
    }
}
