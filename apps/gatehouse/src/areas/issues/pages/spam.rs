//! Forms about issues that look like spam.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_SECURITY_POLICY, HeaderValue};
use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::ids::{IssueIid, SpamLogId};
use gatehouse_core::spam::{Clearance, Held, Judgement, Solution};
use projects::flow::issues::Actor;

use super::Sender;
use super::fields::Written;
use crate::areas::issues::spam::intent;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::headers::policy_with_captcha;
use crate::frame::page::project::{Account, ProjectForm};
use crate::frame::spam::{advice, sender};

/// The field that the widget of the CAPTCHA fills in.
const RESPONSE: &str = "g-recaptcha-response";
/// The field that says for which entry of the log it was solved.
const LOG: &str = "spam_log_id";

/// What the page of a form says when the form looks like spam.
#[derive(Debug, Clone)]
pub(super) struct HeldNotice {
    /// What to do.
    pub(super) text: &'static str,
    /// A CAPTCHA that lets it through.
    pub(super) captcha: Option<Captcha>,
    status: StatusCode,
}

/// A CAPTCHA in a page.
#[derive(Debug, Clone)]
pub(super) struct Captcha {
    /// The address of the script that shows it.
    pub(super) script: String,
    /// The key that it is shown with.
    pub(super) site_key: String,
    /// The entry of the log that it is solved for.
    pub(super) log: SpamLogId,
}

/// Why a form is not saved.
pub(super) enum Stop {
    /// Fields are wrong.
    Wrong(ValidationFailures),
    /// It looks like spam.
    Held(Box<HeldNotice>),
}

/// Judges what a form writes: into an issue that is there, or into a new one.
pub(super) async fn cleared(
    form: &ProjectForm<Account>,
    iid: Option<IssueIid>,
    written: &Written,
) -> Result<Result<Clearance, Stop>, PageFailure> {
    let Ok(content) = written.content() else {
        return Ok(Err(Stop::Wrong(wrong(form, written).await?)));
    };
    let state = form.state();
    if let Some(clearance) = state.spam.unjudged(&content) {
        return Ok(Ok(clearance));
    }
    let from = Sender::of(form)?;
    let read = form.read(move |tx, found| {
        let by = Actor {
            viewer: from.viewer,
            user: from.user,
            access: found.access,
            now: from.now,
        };
        intent(tx, &found.project, (iid, content), by)
    });
    let (intent, _) = read.await?;
    let user = &form.visitor().member(form.request())?.user;
    let sent = (sender(form.request(), state, user), solution(form), true);
    let judged = state
        .spam
        .judge(&state.database, intent, sent, form.now())
        .await?;
    Ok(match judged {
        Judgement::Cleared(clearance) => Ok(clearance),
        Judgement::Held(held) => Err(Stop::held(&held, state.spam.script())),
        Judgement::Unverified => Err(Stop::unverified()),
    })
}

/// All that is wrong with the fields, with what only the database knows.
async fn wrong(
    form: &ProjectForm<Account>,
    written: &Written,
) -> Result<ValidationFailures, PageFailure> {
    let asked = written.clone();
    let read = form.read(move |tx, _| Ok(asked.edit(tx)?.err()));
    let (failures, _) = read.await?;
    Ok(failures.unwrap_or_default())
}

/// The solution that a form brings: both fields, or there is none.
fn solution(form: &ProjectForm<Account>) -> Option<Solution> {
    let (log, response) = (form.form.text(LOG), form.form.text(RESPONSE));
    Some(Solution {
        log: SpamLogId::new(log.parse().ok()?),
        response: Some(response).filter(|text| !text.is_empty())?.to_owned(),
    })
}

impl Stop {
    fn held(held: &Held, script: Option<String>) -> Self {
        let captcha = held.site_key.clone().zip(script);
        Self::Held(Box::new(HeldNotice {
            text: advice(held),
            captcha: captcha.map(|(site_key, script)| Captcha {
                script,
                site_key,
                log: held.log,
            }),
            status: StatusCode::UNPROCESSABLE_ENTITY,
        }))
    }

    fn unverified() -> Self {
        Self::Held(Box::new(HeldNotice {
            text: "The CAPTCHA could not be checked. Send the form again in a while.",
            captcha: None,
            status: StatusCode::SERVICE_UNAVAILABLE,
        }))
    }
}

impl HeldNotice {
    /// Lets the page load what shows the CAPTCHA.
    ///
    /// # Errors
    /// When the policy cannot be a header's value, which is a fault of ours.
    pub(super) fn dress(&self, mut page: HttpResponse) -> Result<HttpResponse, PageFailure> {
        *page.status_mut() = self.status;
        if let Some(captcha) = &self.captcha {
            let policy = HeaderValue::from_str(&policy_with_captcha(&captcha.script));
            let policy =
                policy.map_err(|error| PageFailure::from(ApiError::internal()).caused_by(error))?;
            page.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
        }
        Ok(page)
    }
}
