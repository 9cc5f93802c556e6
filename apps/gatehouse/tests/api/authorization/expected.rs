//! Expected status and body for a caller, derived from the declaration of an operation.

use api_conventions::access::AccessLevel;
use api_conventions::scope::Scope;
use serde_json::{Value, json};
use web_conventions::operations::{Declaration, Needs, ResourceKind};

use super::tested_callers::{CallerRights, TestedCaller};
use crate::support::TestResponse;

/// The operation that refuses anonymous callers with 403.
const SHOW_USER: &str = "showUser";

/// Expected status of a request that is valid except for its caller.
pub(super) fn expected(declared: &Declaration, tested: &TestedCaller) -> u16 {
    let needs = declared.access.needs().unwrap();
    if let CallerRights::Refused(status) = tested.rights {
        return status;
    }
    if tested.rights != CallerRights::Anonymous
        && !tested.scopes.allows_any(declared.access.scopes())
    {
        return 403;
    }
    let refused = match (needs, tested.rights) {
        // Private resources are hidden from callers who may not see them.
        (Needs::CanView(_) | Needs::RoleUnlessOpen(..), CallerRights::Anonymous)
        | (
            Needs::CanView(_)
            | Needs::Role(..)
            | Needs::RoleUnlessOpen(..)
            | Needs::UserCanView(_)
            | Needs::RoleOrAuthor(..),
            CallerRights::User(None),
        ) => Some(404),
        (Needs::Nothing | Needs::CanView(_), _) => None,
        (_, CallerRights::Anonymous) => Some(401),
        (Needs::Administrator, CallerRights::User(_)) => Some(403),
        // The sample has a token of another user.
        (_, CallerRights::User(_))
            if ["showPersonalAccessToken", "rotatePersonalAccessToken"].contains(&declared.id) =>
        {
            Some(401)
        }
        (_, CallerRights::User(_)) if declared.id == "revokePersonalAccessToken" => Some(400),
        // The samples have events of the server, and these members read only their own.
        (Needs::Role(_, least), CallerRights::User(Some(role)))
            if role >= least && reader_of_all_events(declared).is_some_and(|all| role < all) =>
        {
            Some(404)
        }
        // Only Maintainers of its project manage the runner of the samples.
        (Needs::User, CallerRights::User(role))
            if is_of_runner(declared.id) && role < Some(AccessLevel::Maintainer) =>
        {
            Some(403)
        }
        // The samples have public snippets of another user.
        (_, CallerRights::User(_)) if ["updateSnippet", "deleteSnippet"].contains(&declared.id) => {
            Some(403)
        }
        // The samples have channels of another user.
        (_, CallerRights::User(_)) if is_own_channel(declared.id) => Some(404),
        // The sample updates another user.
        (_, CallerRights::User(_)) if declared.id == "updateUser" => Some(403),
        (
            Needs::Role(_, least) | Needs::RoleUnlessOpen(_, least) | Needs::RoleOrAuthor(_, least),
            CallerRights::User(Some(role)),
        ) if role < least_for_others(declared).unwrap_or(least) => Some(low_role(declared.id)),
        _ => None,
    };
    // Clients know this refusal of anonymous callers.
    let is_of_person = declared.id == SHOW_USER && tested.rights == CallerRights::Anonymous;
    let refused = refused.or_else(|| is_of_person.then_some(403));
    // Only a personal access token can show, rotate and revoke itself.
    let is_own_token = ["revokeOwnToken", "rotateOwnToken", "showOwnToken"].contains(&declared.id);
    let refused = refused.or_else(|| (is_own_token && !tested.is_personal).then_some(400));
    refused.unwrap_or_else(|| success(declared))
}

/// True if the operation is for the owner of a notification channel.
fn is_own_channel(operation: &str) -> bool {
    [
        "showUserNotificationChannel",
        "updateUserNotificationChannel",
        "deleteUserNotificationChannel",
        "testUserNotificationChannel",
        "listUserNotificationMessages",
    ]
    .contains(&operation)
}

