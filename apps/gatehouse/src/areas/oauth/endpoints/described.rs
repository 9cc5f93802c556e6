//! Parameters and documentation shared by the endpoints for clients.

use oauth_provider::wire::error::ErrorBody;
use oauth_provider::wire::form::MAX_VALUE_BYTES;
use oauth_provider::wire::token_request::GRANTS;
use web_conventions::operations::{Body, Kind, Operation, Parameter};

/// Tag of the operations in the document.
const TAG: &str = "oauth";

/// Form value.
/// An empty value counts as omitted (RFC 6749, section 3.1).
const VALUE: Kind = Kind::Text { min: 0, max: MAX };
const REQUIRED: Kind = Kind::Text { min: 1, max: MAX };
#[expect(clippy::cast_possible_truncation, reason = "it is a few thousand")]
const MAX: u32 = MAX_VALUE_BYTES as u32;

/// Client credentials in the form, for clients that do not send the `Authorization` header.
pub(super) const CLIENT: [Parameter; 2] = [
    Parameter::form(
        "client_id",
        VALUE,
        "The application, unless the header Authorization names it.",
    ),
    Parameter::form(
        "client_secret",
        VALUE,
        "Its secret, unless it stands in the header Authorization. Public clients have none.",
    ),
];

/// Parameters of a grant.
pub(super) const GRANT: [Parameter; 8] = [
    Parameter::form("grant_type", Kind::Word(&GRANTS), "What is exchanged.").required(),
    Parameter::form(
        "code",
        VALUE,
        "The code, which is required with authorization_code.",
    ),
    Parameter::form(
        "redirect_uri",
        VALUE,
        "Where the code was sent, which is required with authorization_code.",
    ),
    Parameter::form(
        "code_verifier",
        VALUE,
        "The verifier of the code challenge (RFC 7636), where the authorization request had one.",
    ),
    Parameter::form(
        "refresh_token",
        VALUE,
        "The refresh token, which is required with refresh_token. It is used up.",
    ),
    Parameter::form(
        "scope",
        Kind::Scope(&gatehouse_core::scopes::OFFERED),
        "What the access token is to permit: with refresh_token no more than before, with password api unless given.",
    ),
    Parameter::form(
        "username",
        VALUE,
        "The username, which is required with password.",
    ),
    Parameter::form(
        "password",
        VALUE,
        "The password, which is required with password.",
    ),
];

/// Token of the request.
pub(super) const TOKEN: Parameter = Parameter::form("token", REQUIRED, ABOUT_TOKEN).required();
/// Token of a request that does nothing without one.
pub(super) const OPTIONAL_TOKEN: Parameter = Parameter::form("token", VALUE, ABOUT_TOKEN);
const ABOUT_TOKEN: &str = "The access token or the refresh token.";

/// Hint about the type of the token.
pub(super) const HINT: Parameter = Parameter::form(
    "token_type_hint",
    VALUE,
    "Passed over: what a token is shows without a hint.",
);

/// Access token in the query instead of the `Authorization` header.
pub(super) const IN_QUERY: Parameter = Parameter::query(
    "access_token",
    Kind::ANY_TEXT,
    "The access token, for clients that cannot send the header Authorization. A token in two places is refused.",
);
/// Access token in a form (RFC 6750, section 2.2).
pub(super) const IN_FORM: Parameter = Parameter::form(
    "access_token",
    VALUE,
    "The access token, for clients that cannot send the header Authorization. A token in two places is refused.",
);

/// Documents an operation, whose errors have the format of RFC 6749.
pub(super) fn described(operation: Operation, summary: &'static str) -> Operation {
    operation
        .documented(TAG, summary)
        .refuses_with(Body::json::<ErrorBody<'static>>())
}
