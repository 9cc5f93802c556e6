//! Filters of `GET /api/v4/users`.

use accounts::{UserFilter, UserOrder};
use api_conventions::error::ApiError;
use api_conventions::ids::UserId;
use api_conventions::page::SortOrder;
use api_conventions::params::Params;
use projects::Viewer;
use web_conventions::operations::{Kind, Parameter, Unbuilt};

/// Values of `two_factor`.
const TWO_FACTOR: &[&str] = &["enabled", "disabled"];

/// Filters of the API that are not supported.
pub(super) const UNBUILT: [Unbuilt; 9] = [
    Unbuilt::Flag("auditors"),
    Unbuilt::Flag("exclude_active"),
    Unbuilt::Flag("exclude_humans"),
    Unbuilt::Flag("skip_ldap"),
    Unbuilt::Flag("without_projects"),
    Unbuilt::Value("custom_attributes"),
    Unbuilt::Value("extern_uid"),
    Unbuilt::Value("provider"),
    Unbuilt::Value("saml_provider_id"),
];

/// Parameters of the list.
pub(super) fn parameters() -> [Parameter; 17] {
    let text = Kind::ANY_TEXT;
    let number = Kind::ANY_INTEGER;
    [
        Parameter::query(
            "username",
            text,
            "Only the user with this username, in any case. Anonymous callers need it.",
        ),
        Parameter::query(
            "search",
            text,
            "Only users whose name or username contains this, and the one with this e-mail address.",
        ),
        Parameter::query(
            "active",
            Kind::Boolean,
            "Only users who are active. Others are shown to administrators alone.",
        ),
        Parameter::query(
            "blocked",
            Kind::Boolean,
            "Only users who are blocked. They are shown to administrators alone.",
        ),
        Parameter::query("humans", Kind::Boolean, "Only people."),
        Parameter::query(
            "exclude_internal",
            Kind::Boolean,
            "No bots of the server: all bots are.",
        ),
        Parameter::query(
            "without_project_bots",
            Kind::Boolean,
            "No bots of projects: there are none.",
        ),
        Parameter::query(
            "external",
            Kind::Boolean,
            "Only external users: there are none.",
        ),
        Parameter::query(
            "exclude_external",
            Kind::Boolean,
            "No external users: there are none.",
        ),
        Parameter::query("id_after", number, "Only users with a greater number."),
        Parameter::query("id_before", number, "Only users with a smaller number."),
        Parameter::query(
            "created_after",
            Kind::Timestamp,
            "Only users who were made after this time.",
        ),
        Parameter::query(
            "created_before",
            Kind::Timestamp,
            "Only users who were made before this time.",
        ),
        Parameter::query(
            "admins",
            Kind::Boolean,
            "Only administrators. It counts for administrators alone.",
        ),
        Parameter::query(
            "two_factor",
            Kind::Word(TWO_FACTOR),
            "Only users with a second factor, or without. It counts for administrators alone.",
        ),
        Parameter::query(
            "order_by",
            Kind::Word(UserOrder::NAMES),
            "By what the list is ordered. It counts for administrators alone.",
        ),
        Parameter::query(
            "sort",
            Kind::Word(&SortOrder::NAMES),
            "In which direction. It counts for administrators alone.",
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
