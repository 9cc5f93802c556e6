//! Request data for the spam check, and the responses to suspected spam (`SPAM-01`).

use accounts::User;
use actix_web::HttpRequest;
use actix_web::http::header::USER_AGENT;
use api_conventions::error::ApiError;
use api_conventions::ids::SpamLogId;
use gatehouse_core::spam::{
    Clearance, HeldContent, Intent, Sender, Solution, SpamCheck, SpamVerdict,
};
use web_conventions::failure::Failure;

use super::api::ApiRequest;
use super::client::client_address;
use super::project_user::UserInProject;
use crate::state::{AppState, Behaviour};

/// Seconds after which a CAPTCHA solution that could not be verified may be sent again.
pub const RETRY_SECONDS: u32 = 10;

/// Data about the sender of a request for an external spam service.
pub fn sender(request: &HttpRequest, state: &AppState, user: &User) -> Sender {
    let agent = request.headers().get(USER_AGENT);
    let agent = agent.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let address = client_address(request, state);
    Sender {
        username: user.username.as_str().to_owned(),
        address: address.map_or_else(String::new, |address| address.to_string()),
        agent: agent.unwrap_or_default(),
    }
}

/// Advice for the author of suspected spam.
pub fn advice(held: &HeldContent) -> &'static str {
    if held.site_key.is_some() {
        "Your issue looks like spam. Edit the text, or solve the CAPTCHA to publish it."
    } else {
        "Your issue looks like spam. Edit the text to publish it."
    }
}

/// CAPTCHA solution in the headers of a request (specification, Status codes); `None` unless both headers are present.
fn solution(request: &HttpRequest, state: &AppState) -> Option<Solution> {
    let service = &state.settings.naming.service;
    let header = |name: &str| {
        let value = request.headers().get(format!("x-{service}-{name}"));
        value.and_then(|value| value.to_str().ok())
    };
    let log = header("spam-log-id")?.trim().parse().ok()?;
    Some(Solution {
        log: SpamLogId::new(log),
        response: header("captcha-response")?.to_owned(),
    })
}

impl ApiRequest {
    /// Spam check.
    pub fn spam(&self) -> &SpamCheck {
        &self.state.spam
    }
}

impl<C, S> UserInProject<C, S> {
    /// Checks what the user is about to write.
    ///
    /// # Errors
    /// 409 with the data for a CAPTCHA, or 400 if there is none, for suspected spam; 503 if a solution cannot be
    /// verified; failures of the store.
    pub async fn judge(&self, intent: Intent) -> Result<Clearance, Failure> {
        let (request, state) = (&self.request, &self.state);
        let offers = state.releases.has_for(request, Behaviour::CaptchaHeaders);
        let sender = sender(request, state, self.user());
        let solution = solution(request, state);
        let checked = state.spam.check(
            &state.database,
            intent,
            sender,
            solution,
            offers,
            self.now(),
        );
        match checked.await? {
            SpamVerdict::Cleared(clearance) => Ok(clearance),
            SpamVerdict::Unverified => Err(ApiError::unavailable(RETRY_SECONDS).into()),
            SpamVerdict::Held(held) => {
                let refusal = match &held.site_key {
                    Some(key) => ApiError::captcha_needed(advice(&held), held.log, key),
                    None => ApiError::looks_like_spam(advice(&held)),
                };
                Err(Failure::from(refusal).because("held as spam"))
            }
        }
    }
}
