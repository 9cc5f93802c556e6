//! Forms that are held as spam.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_SECURITY_POLICY, HeaderValue};
use api_conventions::error::ApiError;
use api_conventions::ids::SpamLogId;
use gatehouse_core::spam::{HeldContent, Solution};

use super::failure::PageFailure;
use super::headers::policy_with_captcha;
use crate::frame::form::PageForm;
use crate::frame::spam::{CheckedKind, advice};

/// Field that the CAPTCHA widget fills in.
const RESPONSE: &str = "g-recaptcha-response";
/// Field with the id of the spam log entry that the CAPTCHA is for.
const LOG: &str = "spam_log_id";

/// Notice on a form that looks like spam.
#[derive(Debug, Clone)]
pub struct HeldNotice {
    /// Advice for the user.
    pub text: &'static str,
    /// CAPTCHA that lets the form through, if any.
    pub captcha: Option<Captcha>,
    status: StatusCode,
}

/// A CAPTCHA in a page.
#[derive(Debug, Clone)]
pub struct Captcha {
    /// Address of the widget's script.
    pub script: String,
    /// Site key of the widget.
    pub site_key: String,
    /// Spam log entry that the CAPTCHA is for.
    pub log: SpamLogId,
}

impl HeldNotice {
    /// Notice for held content, with a CAPTCHA if `script` shows one.
    pub fn new(kind: CheckedKind, held: &HeldContent, script: Option<String>) -> Self {
        let captcha = held.site_key.clone().zip(script);
        Self {
            text: advice(kind, held),
            captcha: captcha.map(|(site_key, script)| Captcha {
                script,
                site_key,
                log: held.log,
            }),
            status: StatusCode::UNPROCESSABLE_ENTITY,
        }
    }

    /// Notice for a solution that could not be verified.
    pub fn unverified() -> Self {
        Self {
            text: "The CAPTCHA could not be verified. Try again in a few minutes.",
            captcha: None,
            status: StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// Sets the status of the page, and allows it to load the CAPTCHA script.
    ///
    /// # Errors
    /// The policy is not a valid header value, which is a bug.
    pub fn apply_to(&self, mut page: HttpResponse) -> Result<HttpResponse, PageFailure> {
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

/// Reads the CAPTCHA solution from a form.
/// Both fields must be set.
pub fn solution(form: &PageForm) -> Option<Solution> {
    let (log, response) = (form.text(LOG), form.text(RESPONSE));
    Some(Solution {
        log: SpamLogId::new(log.parse().ok()?),
        response: Some(response).filter(|text| !text.is_empty())?.to_owned(),
    })
}
