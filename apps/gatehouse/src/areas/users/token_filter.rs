//! Filters of `GET /api/v4/personal_access_tokens`.

use accounts::{TokenFilter, TokenKind, TokenValidity, User};
use api_conventions::error::ApiError;
use api_conventions::ids::UserId;
use api_conventions::params::Params;
use api_conventions::time::CalendarDate;
use web_conventions::operations::{Parameter, ParameterKind, UnsupportedFilter};

/// Filters of the API that are not supported.
pub(super) const UNSUPPORTED_FILTERS: [UnsupportedFilter; 1] = [UnsupportedFilter::Value("sort")];

/// Values of `state`.
const STATES: &[&str] = &["active", "inactive"];

/// Parameters of the list.
pub(super) fn parameters() -> [Parameter; 8] {
    let time = ParameterKind::Timestamp;
    [
        Parameter::query(
            "user_id",
            ParameterKind::ID,
            "Only tokens of this user. Only administrators may list tokens of other users.",
        ),
        Parameter::query(
            "state",
            ParameterKind::Word(STATES),
            "Only tokens that are valid (`active`), or revoked and expired ones (`inactive`).",
        ),
        Parameter::query(
            "revoked",
            ParameterKind::Boolean,
            "Only tokens that were (`true`) or were not (`false`) revoked.",
        ),
        Parameter::query(
            "search",
            ParameterKind::ANY_TEXT,
            "Text to search for in names.",
        ),
        Parameter::query(
            "created_after",
            time,
            "Only tokens created after this time.",
        ),
        Parameter::query(
            "created_before",
            time,
            "Only tokens created before this time.",
        ),
        Parameter::query(
            "last_used_after",
            time,
            "Only tokens last used after this time.",
        ),
        Parameter::query(
            "last_used_before",
            time,
            "Only tokens last used before this time.",
        ),
    ]
}

/// Parses the filter of a request on `today`. Callers other than administrators list their own personal tokens.
///
/// # Errors
/// 401 for the tokens of another user; 400 for invalid values.
pub(super) fn read_filter(
    params: &Params,
    caller: &User,
    today: CalendarDate,
) -> Result<TokenFilter, ApiError> {
    let mut read = params.reader();
    let validity = |word: &str| match word {
        "active" => Some(TokenValidity::Valid(today)),
        "inactive" => Some(TokenValidity::Invalid(today)),
        _ => None,
    };
    let filter = TokenFilter {
        user_id: read.integer("user_id").map(UserId::new),
        kind: None,
        validity: read.word("state", validity),
        is_revoked: read.boolean("revoked"),
        search: read.text("search").filter(|text| !text.is_empty()),
        created_after: read.timestamp("created_after"),
        created_before: read.timestamp("created_before"),
        last_used_after: read.timestamp("last_used_after"),
        last_used_before: read.timestamp("last_used_before"),
    };
    read.finish()?;
    if caller.is_admin {
        return Ok(filter);
    }
    if filter.user_id.is_some_and(|id| id != caller.id) {
        return Err(ApiError::unauthorized());
    }
    Ok(TokenFilter {
        user_id: Some(caller.id),
        kind: Some(TokenKind::Personal),
        ..filter
    })
}