/// True if the operation requires a manager of the runner.
fn is_of_runner(operation: &str) -> bool {
    [
        "createRunner",
        "showRunner",
        "updateRunner",
        "deleteRunner",
        "listRunnerJobs",
        "resetRunnerToken",
    ]
    .contains(&operation)
}

/// The least role that removes other members, as the samples do: every member may leave. Removing a project from a
/// group takes an Owner of the project, and those of the samples own it through the same groups.
fn least_for_others(declared: &Declaration) -> Option<AccessLevel> {
    match declared.id {
        "removeProjectMember" => Some(AccessLevel::Maintainer),
        "removeGroupMember" | "transferProjectToGroup" => Some(AccessLevel::Owner),
        _ => None,
    }
}

/// The least role that shows audit events of others.
fn reader_of_all_events(declared: &Declaration) -> Option<AccessLevel> {
    match declared.id {
        "showProjectAuditEvent" => Some(AccessLevel::Maintainer),
        "showGroupAuditEvent" => Some(AccessLevel::Owner),
        _ => None,
    }
}

/// Refusal of a member whose role is too low.
fn low_role(operation: &str) -> u16 {
    let is_of_token = ["ProjectAccessToken", "GroupAccessToken"]
        .iter()
        .any(|name| operation.contains(name));
    match operation {
        _ if !is_of_token => 403,
        _ if operation.starts_with("create") => 400,
        _ => 401,
    }
}

fn success(declared: &Declaration) -> u16 {
    let statuses = declared.responses.iter().map(|answer| answer.status);
    let mut successes = statuses.filter(|status| (200..300).contains(status));
    successes.next().unwrap()
}

/// Body and challenge of a refusal.
pub(super) struct ExpectedRefusal {
    body: Value,
    /// The value of `WWW-Authenticate`, if the table specifies one.
    challenge: Option<String>,
}

impl ExpectedRefusal {
    fn message(text: &str) -> Self {
        Self {
            body: json!({ "message": text }),
            challenge: None,
        }
    }

    /// The refusal of a token without the scope lists the accepted scopes (RFC 6750, section 3.1).
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

    /// True if the response is this refusal.
    pub(super) fn is(&self, answer: &TestResponse) -> bool {
        let challenge = answer.header("www-authenticate");
        answer.json() == self.body
            && (self.challenge.is_none() || challenge == self.challenge.as_deref())
    }
}

/// Expected body of a refusal. `None` for a success, and where other tests check the body: for blocked users, and for
/// callers who act as others.
pub(super) fn expected_refusal(
    declared: &Declaration,
    tested: &TestedCaller,
    status: u16,
) -> Option<ExpectedRefusal> {
    let is_user = !matches!(
        tested.rights,
        CallerRights::Anonymous | CallerRights::Refused(_)
    );
    let lacks_scope = is_user && !tested.scopes.allows_any(declared.access.scopes());
    match (status, tested.rights) {
        (401, _) => Some(ExpectedRefusal::message("401 Unauthorized")),
        (403, CallerRights::Refused(_)) => None,
        (403, CallerRights::Anonymous) if declared.id == SHOW_USER => {
            Some(ExpectedRefusal::message("403 Forbidden - Not authorized!"))
        }
        (403, _) if lacks_scope => Some(ExpectedRefusal::insufficient_scope(declared)),
        (403, _) => Some(ExpectedRefusal::message("403 Forbidden")),
        (404, CallerRights::User(Some(_))) if reader_of_all_events(declared).is_some() => {
            Some(ExpectedRefusal::message("404 Audit Event Not Found"))
        }
        (404, _) if declared.id == "showRegistryRepository" => {
            Some(ExpectedRefusal::message("404 Image repository Not Found"))
        }
        (404, _) if is_own_channel(declared.id) => Some(ExpectedRefusal::message(
            "404 Notification Channel Not Found",
        )),
        (404, _) => Some(ExpectedRefusal::message(match declared.access.needs() {
            Some(Needs::CanView(ResourceKind::Group) | Needs::Role(ResourceKind::Group, _)) => {
                "404 Group Not Found"
            }
            _ => "404 Project Not Found",
        })),
        _ => None,
    }
}
