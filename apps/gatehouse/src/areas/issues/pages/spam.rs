//! Issue forms that are held as spam.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_SECURITY_POLICY, HeaderValue};
use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::ids::{IssueIid, SpamLogId};
use gatehouse_core::spam::{Clearance, HeldContent, Solution, SpamVerdict};
use projects::flow::issues::IssueActor;

use super::IssueFormSender;
use super::fields::IssueFormValues;
use crate::areas::issues::spam::intent;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::headers::policy_with_captcha;
use crate::frame::page::project::{Account, ProjectForm};
use crate::frame::spam::{advice, sender};

/// Field that the CAPTCHA widget fills in.
const RESPONSE: &str = "g-recaptcha-response";
/// Field with the id of the spam log entry that the CAPTCHA is for.
const LOG: &str = "spam_log_id";

/// Notice on a form that looks like spam.
#[derive(Debug, Clone)]
pub(super) struct HeldNotice {
    /// Advice for the user.
    pub(super) text: &'static str,
    /// CAPTCHA that lets the form through, if any.
    pub(super) captcha: Option<Captcha>,
    status: StatusCode,
}

/// A CAPTCHA in a page.
#[derive(Debug, Clone)]
pub(super) struct Captcha {
    /// Address of the widget's script.
    pub(super) script: String,
    /// Site key of the widget.
    pub(super) site_key: String,
    /// Spam log entry that the CAPTCHA is for.
    pub(super) log: SpamLogId,
}

/// Reason why a form is not saved.
pub(super) enum FormRejection {
    /// Invalid fields.
    Invalid(ValidationFailures),
    /// The content looks like spam.
    Held(Box<HeldNotice>),
}

/// Checks the content of a new or changed issue for spam.
pub(super) async fn check_spam(
    form: &ProjectForm<Account>,
    iid: Option<IssueIid>,
    values: &IssueFormValues,
) -> Result<Result<Clearance, FormRejection>, PageFailure> {
    let Ok(content) = values.content() else {
        return Ok(Err(FormRejection::Invalid(
            validation_failures(form, values).await?,
        )));
    };
    let state = form.state();
    if let Some(clearance) = state.spam.clear_if_disabled(&content) {
        return Ok(Ok(clearance));
    }
    let from = IssueFormSender::of(form)?;
    let read = form.read(move |tx, found| {
        let by = IssueActor {
            viewer: from.viewer,
            user: from.user,
            access: found.access,
            now: from.now,
        };
        intent(tx, &found.project, iid, content, by)
    });
    let (intent, _) = read.await?;
    let user = &form.visitor().member(form.request())?.user;
    let (sender, solution) = (sender(form.request(), state, user), solution(form));
    let judged = state
        .spam
        .check(&state.database, intent, sender, solution, true, form.now())
        .await?;
    Ok(match judged {
        SpamVerdict::Cleared(clearance) => Ok(clearance),
        SpamVerdict::Held(held) => Err(FormRejection::held(&held, state.spam.script())),
        SpamVerdict::Unverified => Err(FormRejection::unverified()),
    })
}

/// Returns all validation failures of the fields, including those that only the database reveals.
async fn validation_failures(
    form: &ProjectForm<Account>,
    values: &IssueFormValues,
) -> Result<ValidationFailures, PageFailure> {
    let entered = values.clone();
    let read = form.read(move |tx, _| Ok(entered.edit(tx)?.err()));
    let (failures, _) = read.await?;
    Ok(failures.unwrap_or_default())
}

/// Reads the CAPTCHA solution from the form.
/// Both fields must be set.
fn solution(form: &ProjectForm<Account>) -> Option<Solution> {
    let (log, response) = (form.form.text(LOG), form.form.text(RESPONSE));
    Some(Solution {
        log: SpamLogId::new(log.parse().ok()?),
        response: Some(response).filter(|text| !text.is_empty())?.to_owned(),
    })
}

impl FormRejection {
    fn held(held: &HeldContent, script: Option<String>) -> Self {
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
            text: "The CAPTCHA could not be verified. Try again in a few minutes.",
            captcha: None,
            status: StatusCode::SERVICE_UNAVAILABLE,
        }))
    }
}

impl HeldNotice {
    /// Sets the status of the page, and allows it to load the CAPTCHA script.
    ///
    /// # Errors
    /// The policy is not a valid header value, which is a bug.
    pub(super) fn apply_to(&self, mut page: HttpResponse) -> Result<HttpResponse, PageFailure> {
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
