//! Spam check of content before it is published (specification, Status codes: "Request detected as spam").
//!
//! An [`Intent`] is the content that a user is about to publish. [`SpamCheck`] checks it, outside every transaction,
//! and returns a [`Clearance`], without which no text gets into an issue or a snippet; or it holds the intent, adds it to the spam
//! log, and returns how to proceed. Held content passes once a user has solved a CAPTCHA for it, if the operator has
//! configured one.

mod clearance;
mod services;

use std::sync::Arc;

use api_conventions::ids::{ProjectId, SpamLogId};
use api_conventions::time::Timestamp;
use projects::model::MAX_SPAM_LOGS;
use projects::{IssueContentEdit, SpamLog, SpamReason, Submission};
use storage::{Lane, Store as _, StoreError};
use tokio::sync::Semaphore;

pub use self::clearance::{Clearance, ClearedEdit, ClearedSnippet, Intent};
use self::services::{ServiceFailure, Services};
use crate::database::Database;
use crate::settings::SpamSettings;

/// Maximum number of concurrent calls to services. Each occupies a thread until the service responds.
const CALLS: usize = 16;
/// Time after the last hold during which a solved CAPTCHA lets a text through, in seconds: a day.
const SOLVABLE_SECONDS: i64 = 86_400;

/// Spam check of content to be published.
#[derive(Clone)]
pub struct SpamCheck(Arc<SpamCheckInner>);

struct SpamCheckInner {
    settings: SpamSettings,
    /// URL of this server, as reported to the service.
    site: String,
    services: Services,
    calls: Semaphore,
}

impl std::fmt::Debug for SpamCheck {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut check = f.debug_struct("SpamCheck");
        check.field("settings", &self.0.settings);
        check.finish_non_exhaustive()
    }
}

/// Data about the author of a text, for the service that checks it.
#[derive(Debug, Clone, Default)]
pub struct Sender {
    /// The username.
    pub username: String,
    /// IP address of the client; empty if unknown.
    pub address: String,
    /// User agent of the client.
    pub agent: String,
}

/// The solution of a CAPTCHA, as submitted by a client.
#[derive(Debug, Clone)]
pub struct Solution {
    /// Spam log entry that it was solved for.
    pub log: SpamLogId,
    /// Response token that the provider gave the user.
    pub response: String,
}

/// Result of a spam check.
#[derive(Debug)]
#[must_use]
pub enum SpamVerdict<C = IssueContentEdit> {
    /// The content may be published.
    Cleared(Clearance<C>),
    /// The content looks like spam and was not published.
    Held(HeldContent),
    /// A CAPTCHA solution could not be verified, because the provider is unavailable. The client can send it again.
    Unverified,
}

/// Content held because it looks like spam.
#[derive(Debug, Clone)]
pub struct HeldContent {
    /// Id of its spam log entry.
    pub log: SpamLogId,
    /// Site key of the CAPTCHA that lets it through; `None` if there is none.
    pub site_key: Option<String>,
}

impl SpamCheck {
    /// Creates the check for a server at the URL `site`.
    pub fn new(settings: SpamSettings, site: &str) -> Self {
        Self(Arc::new(SpamCheckInner {
            settings,
            site: site.to_owned(),
            services: Services::new(),
            calls: Semaphore::new(CALLS),
        }))
    }

    /// URL of the script that shows CAPTCHAs on pages, if a provider is configured.
    pub fn script(&self) -> Option<String> {
        let captcha = self.0.settings.captcha.as_ref()?;
        let address = captcha.provider.address.as_str().trim_end_matches('/');
        Some(format!("{address}.js"))
    }

    /// Clears content if the spam check is disabled on this server.
    pub fn clear_if_disabled<C: Clone>(&self, content: &C) -> Option<Clearance<C>> {
        let settings = &self.0.settings;
        let is_off = settings.rules.is_empty() && settings.service.is_none();
        is_off.then(|| Clearance {
            content: content.clone(),
        })
    }

