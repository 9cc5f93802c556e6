//! `/api/v4/user/status` and `/api/v4/users/:id_or_username/status`: the status that a user shows to others.

use accounts::flow::find_user::find_user_named;
use accounts::model::is_emoji_name;
use accounts::{Availability, UserStatus};
use actix_web::HttpResponse;
use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::params::Params;
use api_conventions::time::Timestamp;
use gatehouse_core::flows::account::sees_profile;
use schemars::JsonSchema;
use serde::Serialize;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Operation, Parameter, ParameterKind, ResponseSpec, get, patch, put,
};

use super::people::NAMED;
use crate::frame::api::{AsCaller, AsUser};
use crate::frame::scopes::{ReadUser, WriteApi};

const OWN: &str = "/api/v4/user/status";

/// Durations after which a status is cleared, in seconds.
const DURATIONS: [(&str, i64); 7] = [
    ("30_minutes", 1_800),
    ("3_hours", 10_800),
    ("8_hours", 28_800),
    ("1_day", 86_400),
    ("3_days", 259_200),
    ("7_days", 604_800),
    ("30_days", 2_592_000),
];

const DURATION_NAMES: [&str; 7] = [
    "30_minutes",
    "3_hours",
    "8_hours",
    "1_day",
    "3_days",
    "7_days",
    "30_days",
];

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let status = || {
        ResponseSpec::json::<UserStatusJson>(200, "The status; `null` in every field without one.")
    };
    vec![
        get("showOwnStatus", OWN, show_own)
            .documented("users", "Get the status of the current user")
            .response(status()),
        put("replaceOwnStatus", OWN, replace)
            .documented(
                "users",
                "Set the status of the current user; parameters that are not sent are cleared",
            )
            .takes(parameters())
            .response(status()),
        patch("updateOwnStatus", OWN, update)
            .documented(
                "users",
                "Update the status of the current user; parameters that are not sent stay",
            )
            .takes(parameters())
            .response(status()),
        get("showUserStatus", "/api/v4/users/{id}/status", show)
            .documented("users", "Get the status of a user")
            .takes([NAMED])
            .response(status())
            .response(ResponseSpec::refusal(404, "User not found.")),
    ]
}

fn parameters() -> [Parameter; 4] {
    [
        Parameter::body(
            "emoji",
            ParameterKind::ANY_TEXT,
            "Name of an emoji, such as `coffee` (default of a status: `speech_balloon`).",
        ),
        Parameter::body(
            "message",
            ParameterKind::ANY_TEXT,
            "Message of at most 100 characters.",
        ),
        Parameter::body(
            "availability",
            ParameterKind::Word(&["not_set", "busy"]),
            "Whether the user is busy.",
        ),
        Parameter::body(
            "clear_status_after",
            ParameterKind::Word(&DURATION_NAMES),
            "Time after which the status is cleared.",
        ),
    ]
}

/// Status of a user.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct UserStatusJson {
    /// Name of an emoji.
    emoji: Option<String>,
    /// Message.
    message: Option<String>,
    /// `busy` or `not_set`.
    availability: Option<&'static str>,
    /// Message as HTML.
    message_html: String,
    /// Time at which the status is cleared.
    clear_status_at: Option<Timestamp>,
}

impl UserStatusJson {
    /// Creates the JSON of a status that is shown at `now`.
    fn new(status: Option<UserStatus>, now: Timestamp) -> Self {
        let status = status.filter(|status| !status.is_cleared(now));
        status.map_or_else(Self::default, |status| Self {
            message_html: escape(&status.message),
            emoji: Some(status.emoji),
            message: Some(status.message),
            availability: Some(status.availability.as_str()),
            clear_status_at: status.clear_at,
        })
    }
}

/// Escapes a text for HTML.
fn escape(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            other => html.push(other),
        }
    }
    html
}

async fn show_own(request: AsUser<ReadUser>) -> Result<HttpResponse, Failure> {
    let (id, now) = (request.caller().user.id, request.now());
    let found = request.read(move |tx| Ok(tx.find_user_status(id)?));
    request.json(&UserStatusJson::new(found.await?, now))
}

/// Responds with the status of a user. That of a private profile is empty for others.
async fn show(request: AsCaller<ReadUser>) -> Result<HttpResponse, Failure> {
    let name = request.segment(NAMED.name, "User")?;
    let (viewer, now) = (*request.caller(), request.now());
    let found = request.read(move |tx| {
        let user = find_user_named(tx, &name)?.ok_or_else(|| ApiError::not_found("User"))?;
        if !sees_profile(viewer, &user) {
            return Ok(None);
        }
        Ok(tx.find_user_status(user.id)?)
    });
    request.json(&UserStatusJson::new(found.await?, now))
}

