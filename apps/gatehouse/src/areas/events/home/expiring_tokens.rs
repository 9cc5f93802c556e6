//! Access tokens of the visitor that expire soon, for the home page.

use accounts::{AccessToken, TokenFilter};
use api_conventions::ids::UserId;
use api_conventions::page::OffsetPage;
use api_conventions::time::{CalendarDate, Timestamp};
use gatehouse_core::database::ReadTransaction;
use storage::{StoreError, StoreErrorKind};

use crate::frame::page::display_name::DisplayName;
use crate::frame::token_expiry;

/// Active tokens that are read. An index has them by user and id, not by expiry.
const MAX_READ: u64 = 100;

/// Most tokens on the page.
const MAX_SHOWN: usize = 5;

/// Access token that expires soon.
pub(super) struct ExpiringToken {
    pub(super) name: DisplayName,
    /// First day on which the token is no longer valid.
    pub(super) day: CalendarDate,
}

/// Lists the active personal tokens of a user that expire soon, in the order of their expiry.
/// Only the oldest 100 active tokens are considered, which bounds the work; the page of tokens marks all that expire
/// soon.
///
/// # Errors
/// Failures of the store.
pub(super) fn expiring_tokens(
    tx: &mut dyn ReadTransaction,
    user_id: UserId,
    now: Timestamp,
) -> Result<Vec<ExpiringToken>, StoreError> {
    let filter = TokenFilter::active_personal_of(user_id, now.date());
    match tx.list_tokens(&filter, OffsetPage::new(1, MAX_READ)) {
        Ok(page) => Ok(soonest(page.items, now)),
        // The home page also works for a user with far too many tokens.
        Err(error) if error.kind() == StoreErrorKind::TooMuchWork => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Selects the tokens that expire soon.
fn soonest(mut tokens: Vec<AccessToken>, now: Timestamp) -> Vec<ExpiringToken> {
    tokens.retain(|token| token_expiry::is_near(token.expires_on.start(), now));
    tokens.sort_by_key(|token| token.expires_on);
    let shown = tokens.iter().take(MAX_SHOWN);
    let row = |token: &AccessToken| ExpiringToken {
        name: DisplayName::of(&token.name),
        day: token.expires_on,
    };
    shown.map(row).collect()
}

#[cfg(test)]
mod tests {
    use accounts::{TokenKind, TokenState};
    use api_conventions::ids::TokenId;
    use api_conventions::scope::ScopeSet;

    use super::*;

    fn token(id: i64, day: &str) -> AccessToken {
        AccessToken {
            id: TokenId::new(id),
            user_id: UserId::new(1),
            name: format!("token {id}"),
            kind: TokenKind::Personal,
            family_id: None,
            scopes: ScopeSet::default(),
            expires_on: CalendarDate::parse(day).unwrap(),
            state: TokenState::Active,
            creator_id: None,
            created_at: Timestamp::MIN,
            last_used_at: None,
        }
    }

    fn names(tokens: Vec<AccessToken>) -> String {
        let now = Timestamp::parse_rfc3339("2026-03-01T12:00:00Z").unwrap();
        let shown = soonest(tokens, now);
        let names: Vec<&str> = shown.iter().map(|token| token.name.whole()).collect();
        names.join(", ")
    }

    #[test]
    fn tokens_that_expire_within_thirty_days_are_listed_by_their_expiry() {
        let tokens = vec![
            token(1, "2026-03-31"),
            token(2, "2026-04-01"),
            token(3, "2026-03-02"),
            token(4, "9999-12-31"),
        ];
        assert_eq!(names(tokens), "token 3, token 1");
    }

    #[test]
    fn the_list_has_five_tokens_at_most() {
        let tokens = (1..9).map(|id| token(id, "2026-03-09")).collect();
        let expected = "token 1, token 2, token 3, token 4, token 5";
        assert_eq!(names(tokens), expected);
    }
}
