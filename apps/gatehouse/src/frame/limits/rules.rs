//! Limits that apply to the calls of an operation, as a function of its declaration.

use actix_web::http::Method;
use url::form_urlencoded;
use web_conventions::operations::{Access, Declaration, RateClass};

use crate::config::RequestLimit;

/// Most limits of one call.
const MAX_LIMITS: usize = 3;

/// Sort of caller, as far as limits depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallerSort {
    /// Caller without valid credentials.
    Anonymous,
    /// User.
    User,
    /// Administrator of the instance.
    Administrator,
}

impl CallerSort {
    /// All sorts.
    pub(super) const ALL: [Self; 3] = [Self::Anonymous, Self::User, Self::Administrator];
}

/// Returns the limits of a call, in the order in which they are checked.
/// Public operations, intake and other protocols are exempt, except from a limit that the operation declares.
pub(super) fn limits_of(
    declaration: &Declaration,
    caller: CallerSort,
) -> [Option<RequestLimit>; MAX_LIMITS] {
    if declaration.rate == RateClass::Intake {
        return [None; MAX_LIMITS];
    }
    let is_anonymous = caller == CallerSort::Anonymous;
    let (of_all, protected) = match declaration.access {
        Access::Public(_) | Access::Protocol(_) => (None, None),
        Access::Api { .. } if is_anonymous => (Some(RequestLimit::UnauthenticatedApi), None),
        Access::Api { .. } => (Some(RequestLimit::AuthenticatedApi), None),
        Access::Page(_) => {
            let is_guess = declaration.rate == RateClass::Guess;
            let is_protected = is_guess && declaration.method != Method::GET;
            let of_all = if is_anonymous {
                RequestLimit::UnauthenticatedWeb
            } else {
                RequestLimit::AuthenticatedWeb
            };
            let protected = is_protected.then_some(RequestLimit::ProtectedPaths);
            (Some(of_all), protected)
        }
    };
    let declared = declaration.limit.and_then(RequestLimit::named);
    let declared = declared.and_then(|limit| applied(limit, caller));
    [of_all, protected, declared]
}

/// Returns the limit that a declared limit means for a caller.
fn applied(declared: RequestLimit, caller: CallerSort) -> Option<RequestLimit> {
    let is_anonymous = caller == CallerSort::Anonymous;
    match declared {
        RequestLimit::Search if is_anonymous => Some(RequestLimit::AnonymousSearch),
        RequestLimit::UserLookup => (caller == CallerSort::User).then_some(declared),
        RequestLimit::AnonymousProjectList => is_anonymous.then_some(declared),
        RequestLimit::TokenEndpoint => Some(declared),
        _ => (!is_anonymous).then_some(declared),
    }
}

/// True if a query has a search text.
pub(super) fn is_search(query: &str) -> bool {
    form_urlencoded::parse(query.as_bytes())
        .any(|(name, value)| name == "search" && !value.is_empty())
}

#[cfg(test)]
mod tests {
    use web_conventions::operations::{Operation, get, post};

    use super::*;
    use crate::frame::api::{AsCaller, AsUser};
    use crate::frame::form::SignInForm;
    use crate::frame::limits::LimitedOperation as _;
    use crate::frame::public::{Monitor, Sender};
    use crate::frame::scopes::{ReadApi, WriteApi};
    use crate::frame::visitor::Visitor;

    fn names(operation: &Operation) -> [String; 3] {
        CallerSort::ALL.map(|sort| {
            let limits = limits_of(operation.declaration(), sort);
            let names = limits.into_iter().flatten().map(RequestLimit::name);
            names.collect::<Vec<_>>().join(" ")
        })
    }

    async fn api(_: AsCaller<ReadApi>) -> &'static str {
        ""
    }

    async fn api_change(_: AsUser<WriteApi>) -> &'static str {
        ""
    }

    async fn page(_: Visitor) -> &'static str {
        ""
    }

    async fn form(_: SignInForm) -> &'static str {
        ""
    }

    async fn health(_: Monitor) -> &'static str {
        ""
    }

    async fn intake(_: Sender) -> &'static str {
        ""
    }

    #[test]
    fn limits_follow_from_the_declaration_and_the_caller() {
        let api_limits = [
            "unauthenticated_api",
            "authenticated_api",
            "authenticated_api",
        ];
        let list = || get("list", "/list", api);
        for (operation, expected) in [
            (list(), api_limits.map(str::to_owned)),
            (
                list().limited_by(RequestLimit::Search),
                [
                    "unauthenticated_api anonymous_search".to_owned(),
                    "authenticated_api search".to_owned(),
                    "authenticated_api search".to_owned(),
                ],
            ),
            (
                list().limited_by(RequestLimit::UserLookup),
                [
                    "unauthenticated_api".to_owned(),
                    "authenticated_api user_lookup".to_owned(),
                    "authenticated_api".to_owned(),
                ],
            ),
            (
                list().limited_by(RequestLimit::AnonymousProjectList),
                [
                    "unauthenticated_api anonymous_project_list".to_owned(),
                    "authenticated_api".to_owned(),
                    "authenticated_api".to_owned(),
                ],
            ),
            (
                post("create", "/create", api_change).limited_by(RequestLimit::IssueCreation),
                [
                    "unauthenticated_api".to_owned(),
                    "authenticated_api issue_creation".to_owned(),
                    "authenticated_api issue_creation".to_owned(),
                ],
            ),
            (
                get("page", "/page", page).rated(RateClass::Guess),
                [
                    "unauthenticated_web",
                    "authenticated_web",
                    "authenticated_web",
                ]
                .map(str::to_owned),
            ),
            (
                post("signIn", "/sign_in", form).rated(RateClass::Guess),
                [
                    "unauthenticated_web protected_paths".to_owned(),
                    "authenticated_web protected_paths".to_owned(),
                    "authenticated_web protected_paths".to_owned(),
                ],
            ),
            (get("health", "/health", health), Default::default()),
            (
                post("intake", "/intake", intake).rated(RateClass::Intake),
                Default::default(),
            ),
            (
                post("token", "/token", intake).limited_by(RequestLimit::TokenEndpoint),
                ["token_endpoint", "token_endpoint", "token_endpoint"].map(str::to_owned),
            ),
        ] {
            assert_eq!(names(&operation), expected, "{operation:?}");
        }
    }

    #[test]
    fn a_search_has_a_text() {
        for (query, expected) in [
            ("", false),
            ("search=", false),
            ("search=disk", true),
            ("page=2&search=disk", true),
            ("sea%72ch=disk", true),
            ("research=disk", false),
        ] {
            assert_eq!(is_search(query), expected, "{query}");
        }
    }
}
