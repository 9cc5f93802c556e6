//! Filters of lists of access tokens.

use api_conventions::ids::UserId;
use api_conventions::time::{CalendarDate, Timestamp};

use super::TokenKind;

/// Filter of a list of access tokens. All conditions must hold; the default is every token.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokenFilter {
    /// Only tokens that act for this user.
    pub user_id: Option<UserId>,
    /// Only tokens of this kind; those of a project or group, only of this one.
    pub kind: Option<TokenKind>,
    /// Only tokens that are valid on a day, or only the others.
    pub validity: Option<TokenValidity>,
    /// Only tokens that were (`true`) or were not (`false`) revoked, whether or not they have expired.
    pub is_revoked: Option<bool>,
    /// Only tokens whose name contains this text, ignoring case.
    pub search: Option<String>,
    /// Only tokens created after this time.
    pub created_after: Option<Timestamp>,
    /// Only tokens created before this time.
    pub created_before: Option<Timestamp>,
    /// Only tokens last used after this time.
    pub last_used_after: Option<Timestamp>,
    /// Only tokens last used before this time. A token that was never used does not match.
    pub last_used_before: Option<Timestamp>,
}

/// Validity of tokens on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenValidity {
    /// Tokens that are valid on this day.
    Valid(CalendarDate),
    /// Tokens that are revoked, or have expired by this day.
    Invalid(CalendarDate),
}

impl TokenFilter {
    /// Creates a filter of the personal tokens of a user that are valid on this day.
    pub fn active_personal_of(user_id: UserId, today: CalendarDate) -> Self {
        Self {
            user_id: Some(user_id),
            kind: Some(TokenKind::Personal),
            validity: Some(TokenValidity::Valid(today)),
            ..Self::default()
        }
    }

    /// Creates a filter of the tokens of a project or group.
    pub fn of_kind(kind: TokenKind) -> Self {
        Self {
            kind: Some(kind),
            ..Self::default()
        }
    }

    /// True if the filter names a user at most, so that an index has exactly the tokens of the list.
    pub fn is_by_user_alone(&self) -> bool {
        let by_user = Self {
            user_id: self.user_id,
            ..Self::default()
        };
        *self == by_user
    }
}
