//! Token info for anyone who holds the token: `/oauth/token/info` (`OAUTH-07`).

use api_conventions::ids::UserId;
use api_conventions::scope::Scope;
use api_conventions::time::Timestamp;
use serde::Serialize;

use crate::model::{ApplicationUid, TokenPair};
use crate::scopes::ScopeRegistry;

/// An active access token. Its members are serialized in this order. `scopes` and `expires_in_seconds` repeat two
/// members under their old names, which are slated for removal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TokenInfo {
    /// User for whom the token acts.
    pub resource_owner_id: i64,
    /// Scopes of the token.
    pub scope: Vec<String>,
    /// Whole seconds until the token expires; never negative.
    pub expires_in: i64,
    /// Application that holds the token.
    pub application: TokenApplication,
    /// Time of issue, in seconds since 1970.
    pub created_at: i64,
    /// The same as `scope`.
    pub scopes: Vec<String>,
    /// The same as `expires_in`.
    pub expires_in_seconds: i64,
}

/// Application of a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TokenApplication {
    /// Client id; `None` after a password grant without an application.
    pub uid: Option<String>,
}

impl TokenInfo {
    /// Creates the response for the access token of a pair that acts for this user at `now`, with its registered
    /// scopes. A token of an application itself has no such response: match its [subject](crate::model::TokenSubject),
    /// and use introspection instead.
    pub fn of(
        user_id: UserId,
        pair: &TokenPair,
        application: Option<&ApplicationUid>,
        registry: &ScopeRegistry,
        now: Timestamp,
    ) -> Self {
        let left = pair.expires_at.as_unix_seconds() - now.as_unix_seconds();
        let registered = registry.registered_in(&pair.scopes);
        let scope: Vec<String> = registered.iter().map(Scope::to_string).collect();
        Self {
            resource_owner_id: user_id.get(),
            scopes: scope.clone(),
            scope,
            expires_in: left.max(0),
            application: TokenApplication {
                uid: application.map(|uid| uid.as_str().to_owned()),
            },
            created_at: pair.created_at.as_unix_seconds(),
            expires_in_seconds: left.max(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use api_conventions::ids::{GrantId, TokenPairId};
    use api_conventions::scope::ScopeSet;

    use super::*;
    use crate::model::{TokenPairState, TokenSubject};
    use crate::scopes::samples::registry;

    const USER: UserId = UserId::new(42);

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000).unwrap()
    }

    #[test]
    fn all_members_are_there_with_or_without_an_application() {
        let pair = TokenPair {
            id: TokenPairId::new(1),
            grant_id: GrantId::new(2),
            subject: TokenSubject::User {
                user_id: USER,
                application_id: None,
            },
            scopes: ScopeSet::parse("read_user mystery api").unwrap(),
            created_at: at(1_700_000_000),
            expires_at: at(1_700_007_200),
            refresh_expires_at: None,
            state: TokenPairState::Current,
        };
        let uid = ApplicationUid::parse("app").unwrap();
        let json = |info: TokenInfo| serde_json::to_string(&info).unwrap();
        assert_eq!(
            json(TokenInfo::of(
                USER,
                &pair,
                Some(&uid),
                &registry(),
                at(1_700_000_100)
            )),
            r#"{"resource_owner_id":42,"scope":["api","read_user"],"expires_in":7100,"application":{"uid":"app"},"created_at":1700000000,"scopes":["api","read_user"],"expires_in_seconds":7100}"#
        );
        let late = TokenInfo::of(USER, &pair, None, &registry(), at(1_800_000_000));
        assert_eq!((late.expires_in, late.application.uid), (0, None));
    }
}
