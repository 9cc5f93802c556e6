//! Which status a caller gets and in which words, from what an operation declares.

use api_conventions::access::AccessLevel;
use api_conventions::scope::Scope;
use serde_json::{Value, json};
use web_conventions::operations::{Declaration, Needs, Place};

use super::subjects::{Standing, Subject};
use crate::support::Answer;

/// The operation that refuses anonymous callers with 403.
const SHOW_USER: &str = "showUser";

/// The status of a request that is right in all but who sends it.
pub(super) fn expected(declared: &Declaration, subject: &Subject) -> u16 {
    let needs = declared.access.needs().unwrap();
    if let Standing::Refused(status) = subject.standing {
        return status;
    }
    if subject.standing != Standing::Nobody && !subject.scopes.allows_any(declared.access.scopes())
    {
        return 403;
    }
    let refused = match (needs, subject.standing) {
        // What is private is hidden from anyone who may not see it.
        (Needs::Sight(_) | Needs::RoleUnlessOpen(..), Standing::Nobody)
        | (
            Needs::Sight(_)
            | Needs::Role(..)
            | Needs::RoleUnlessOpen(..)
            | Needs::UserSight(_)
            | Needs::RoleOrOwn(..),
            Standing::User(None),
        ) => Some(404),
        (Needs::Nothing | Needs::Sight(_), _) => None,
        (_, Standing::Nobody) => Some(401),
        (Needs::Administrator, Standing::User(_)) => Some(403),
        // The user of the sample is another one.
        (_, Standing::User(_)) if declared.id == "updateUser" => Some(403),
        (
            Needs::Role(_, least) | Needs::RoleUnlessOpen(_, least) | Needs::RoleOrOwn(_, least),
            Standing::User(Some(role)),
        ) if role < least_for_others(declared).unwrap_or(least) => Some(403),
        _ => None,
    };
    // Clients know the refusal of anonymous callers there.
    let is_of_person = declared.id == SHOW_USER && subject.standing == Standing::Nobody;
    let refused = refused.or_else(|| is_of_person.then_some(403));
    // Only a personal access token can revoke itself.
    let is_own_token = declared.id == "revokeOwnToken";
    let refused = refused.or_else(|| (is_own_token && !subject.is_personal).then_some(400));
    refused.unwrap_or_else(|| success(declared))
}

/// The role that it takes to remove other members, as the samples do: every member may leave. A group takes a project from
/// an Owner of that, and those of the samples are of the same groups.
fn least_for_others(declared: &Declaration) -> Option<AccessLevel> {
    match declared.id {
        "removeProjectMember" => Some(AccessLevel::Maintainer),
        "removeGroupMember" | "transferProjectToGroup" => Some(AccessLevel::Owner),
        _ => None,
    }
}

fn success(declared: &Declaration) -> u16 {
    let statuses = declared.answers.iter().map(|answer| answer.status);
    let mut successes = statuses.filter(|status| (200..300).contains(status));
    successes.next().unwrap()
}

/// How a refusal is worded.
pub(super) struct Refusal {
    body: Value,
    /// The value of `WWW-Authenticate`, where the table says one.
    challenge: Option<String>,
}

impl Refusal {
    fn message(text: &str) -> Self {
        Self {
            body: json!({ "message": text }),
            challenge: None,
        }
    }

    /// The refusal of a token that lacks the scope names those that there are (RFC 6750, section 3.1).
    fn insufficient_scope(declared: &Declaration) -> Self {
        let scopes = declared.access.scopes().iter();
        let scopes: Vec<&str> = scopes.map(Scope::as_str).collect();
        let needed = scopes.join(" ");
        let text = "The request requires higher privileges than provided by the access token.";
        Self {
            body: json!({
                "error": "insufficient_scope", "error_description": text, "scope": needed,
            }),
            challenge: Some(format!(
                "Bearer error=\"insufficient_scope\", scope=\"{needed}\""
            )),
        }
    }

    /// Whether an answer says this.
    pub(super) fn is(&self, answer: &Answer) -> bool {
        let challenge = answer.header("www-authenticate");
        answer.json() == self.body
            && (self.challenge.is_none() || challenge == self.challenge.as_deref())
    }
}

/// The words of a refusal; `None` for what is none, and where other tests know the words: of users who are blocked, and of
/// callers who act as others.
pub(super) fn refusal(declared: &Declaration, subject: &Subject, status: u16) -> Option<Refusal> {
    let is_user = !matches!(subject.standing, Standing::Nobody | Standing::Refused(_));
    let lacks_scope = is_user && !subject.scopes.allows_any(declared.access.scopes());
    match (status, subject.standing) {
        (401, _) => Some(Refusal::message("401 Unauthorized")),
        (403, Standing::Refused(_)) => None,
        (403, Standing::Nobody) if declared.id == SHOW_USER => {
            Some(Refusal::message("403 Forbidden - Not authorized!"))
        }
        (403, _) if lacks_scope => Some(Refusal::insufficient_scope(declared)),
        (403, _) => Some(Refusal::message("403 Forbidden")),
        (404, _) => Some(Refusal::message(match declared.access.needs() {
            Some(Needs::Sight(Place::Group) | Needs::Role(Place::Group, _)) => {
                "404 Group Not Found"
            }
            _ => "404 Project Not Found",
        })),
        _ => None,
    }
}