    /// Checks an intent.
    /// `solution` lets content through that was held before; `offers` tells whether the client can be offered a
    /// CAPTCHA, which older releases of the API did not do.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn check<C>(
        &self,
        database: &Database,
        intent: Intent<C>,
        sender: Sender,
        solution: Option<Solution>,
        offers: bool,
        now: Timestamp,
    ) -> Result<SpamVerdict<C>, StoreError> {
        let content = intent.content;
        let cleared = || SpamVerdict::Cleared(Clearance { content });
        let Some(submission) = intent.submission else {
            return Ok(cleared());
        };
        let Some(reason) = self.reason(&submission, sender).await else {
            return Ok(cleared());
        };
        let captcha = self.0.settings.captcha.as_ref().filter(|_| offers);
        if captcha.is_some()
            && let Some(solution) = solution
            && let Some(log) = waiting(database, &submission, &solution, now).await?
        {
            match self.is_solved(solution.response).await {
                Ok(true) => {
                    record_captcha_solved(database, log, now).await?;
                    return Ok(cleared());
                }
                Ok(false) => {}
                Err(failure) => {
                    tracing::warn!(%failure, "cannot verify a CAPTCHA response");
                    return Ok(SpamVerdict::Unverified);
                }
            }
        }
        let log = hold(database, &submission, reason, now).await?;
        tracing::info!(
            user.id = submission.user_id.get(),
            project.id = submission.project_id.map(ProjectId::get),
            spam_log.id = log.id.get(),
            reason = reason.as_str(),
            "held a submission as possible spam"
        );
        Ok(SpamVerdict::Held(HeldContent {
            log: log.id,
            site_key: captcha.map(|captcha| captcha.site_key.clone()),
        }))
    }

    /// Returns the reason why a submission looks like spam, if it does. A service that is unavailable blocks nobody.
    async fn reason(&self, submission: &Submission, sender: Sender) -> Option<SpamReason> {
        let (inner, submission) = (Arc::clone(&self.0), submission.clone());
        let judged = tokio::task::spawn_blocking(move || {
            let by_rule = inner.settings.rules.check(&submission);
            by_rule.or_else(|| inner.reason_of_service(&submission, &sender))
        });
        judged.await.unwrap_or_else(|error| {
            tracing::error!(%error, "the spam check ended early");
            None
        })
    }

    async fn is_solved(&self, response: String) -> Result<bool, ServiceFailure> {
        let inner = Arc::clone(&self.0);
        let solved = tokio::task::spawn_blocking(move || {
            let captcha = inner.settings.captcha.as_ref();
            let provider = &captcha.ok_or(ServiceFailure::Answer)?.provider;
            let _call = inner
                .calls
                .try_acquire()
                .map_err(|_| ServiceFailure::Busy)?;
            inner.services.is_solved(provider, &response)
        });
        solved.await.unwrap_or(Err(ServiceFailure::Busy))
    }
}

impl SpamCheckInner {
    fn reason_of_service(&self, submission: &Submission, sender: &Sender) -> Option<SpamReason> {
        let service = self.settings.service.as_ref()?;
        let call = self.calls.try_acquire();
        let is_spam = call.map_err(|_| ServiceFailure::Busy).and_then(|_call| {
            self.services
                .is_spam(service, &self.site, submission, sender)
        });
        match is_spam {
            Ok(is_spam) => is_spam.then_some(SpamReason::Service),
            Err(failure) => {
                tracing::warn!(%failure, "the spam check service is unavailable; publishing the text unchecked");
                None
            }
        }
    }
}

/// Finds the spam log entry that a solved CAPTCHA unlocks: from the same user, with the same content, and held recently
/// enough.
async fn waiting(
    database: &Database,
    submission: &Submission,
    solution: &Solution,
    now: Timestamp,
) -> Result<Option<SpamLogId>, StoreError> {
    let id = solution.log;
    let found = database.read(Lane::Shared, move |tx| tx.find_spam_log(id));
    let fits = |log: &SpamLog| {
        let oldest = now.plus_seconds(-SOLVABLE_SECONDS);
        (log.user_id, log.digest) == (submission.user_id, submission.digest())
            && log.last_at >= oldest
    };
    Ok(found.await?.filter(fits).map(|log| log.id))
}

async fn record_captcha_solved(
    database: &Database,
    log: SpamLogId,
    now: Timestamp,
) -> Result<(), StoreError> {
    let noted = database.write(move |tx| tx.record_captcha_solved(log, now));
    noted.await.map(drop)
}

async fn hold(
    database: &Database,
    submission: &Submission,
    reason: SpamReason,
    now: Timestamp,
) -> Result<SpamLog, StoreError> {
    let new = submission.to_spam_log(reason, now);
    let held = database.write(move |tx| {
        let log = tx.put_spam_log(&new)?;
        tx.trim_spam_logs(new.user_id, MAX_SPAM_LOGS)?;
        Ok(log)
    });
    held.await
}
