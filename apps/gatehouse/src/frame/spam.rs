//! Request data for the spam check, and the responses to suspected spam (`SPAM-01`).

use accounts::User;
use actix_web::HttpRequest;
use actix_web::http::header::USER_AGENT;
use api_conventions::error::ApiError;
use api_conventions::ids::SpamLogId;
use gatehouse_core::spam::{
    Clearance, HeldContent, Intent, Sender, Solution, SpamCheck, SpamVerdict,
};
use projects::SnippetEdit;
use web_conventions::failure::Failure;

use super::api::{ApiRequest, AsUser};
use super::client::client_address;
use super::project_user::UserInProject;
use super::scopes::Scopes;
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

/// Kind of a text that is checked for spam.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckedKind {
    /// An issue.
    Issue,
    /// A snippet.
    Snippet,
}

/// Advice for the author of suspected spam.
pub fn advice(kind: CheckedKind, held: &HeldContent) -> &'static str {
    match (kind, held.site_key.is_some()) {
        (CheckedKind::Issue, true) => {
            "Your issue looks like spam. Edit the text, or solve the CAPTCHA to publish it."
        }
        (CheckedKind::Issue, false) => "Your issue looks like spam. Edit the text to publish it.",
        (CheckedKind::Snippet, true) => {
            "Your snippet looks like spam. Edit the text, or solve the CAPTCHA to publish it."
        }
        (CheckedKind::Snippet, false) => {
            "Your snippet looks like spam. Edit the text to publish it."
        }
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

    /// Checks what a user is about to publish.
    ///
    /// # Errors
    /// 409 with the data for a CAPTCHA, or 400 if there is none, for suspected spam; 503 if a solution cannot be
    /// verified; failures of the store.
    async fn judge_for<C>(
        &self,
        user: &User,
        kind: CheckedKind,
        intent: Intent<C>,
    ) -> Result<Clearance<C>, Failure> {
        let (request, state) = (&self.request, &self.state);
        let offers = state.releases.has_for(request, Behaviour::CaptchaHeaders);
        let sender = sender(request, state, user);
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
                let advice = advice(kind, &held);
                let refusal = match &held.site_key {
                    Some(key) => ApiError::captcha_needed(advice, held.log, key),
                    None => ApiError::looks_like_spam(advice),
                };
                Err(Failure::from(refusal).because("held as spam"))
            }
        }
    }
}

impl<C, S> UserInProject<C, S> {
    /// Checks the issue that the user is about to publish.
    ///
    /// # Errors
    /// 409 with the data for a CAPTCHA, or 400 if there is none, for suspected spam; 503 if a solution cannot be
    /// verified; failures of the store.
    pub async fn judge(&self, intent: Intent) -> Result<Clearance, Failure> {
        self.judge_for(self.user(), CheckedKind::Issue, intent)
            .await
    }

    /// Checks the snippet that the user is about to publish.
    ///
    /// # Errors
    /// Same as [`Self::judge`].
    pub async fn judge_snippet(
        &self,
        intent: Intent<SnippetEdit>,
    ) -> Result<Clearance<SnippetEdit>, Failure> {
        self.judge_for(self.user(), CheckedKind::Snippet, intent)
            .await
    }
}

impl<S: Scopes> AsUser<S> {
    /// Checks the snippet that the user is about to publish.
    ///
    /// # Errors
    /// Same as [`UserInProject::judge`].
    pub async fn judge_snippet(
        &self,
        intent: Intent<SnippetEdit>,
    ) -> Result<Clearance<SnippetEdit>, Failure> {
        self.judge_for(&self.caller().user, CheckedKind::Snippet, intent)
            .await
    }
}
