//! What people publish is judged before everybody reads it (specification, Status codes: "Request detected as spam").
//!
//! An [`Intent`] says what somebody is about to write. [`SpamCheck`] judges it, outside every transaction, and gives a
//! [`Clearance`], without which no word gets into an issue; or it holds the intent, notes it in the log of spam, and says what to do.
//! What is held goes through once a person has solved a CAPTCHA for it, where the operator has set that up.

mod clearance;
mod services;

use std::sync::Arc;

use api_conventions::ids::SpamLogId;
use api_conventions::time::Timestamp;
use projects::model::MAX_SPAM_LOGS;
use projects::{IssueContentEdit, SpamLog, SpamReason, Submission};
use storage::{Lane, Store as _, StoreError};
use tokio::sync::Semaphore;

pub use self::clearance::{Clearance, ClearedEdit, Intent};
use self::services::{ServiceFailure, Services};
use crate::database::Database;
use crate::settings::SpamSettings;

/// Calls to services that run at the same time. Each holds a thread for as long as the service takes.
const CALLS: usize = 16;
/// How long after it was held a text is let through by a solved CAPTCHA, in seconds: a day.
const SOLVABLE_SECONDS: i64 = 86_400;

/// Judges what people publish.
#[derive(Clone)]
pub struct SpamCheck(Arc<Inner>);

struct Inner {
    settings: SpamSettings,
    /// How this server is called where a service asks for that.
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

/// What a service that judges texts learns of the sender of one.
#[derive(Debug, Clone, Default)]
pub struct Sender {
    /// The username.
    pub username: String,
    /// The address of the client; empty where it is not known.
    pub address: String,
    /// What the client calls itself.
    pub agent: String,
}

/// The solution of a CAPTCHA, as a client sends it.
#[derive(Debug, Clone)]
pub struct Solution {
    /// The entry of the log that it was solved for.
    pub log: SpamLogId,
    /// What the provider gave to the person who solved it.
    pub response: String,
}

/// What became of an intent.
#[derive(Debug)]
#[must_use]
pub enum Judgement {
    /// It may be published.
    Cleared(Clearance),
    /// It looks like spam, and nothing was published.
    Held(Held),
    /// A CAPTCHA was solved, but the provider cannot be asked whether that is true. The same can be sent again.
    Unverified,
}

/// What is held because it looks like spam.
#[derive(Debug, Clone)]
pub struct Held {
    /// Its entry in the log.
    pub log: SpamLogId,
    /// The key with which a CAPTCHA is shown that lets it through; `None` where there is none.
    pub site_key: Option<String>,
}

impl SpamCheck {
    /// The check of a server that is reached at `site`.
    pub fn new(settings: SpamSettings, site: &str) -> Self {
        Self(Arc::new(Inner {
            settings,
            site: site.to_owned(),
            services: Services::new(),
            calls: Semaphore::new(CALLS),
        }))
    }

    /// The address of the script that shows CAPTCHAs in pages, where there are any.
    pub fn script(&self) -> Option<String> {
        let captcha = self.0.settings.captcha.as_ref()?;
        let address = captcha.provider.address.as_str().trim_end_matches('/');
        Some(format!("{address}.js"))
    }

    /// The clearance for words that need no judgement, because nothing is judged on this server.
    pub fn unjudged(&self, content: &IssueContentEdit) -> Option<Clearance> {
        let settings = &self.0.settings;
        let is_off = settings.rules.is_empty() && settings.service.is_none();
        is_off.then(|| Clearance {
            content: content.clone(),
        })
    }

    /// Judges an intent. `solution` lets through what was held before; `offers` says whether one is asked for, which older releases
    /// of the API did not do.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn judge(
        &self,
        database: &Database,
        intent: Intent,
        (sender, solution, offers): (Sender, Option<Solution>, bool),
        now: Timestamp,
    ) -> Result<Judgement, StoreError> {
        let content = intent.content;
        let cleared = || Judgement::Cleared(Clearance { content });
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
                    note_solved(database, log, now).await?;
                    return Ok(cleared());
                }
                Ok(false) => {}
                Err(failure) => {
                    tracing::warn!(%failure, "cannot verify the solution of a CAPTCHA");
                    return Ok(Judgement::Unverified);
                }
            }
        }
        let log = hold(database, &submission, reason, now).await?;
        tracing::info!(
            user.id = submission.user_id.get(),
            project.id = submission.project_id.get(),
            spam_log.id = log.id.get(),
            reason = reason.as_str(),
            "held what looks like spam"
        );
        Ok(Judgement::Held(Held {
            log: log.id,
            site_key: captcha.map(|captcha| captcha.site_key.clone()),
        }))
    }

    /// Why a submission looks like spam, if it does. A service that cannot be asked holds nobody up.
    async fn reason(&self, submission: &Submission, sender: Sender) -> Option<SpamReason> {
        let (inner, submission) = (Arc::clone(&self.0), submission.clone());
        let judged = tokio::task::spawn_blocking(move || {
            let by_rule = inner.settings.rules.judge(&submission);
            by_rule.or_else(|| inner.reason_of_service(&submission, &sender))
        });
        judged.await.unwrap_or_else(|error| {
            tracing::error!(%error, "the check for spam ended early");
            None
        })
    }

    async fn is_solved(&self, response: String) -> Result<bool, ServiceFailure> {
        let inner = Arc::clone(&self.0);
        let asked = tokio::task::spawn_blocking(move || {
            let captcha = inner.settings.captcha.as_ref();
            let provider = &captcha.ok_or(ServiceFailure::Answer)?.provider;
            let _call = inner
                .calls
                .try_acquire()
                .map_err(|_| ServiceFailure::Busy)?;
            inner.services.is_solved(provider, &response)
        });
        asked.await.unwrap_or(Err(ServiceFailure::Busy))
    }
}

impl Inner {
    fn reason_of_service(&self, submission: &Submission, sender: &Sender) -> Option<SpamReason> {
        let service = self.settings.service.as_ref()?;
        let call = self.calls.try_acquire();
        let is_spam = call.map_err(|_| ServiceFailure::Busy).and_then(|_call| {
            let asked = (submission, sender);
            self.services.is_spam(service, &self.site, asked)
        });
        match is_spam {
            Ok(is_spam) => is_spam.then_some(SpamReason::Service),
            Err(failure) => {
                tracing::warn!(%failure, "the service that judges texts said nothing; the text is published");
                None
            }
        }
    }
}

/// The entry for which a CAPTCHA may be solved to publish this: of the same user and the same words, and not held too long ago.
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

async fn note_solved(
    database: &Database,
    log: SpamLogId,
    now: Timestamp,
) -> Result<(), StoreError> {
    let noted = database.write(move |tx| tx.note_solved(log, now));
    noted.await.map(drop)
}

async fn hold(
    database: &Database,
    submission: &Submission,
    reason: SpamReason,
    now: Timestamp,
) -> Result<SpamLog, StoreError> {
    let new = submission.held(reason, now);
    let held = database.write(move |tx| {
        let log = tx.hold_as_spam(&new)?;
        tx.trim_spam_logs(new.user_id, MAX_SPAM_LOGS)?;
        Ok(log)
    });
    held.await
}