async fn replace(request: AsUser<WriteApi>) -> Result<HttpResponse, Failure> {
    let edit = UserStatusEdit::read(request.params(), request.now())?;
    store(&request, edit, false).await
}

async fn update(request: AsUser<WriteApi>) -> Result<HttpResponse, Failure> {
    let edit = UserStatusEdit::read(request.params(), request.now())?;
    store(&request, edit, true).await
}

/// Stores the edited status; `keeps` what was not sent. A status without emoji, message and availability is deleted.
async fn store(
    request: &AsUser<WriteApi>,
    edit: UserStatusEdit,
    keeps: bool,
) -> Result<HttpResponse, Failure> {
    let (id, now) = (request.caller().user.id, request.now());
    let stored = request.write(move |tx| {
        let before = tx
            .find_user_status(id)?
            .filter(|before| keeps && !before.is_cleared(now));
        let status = edit.clone().applied_to(before);
        match &status {
            Some(status) => tx.put_user_status(id, status)?,
            None => drop(tx.delete_user_status(id)?),
        }
        Ok(status)
    });
    request.json(&UserStatusJson::new(stored.await?, now))
}

/// Values of a request; `None` for those that were not sent.
#[derive(Debug, Clone)]
struct UserStatusEdit {
    emoji: Option<String>,
    message: Option<String>,
    availability: Option<Availability>,
    clear_at: Option<Timestamp>,
}

impl UserStatusEdit {
    fn read(params: &Params, now: Timestamp) -> Result<Self, ApiError> {
        let mut read = params.reader();
        let emoji = read.text("emoji");
        let message = read.text("message");
        let availability = read.word("availability", Availability::parse);
        let seconds = read.word("clear_status_after", |word| {
            let found = DURATIONS.iter().find(|(name, _)| *name == word);
            found.map(|(_, seconds)| *seconds)
        });
        read.finish()?;
        let mut failures = ValidationFailures::default();
        if emoji
            .as_deref()
            .is_some_and(|name| !name.is_empty() && !is_emoji_name(name))
        {
            failures.add("emoji", "is not included in the list");
        }
        let length = message.as_deref().map_or(0, |text| text.chars().count());
        if length > UserStatus::MAX_MESSAGE {
            failures.add("message", "is too long (maximum is 100 characters)");
        }
        if !failures.is_empty() {
            return Err(ApiError::validation(&failures));
        }
        Ok(Self {
            emoji,
            message,
            availability,
            clear_at: seconds.map(|seconds| now.plus_seconds(seconds)),
        })
    }

    /// Returns the status with the values of the request; `None` for an empty one.
    fn applied_to(self, before: Option<UserStatus>) -> Option<UserStatus> {
        let base = before.unwrap_or(UserStatus {
            emoji: String::new(),
            message: String::new(),
            availability: Availability::NotSet,
            clear_at: None,
        });
        let emoji = self.emoji.unwrap_or(base.emoji);
        let message = self.message.unwrap_or(base.message);
        let is_availability_sent = self.availability.is_some();
        let availability = self.availability.unwrap_or(base.availability);
        if emoji.is_empty() && message.is_empty() && !is_availability_sent {
            return None;
        }
        Some(UserStatus {
            emoji: if emoji.is_empty() {
                UserStatus::DEFAULT_EMOJI.to_owned()
            } else {
                emoji
            },
            message,
            availability,
            clear_at: self.clear_at.or(base.clear_at),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_status_is_none_and_one_without_emoji_has_the_default() {
        let edit = |emoji: Option<&str>, message: Option<&str>, availability| UserStatusEdit {
            emoji: emoji.map(str::to_owned),
            message: message.map(str::to_owned),
            availability,
            clear_at: None,
        };
        assert_eq!(edit(None, Some(""), None).applied_to(None), None);
        let said = edit(None, Some("lunch"), None).applied_to(None).unwrap();
        assert_eq!(said.emoji, "speech_balloon");
        let busy = edit(None, None, Some(Availability::Busy));
        let busy = busy.applied_to(Some(said)).unwrap();
        assert_eq!(
            (busy.message.as_str(), busy.availability),
            ("lunch", Availability::Busy)
        );
        assert_eq!(
            escape("<a href='x'>&\""),
            "&lt;a href=&#39;x&#39;&gt;&amp;&quot;"
        );
    }

    #[test]
    fn the_durations_are_the_documented_ones() {
        assert_eq!(DURATIONS.map(|(name, _)| name), DURATION_NAMES);
    }
}
