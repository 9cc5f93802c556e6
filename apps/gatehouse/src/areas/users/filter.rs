//! Filters of `GET /api/v4/users`.

use accounts::{UserFilter, UserOrder};
use api_conventions::error::ApiError;
use api_conventions::ids::UserId;
use api_conventions::page::SortOrder;
use api_conventions::params::Params;
use projects::Viewer;
use web_conventions::operations::{Parameter, ParameterKind, UnsupportedFilter};

/// Values of `two_factor`.
const TWO_FACTOR: &[&str] = &["enabled", "disabled"];

/// Filters of the API that are not supported.
pub(super) const UNSUPPORTED_FILTERS: [UnsupportedFilter; 9] = [
    UnsupportedFilter::Flag("auditors"),
    UnsupportedFilter::Flag("exclude_active"),
    UnsupportedFilter::Flag("exclude_humans"),
    UnsupportedFilter::Flag("skip_ldap"),
    UnsupportedFilter::Flag("without_projects"),
    UnsupportedFilter::Value("custom_attributes"),
    UnsupportedFilter::Value("extern_uid"),
    UnsupportedFilter::Value("provider"),
    UnsupportedFilter::Value("saml_provider_id"),
];

/// Parameters of the list.
pub(super) fn parameters() -> [Parameter; 17] {
    let text = ParameterKind::ANY_TEXT;
    let number = ParameterKind::ANY_INTEGER;
    [
        Parameter::query(
            "username",
            text,
            "Filter by username, ignoring case. Required for anonymous callers.",
        ),
        Parameter::query(
            "search",
            text,
            "Text to search for in names and usernames, or an exact email address.",
        ),
        Parameter::query(
            "active",
            ParameterKind::Boolean,
            "Only active users. Other users are visible to administrators only.",
        ),
        Parameter::query(
            "blocked",
            ParameterKind::Boolean,
            "Only blocked users, who are visible to administrators only.",
        ),
        Parameter::query(
            "humans",
            ParameterKind::Boolean,
            "Only human users, not bots.",
        ),
        Parameter::query(
            "exclude_internal",
            ParameterKind::Boolean,
            "Exclude bots: all bots of this server are internal users.",
        ),
        Parameter::query(
            "without_project_bots",
            ParameterKind::Boolean,
            "Exclude project bots, of which this server has none.",
        ),
        Parameter::query(
            "external",
            ParameterKind::Boolean,
            "Only external users, of which this server has none.",
        ),
        Parameter::query(
            "exclude_external",
            ParameterKind::Boolean,
            "Exclude external users, of which this server has none.",
        ),
        Parameter::query("id_after", number, "Only users with a higher ID."),
        Parameter::query("id_before", number, "Only users with a lower ID."),
        Parameter::query(
            "created_after",
            ParameterKind::Timestamp,
            "Only users created after this time.",
        ),
        Parameter::query(
            "created_before",
            ParameterKind::Timestamp,
            "Only users created before this time.",
        ),
        Parameter::query(
            "admins",
            ParameterKind::Boolean,
            "Only administrators. Ignored unless the caller is an administrator.",
        ),
        Parameter::query(
            "two_factor",
            ParameterKind::Word(TWO_FACTOR),
            "Filter by two-factor authentication. Ignored unless the caller is an administrator.",
        ),
        Parameter::query(
            "order_by",
            ParameterKind::Word(UserOrder::NAMES),
            "Sort column. Ignored unless the caller is an administrator.",
        ),
        Parameter::query(
            "sort",
            ParameterKind::Word(&SortOrder::NAMES),
            "Sort direction. Ignored unless the caller is an administrator.",
        ),
    ]
}

/// Parses the filter of a request.
/// Callers other than administrators list active users only, the newest first, and filters for administrators have no
/// effect for them.
///
/// # Errors
/// 403 for anonymous callers without a username; 400 for invalid values.
pub(super) fn read_filter(params: &Params, viewer: Viewer) -> Result<UserFilter, ApiError> {
    let mut read = params.reader();
    let username = read.text("username").filter(|text| !text.is_empty());
    if viewer == Viewer::Anonymous && username.is_none() {
        let reason = "Not authorized to access /api/v4/users";
        return Err(ApiError::forbidden_because(reason));
    }
    let mut flag = |name| read.boolean(name).unwrap_or_default();
    let [active, blocked, admins] = ["active", "blocked", "admins"].map(&mut flag);
    let [humans, exclude_internal] = ["humans", "exclude_internal"].map(&mut flag);
    let [external, ..] = ["external", "exclude_external", "without_project_bots"].map(&mut flag);
    let is_enabled = |word: &str| TWO_FACTOR.contains(&word).then_some(word == "enabled");
    let filter = UserFilter {
        username,
        search: read.text("search").filter(|text| !text.is_empty()),
        search_in_emails: true,
        active,
        blocked,
        humans: humans || exclude_internal,
        admins,
        two_factor: read.word("two_factor", is_enabled),
        id_after: read.integer("id_after").map(UserId::new),
        id_before: read.integer("id_before").map(UserId::new),
        created_after: read.timestamp("created_after"),
        created_before: read.timestamp("created_before"),
        order_by: read.word("order_by", UserOrder::parse).unwrap_or_default(),
        sort: read.word("sort", SortOrder::parse).unwrap_or_default(),
    };
    read.finish()?;
    let filter = if external { nobody(filter) } else { filter };
    Ok(match viewer {
        Viewer::Administrator(_) => filter,
        Viewer::User(_) | Viewer::Anonymous => for_others(filter),
    })
}

/// Filter that matches no user: no user is external, and no id is less than 1.
fn nobody(filter: UserFilter) -> UserFilter {
    let id_before = Some(UserId::new(1));
    UserFilter {
        id_before,
        ..filter
    }
}

/// Filter for callers who are not administrators.
fn for_others(filter: UserFilter) -> UserFilter {
    UserFilter {
        active: true,
        search_in_emails: false,
        admins: false,
        two_factor: None,
        order_by: UserOrder::default(),
        sort: SortOrder::default(),
        ..filter
    }
}
