//! Which status a caller gets, from what an operation declares.

use web_conventions::operations::{Declaration, Needs};

use super::subjects::{Standing, Subject};

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
        (Needs::Sight(_), Standing::Nobody)
        | (Needs::Sight(_) | Needs::Role(..), Standing::User(None)) => Some(404),
        (Needs::Nothing | Needs::Sight(_), _) => None,
        (_, Standing::Nobody) => Some(401),
        (Needs::Administrator, Standing::User(_)) => Some(403),
        (Needs::Role(_, least), Standing::User(Some(role))) if role < least => Some(403),
        _ => None,
    };
    // Only a personal access token can revoke itself.
    let is_own_token = declared.id == "revokeOwnToken";
    let refused = refused.or_else(|| (is_own_token && !subject.is_personal).then_some(400));
    refused.unwrap_or_else(|| success(declared))
}

fn success(declared: &Declaration) -> u16 {
    let statuses = declared.answers.iter().map(|answer| answer.status);
    let mut successes = statuses.filter(|status| (200..300).contains(status));
    successes.next().unwrap()
}
