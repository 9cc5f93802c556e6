//! Background jobs of a running server.

use std::sync::Arc;

use actix_web::rt::spawn;
use actix_web::rt::task::JoinHandle;
use actix_web::web::Data;
use gatehouse_core::auth::{epoch, usage};
use gatehouse_core::backup::{BackupSource, back_up_regularly};
use gatehouse_core::feed_watch;
use gatehouse_core::jobs::BackgroundJob;
use gatehouse_core::searching;
use gatehouse_core::sending_messages::{MessageService, SendingObserver, send_messages};
use gatehouse_core::settings::DatabaseUrl;
use gatehouse_core::signing_keys::keep_ready;
use gatehouse_core::watching_database::watch_database;
use gatehouse_core::{cleaning, cleaning_images, deleting, watching_heartbeats};
use gatehouse_core::{deprecation_uses, runner_contacts};
use web_conventions::refusals;

use super::service_manager::feed_watchdog;
use crate::state::AppState;

/// Starts all background jobs.
pub(super) fn start(state: &Data<AppState>) -> Vec<JoinHandle<()>> {
    let jobs = || state.jobs.clone();
    let watch = epoch::watch(jobs(), Arc::clone(&state.database));
    let forget = epoch::forget_regularly(jobs(), Arc::clone(&state.database));
    let flush = usage::flush_regularly(
        jobs(),
        Arc::clone(&state.database),
        Arc::clone(&state.tokens),
        Arc::clone(&state.sessions),
    );
    let clean = cleaning::clean_regularly(
        jobs(),
        Arc::clone(&state.database),
        cleaning::Retention {
            idle_seconds: state.sessions.lifetime().idle_seconds,
            alerts: state.settings.alerts,
            mail: state.outgoing_mail(),
        },
    );
    let mut tasks = vec![
        spawn(watch),
        spawn(forget),
        spawn(flush),
        spawn(clean),
        spawn(deprecation_uses::flush_regularly(
            jobs(),
            Arc::clone(&state.database),
            Arc::clone(&state.deprecation_uses),
        )),
        spawn(runner_contacts::flush_regularly(
            jobs(),
            Arc::clone(&state.database),
            Arc::clone(&state.runner_contacts),
        )),
        spawn(deleting::delete_regularly(
            jobs(),
            Arc::clone(&state.database),
        )),
        spawn(keep_ready(jobs(), Arc::clone(&state.keys))),
        spawn(feed_watchdog(state.clone())),
        spawn(refusals::log_regularly(Arc::clone(&state.refusals))),
        spawn(searching::prepare_regularly(
            jobs(),
            Arc::clone(&state.database),
        )),
        spawn(watching_heartbeats::watch_heartbeats(
            jobs(),
            Arc::clone(&state.database),
            state.started_at,
            state.alert_feed(),
        )),
        spawn(send_messages(
            jobs(),
            MessageService {
                database: Arc::clone(&state.database),
                clock: Arc::clone(&state.clock),
                vault: Arc::clone(&state.vault),
                senders: Arc::clone(&state.senders),
                observer: Arc::clone(&state.metrics) as Arc<dyn SendingObserver>,
                base_url: state.base_url.clone(),
            },
        )),
        spawn(feed_watch::watch(
            jobs(),
            Arc::clone(&state.database),
            Arc::clone(&state.feed),
        )),
    ];
    if matches!(state.settings.database.url, DatabaseUrl::Postgres(_)) {
        tasks.push(spawn(watch_database(
            jobs(),
            Arc::clone(&state.database),
            Arc::clone(&state.database_watch),
            Arc::clone(&state.clock),
        )));
    }
    if state.backups.schedule().is_some() {
        let source = BackupSource {
            database: Arc::clone(&state.database),
            url: state.settings.database.url.clone(),
            security: state.settings.security.clone(),
        };
        let backups = Arc::clone(&state.backups);
        tasks.push(spawn(back_up_regularly(jobs(), source, backups)));
    }
    if let Some(registry) = &state.registry {
        tasks.push(spawn(cleaning_images::clean_images_regularly(
            jobs(),
            Arc::clone(&state.database),
            Arc::clone(registry),
            Arc::clone(&state.clock),
        )));
    }
    tasks
}

/// Saves what the jobs have collected since their last run.
pub(super) async fn flush(state: &AppState) {
    let (jobs, database) = (&state.jobs, &state.database);
    let usage = usage::flush(database, &state.tokens, &state.sessions).await;
    jobs.record(BackgroundJob::SaveUsage, &usage);
    let uses = state.deprecation_uses.flush(database).await;
    jobs.record(BackgroundJob::SaveDeprecationUses, &uses);
    let contacts = state.runner_contacts.flush(database, state.now()).await;
    jobs.record(BackgroundJob::SaveRunnerContacts, &contacts);
}
