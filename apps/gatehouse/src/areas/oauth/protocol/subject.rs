//! Claims about a user, as far as applications may read them.

use std::collections::BTreeMap;

use accounts::User;
use api_conventions::access::AccessLevel;
use api_conventions::time::Timestamp;
use oauth_provider::scopes::ReleasedClaims;
use oauth_provider::wire::Subject;
use projects::UserGroup;
use storage::StoreError;

use crate::frame::lane;
use crate::state::AppState;

/// Returns the claims that applications may read about a user.
/// The groups are loaded only for a token that releases them; any other token needs no database access.
///
/// # Errors
/// Failures of the store.
pub async fn subject(
    state: &AppState,
    user: &User,
    released: ReleasedClaims,
    now: Timestamp,
) -> Result<Subject, StoreError> {
    let groups = if released.groups {
        let (id, today) = (user.id, now.date());
        state
            .database
            .read(lane::of_user(id), move |tx| {
                tx.list_groups_of_user(id, today)
            })
            .await?
    } else {
        Vec::new()
    };
    let path = |group: &UserGroup| group.full_path.as_str().to_owned();
    let direct = groups.iter().filter(|group| group.is_direct);
    let mut subject = Subject::new(
        user.id,
        user.name.clone(),
        user.username.as_str(),
        format!("{}/{}", state.base_url, user.username.as_str()),
    );
    // Administrators create accounts with their addresses; users cannot enter another user's address.
    subject.email = (!user.email.is_empty()).then(|| (user.email.clone(), true));
    subject.group_roles = group_roles(state, &groups);
    subject.direct_groups = direct.map(path).collect();
    subject.groups = groups.iter().map(path).collect();
    Ok(subject)
}

/// Roles for which existing clients know a claim.
const ROLES: [(AccessLevel, &str); 3] = [
    (AccessLevel::Owner, "owner"),
    (AccessLevel::Maintainer, "maintainer"),
    (AccessLevel::Developer, "developer"),
];

/// Names of the claims about roles in groups, which contain the name of the service.
pub fn role_claims(state: &AppState) -> impl Iterator<Item = (AccessLevel, String)> {
    let service = &state.settings.naming.service;
    ROLES
        .into_iter()
        .map(move |(level, role)| (level, format!("https://{service}.org/claims/groups/{role}")))
}

fn group_roles(state: &AppState, groups: &[UserGroup]) -> BTreeMap<String, Vec<String>> {
    let of = |level| -> Vec<String> {
        let held = groups.iter().filter(move |group| group.level == level);
        held.map(|group| group.full_path.as_str().to_owned())
            .collect()
    };
    role_claims(state)
        .map(|(level, name)| (name, of(level)))
        .filter(|(_, paths): &(_, Vec<String>)| !paths.is_empty())
        .collect()
}
