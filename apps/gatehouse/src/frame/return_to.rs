//! Destination after sign-in.
//! It is always on this server, so that no link to our sign-in page can end at another site.

use actix_web::HttpRequest;
use oauth_provider::wire::metadata::paths;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use url::form_urlencoded;

use crate::frame::reauthentication::ReauthenticationReason;

/// Path of the sign-in page.
pub const SIGN_IN: &str = "/users/sign_in";

/// Path of the second-factor page.
pub const SECOND_FACTOR: &str = "/users/sign_in/second_factor";

/// Path of registration with an invitation; a link has the secret of the invitation as the next segment.
pub const INVITATIONS: &str = "/invitations";

/// Path of the form for a new password; a link has its secret as the next segment.
pub const NEW_PASSWORD: &str = "/users/password/edit";

/// Path of the page of the visitor's own access tokens, to which a new password leads.
pub const OWN_TOKENS: &str = "/profile/personal_access_tokens";

/// Characters to escape in a query value.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'/');

/// Path on this server, with its query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReturnTo(String);

impl ReturnTo {
    /// Parses a path.
    /// It must start with exactly one slash: browsers take `//` and `/\` for the start of another host's name, and
    /// ignore tabs and line breaks (WHATWG URL Standard, section 4.4).
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix('/')?;
        let is_local = !rest.starts_with(['/', '\\']);
        let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
        (is_local && is_plain).then(|| Self(text.to_owned()))
    }

    /// Destination in the query of a page.
    pub fn of_query(request: &HttpRequest) -> Option<Self> {
        query_value(request, "return_to").and_then(|path| Self::parse(&path))
    }

    /// The path.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Parameters of the authorization request at this address, if it is one.
    pub fn authorization(&self) -> Option<&str> {
        let (path, query) = self.0.split_once('?')?;
        (path == paths::AUTHORIZE).then_some(query)
    }

    /// True if the browser may be redirected from here to an application without any further page.
    pub fn leads_to_applications(&self) -> bool {
        let path = self.0.split('?').next().unwrap_or_default();
        let path = path.strip_suffix('/').unwrap_or(path);
        matches!(path, paths::AUTHORIZE | paths::END_SESSION)
    }
}

/// First value of a parameter in the query.
pub fn query_value(request: &HttpRequest, name: &str) -> Option<String> {
    let mut pairs = form_urlencoded::parse(request.query_string().as_bytes());
    let found = pairs.find(|(candidate, _)| candidate == name);
    found.map(|(_, value)| value.into_owned())
}

/// Address of the sign-in page, with a return to `path` on this server, including its query.
pub fn sign_in_then(path: &str) -> String {
    then(SIGN_IN, ReturnTo::parse(path).as_ref())
}

/// Address of the sign-in page for a signed-in user who must sign in again, with the reason.
pub fn sign_in_again_then(path: &str, again: ReauthenticationReason) -> String {
    let address = sign_in_then(path);
    let separator = if address.contains('?') { '&' } else { '?' };
    format!("{address}{separator}again={}", again.word())
}

/// Adds the destination to the address `page`.
pub fn then(page: &str, return_to: Option<&ReturnTo>) -> String {
    match return_to {
        Some(path) => {
            let path = utf8_percent_encode(path.as_str(), ESCAPED);
            format!("{page}?return_to={path}")
        }
        None => page.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_places_on_this_server_are_returned_to() {
        for local in ["/", "/profile", "/oauth/authorize?client_id=x&state=%2F%2F"] {
            assert!(ReturnTo::parse(local).is_some(), "{local}");
        }
        for elsewhere in [
            "",
            "profile",
            "//evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "https://evil.example",
            "/\t/evil.example",
            "/\n/evil.example",
            "/ /evil.example",
            "/pro\rfile",
            "javascript:alert(1)",
        ] {
            assert_eq!(ReturnTo::parse(elsewhere), None, "{elsewhere:?}");
        }
    }

    #[test]
    fn the_way_back_survives_the_sign_in_page() {
        let path =
            "/oauth/authorize?client_id=x&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&scope=a+b";
        let address = sign_in_then(path);
        let query = address.strip_prefix("/users/sign_in?").unwrap();
        let mut pairs = form_urlencoded::parse(query.as_bytes());
        assert_eq!(pairs.next().unwrap(), ("return_to".into(), path.into()));
        assert!(ReturnTo::parse(path).unwrap().leads_to_applications());
        assert_eq!(sign_in_then("//evil"), "/users/sign_in");
        let again = sign_in_again_then("//evil", ReauthenticationReason::Requested);
        assert_eq!(again, "/users/sign_in?again=asked");
    }
    #[test]
    fn only_authorize_and_end_session_paths_redirect_to_applications() {
        let leads = |path| ReturnTo::parse(path).unwrap().leads_to_applications();
        for path in [
            "/oauth/authorize?a=1",
            "/oauth/authorize/",
            "/oauth/end_session?x",
        ] {
            assert!(leads(path), "{path}");
        }
        for path in [
            "/",
            "/profile?next=/oauth/authorize",
            "/oauth/authorize/native",
        ] {
            assert!(!leads(path), "{path}");
        }
    }
}
