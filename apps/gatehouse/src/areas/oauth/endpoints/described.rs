//! Parameters and documentation shared by the endpoints for clients.

use oauth_provider::wire::error::ErrorBody;
use oauth_provider::wire::form::MAX_VALUE_BYTES;
use oauth_provider::wire::token_request::GRANTS;
use web_conventions::operations::{Body, Operation, Parameter, ParameterKind};

/// Tag of the operations in the document.
const TAG: &str = "oauth";

/// Form value.
/// An empty value counts as omitted (RFC 6749, section 3.1).
const VALUE: ParameterKind = ParameterKind::Text { min: 0, max: MAX };
const REQUIRED: ParameterKind = ParameterKind::Text { min: 1, max: MAX };
#[expect(
    clippy::cast_possible_truncation,
    reason = "the limit is a few thousand"
)]
const MAX: u32 = MAX_VALUE_BYTES as u32;

/// Client credentials in the form, for clients that do not send the `Authorization` header.
pub(super) const CLIENT: [Parameter; 2] = [
    Parameter::form(
        "client_id",
        VALUE,
        "Client ID, unless the Authorization header contains it.",
    ),
    Parameter::form(
        "client_secret",
        VALUE,
        "Client secret, unless the Authorization header contains it. Public clients have none.",
    ),
];

/// Parameters of a grant.
pub(super) const GRANT: [Parameter; 8] = [
    Parameter::form("grant_type", ParameterKind::Word(&GRANTS), "Grant type.").required(),
    Parameter::form(
        "code",
        VALUE,
        "Authorization code; required with authorization_code.",
    ),
    Parameter::form(
        "redirect_uri",
        VALUE,
        "Redirect URI to which the code was sent; required with authorization_code.",
    ),
    Parameter::form(
        "code_verifier",
        VALUE,
        "Code verifier (RFC 7636); required if the authorization request had a code challenge.",
    ),
    Parameter::form(
        "refresh_token",
        VALUE,
        "Refresh token; required with refresh_token. It can be used once.",
    ),
    Parameter::form(
        "scope",
        ParameterKind::Scope(&gatehouse_core::scopes::OFFERED_TO_APPLICATIONS),
        "Scopes of the access token: with refresh_token, at most those already granted; with password, `api` by default.",
    ),
    Parameter::form("username", VALUE, "Username; required with password."),
    Parameter::form(
        "password",
        VALUE,
        "Password of the user; required with password.",
    ),
];

/// Token of the request.
pub(super) const TOKEN: Parameter = Parameter::form("token", REQUIRED, ABOUT_TOKEN).required();
/// Token of a request that does nothing without one.
pub(super) const OPTIONAL_TOKEN: Parameter = Parameter::form("token", VALUE, ABOUT_TOKEN);
const ABOUT_TOKEN: &str = "Access token or refresh token.";

/// Hint about the type of the token.
pub(super) const HINT: Parameter = Parameter::form(
    "token_type_hint",
    VALUE,
    "Accepted and ignored: the server recognizes the type of a token.",
);

/// Access token in the query instead of the `Authorization` header.
pub(super) const IN_QUERY: Parameter = Parameter::query(
    "access_token",
    ParameterKind::ANY_TEXT,
    "Access token, for clients that cannot send the Authorization header. A token in two places is refused.",
);
/// Access token in a form (RFC 6750, section 2.2).
pub(super) const IN_FORM: Parameter = Parameter::form(
    "access_token",
    VALUE,
    "Access token, for clients that cannot send the Authorization header. A token in two places is refused.",
);

/// Documents an operation, whose errors have the format of RFC 6749.
pub(super) fn described(operation: Operation, summary: &'static str) -> Operation {
    operation
        .documented(TAG, summary)
        .refuses_with(Body::json::<ErrorBody<'static>>())
}
