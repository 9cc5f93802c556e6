//! Calls to external services that check texts and verify CAPTCHA solutions.

use projects::Submission;
use serde_json::Value;
use ureq::Agent;
use url::Url;

use super::Sender;
use crate::http_client;
use crate::settings::OutsideService;

/// Maximum size of a response, in bytes. Both services respond with a few words.
const MAX_RESPONSE: u64 = 65_536;

/// Failure of a call to a service.
#[derive(Debug, thiserror::Error)]
pub(super) enum ServiceFailure {
    /// The service was unreachable, or the HTTP exchange failed.
    #[error(transparent)]
    Http(#[from] ureq::Error),
    /// The service responded with an unexpected status.
    #[error("the service responded with status {0}")]
    Status(u16),
    /// The response is not an answer to the question.
    #[error("the service sent an unexpected response")]
    Answer,
    /// Too many calls are running.
    #[error("too many calls to the service are waiting")]
    Busy,
}

/// HTTP client of the services.
#[derive(Debug)]
pub(super) struct Services(Agent);

impl Services {
    pub(super) fn new() -> Self {
        Self(Agent::new_with_config(http_client::config().build()))
    }

    /// True if the service considers a text spam, using Akismet's `comment-check`.
    pub(super) fn is_spam(
        &self,
        service: &OutsideService,
        site: &str,
        submission: &Submission,
        sender: &Sender,
    ) -> Result<bool, ServiceFailure> {
        let content = format!("{}\n\n{}", submission.title, submission.description);
        let fields = [
            ("api_key", service.secret.as_str()),
            ("blog", site),
            ("user_ip", &sender.address),
            ("user_agent", &sender.agent),
            ("comment_type", "forum-post"),
            ("comment_author", &sender.username),
            ("comment_content", &content),
        ];
        let answer = self.post(&service.address, "1.1/comment-check", &fields)?;
        match answer.trim() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(ServiceFailure::Answer),
        }
    }

    /// True if a user solved a CAPTCHA, using reCAPTCHA's `siteverify`.
    pub(super) fn is_solved(
        &self,
        provider: &OutsideService,
        response: &str,
    ) -> Result<bool, ServiceFailure> {
        let fields = [("secret", provider.secret.as_str()), ("response", response)];
        let answer = self.post(&provider.address, "siteverify", &fields)?;
        let answer: Value = serde_json::from_str(&answer).map_err(|_| ServiceFailure::Answer)?;
        let success = answer.get("success").and_then(Value::as_bool);
        success.ok_or(ServiceFailure::Answer)
    }

    fn post(
        &self,
        address: &Url,
        operation: &str,
        fields: &[(&str, &str)],
    ) -> Result<String, ServiceFailure> {
        let root = address.as_str().trim_end_matches('/');
        let request = self.0.post(format!("{root}/{operation}"));
        let mut answer = request.send_form(fields.iter().copied())?;
        let status = answer.status().as_u16();
        if status != 200 {
            return Err(ServiceFailure::Status(status));
        }
        let body = answer.body_mut().with_config().limit(MAX_RESPONSE);
        Ok(body.read_to_string()?)
    }
}
