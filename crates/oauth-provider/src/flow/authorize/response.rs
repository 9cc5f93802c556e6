//! Authorization responses, which the user's browser delivers.

use url::form_urlencoded::Serializer;

use super::check::Refusal;
use crate::model::{Application, ResponseMode};
use crate::rules::redirect_uri::OUT_OF_BAND;

/// An authorization response: its destination and its transport.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuthorizationResponse {
    /// Validated redirect URI.
    pub redirect_uri: String,
    /// State to return to the application.
    pub state: Option<String>,
    /// Transport to the address.
    pub mode: ResponseMode,
    /// True if the response names the issuer.
    pub names_issuer: bool,
}

/// A response that is ready to send.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResponseDelivery {
    /// Redirect of the browser to this address.
    Redirect(String),
    /// Form with these fields that the browser posts to the address (OAuth 2.0 Form Post Response Mode, section 2).
    FormPost {
        /// Address of the application.
        action: String,
        /// Names and values.
        fields: Vec<(&'static str, String)>,
    },
}

impl AuthorizationResponse {
    /// Creates a response for an application, to which the browser returns at `redirect_uri`.
    pub fn new(
        application: &Application,
        redirect_uri: impl Into<String>,
        state: Option<String>,
        mode: ResponseMode,
    ) -> Self {
        Self {
            redirect_uri: redirect_uri.into(),
            state,
            mode,
            names_issuer: application.options.issuer_in_response,
        }
    }

    /// Returns the response with a code. `issuer` is included if the application reads it, so that a client of several
    /// servers knows which one issued the code (RFC 9207).
    pub fn with_code(&self, code: &str, issuer: &str) -> ResponseDelivery {
        self.deliver(&[("code", code)], issuer)
    }

    /// Returns the response with an error (RFC 6749, section 4.1.2.1).
    pub fn with_error(&self, error: &str, description: &str, issuer: &str) -> ResponseDelivery {
        self.deliver(
            &[("error", error), ("error_description", description)],
            issuer,
        )
    }

    /// True if the code is shown to the user instead of sent.
    pub fn is_out_of_band(&self) -> bool {
        self.redirect_uri == OUT_OF_BAND
    }

    fn deliver(&self, response: &[(&'static str, &str)], issuer: &str) -> ResponseDelivery {
        let state = self.state.as_deref().map(|state| ("state", state));
        let issuer = self.names_issuer.then_some(("iss", issuer));
        let parameters: Vec<_> = response
            .iter()
            .copied()
            .chain(state)
            .chain(issuer)
            .collect();
        match self.mode {
            ResponseMode::Query => {
                ResponseDelivery::Redirect(response_url(&self.redirect_uri, &parameters))
            }
            ResponseMode::FormPost => {
                let parameters = parameters.into_iter();
                ResponseDelivery::FormPost {
                    action: self.redirect_uri.clone(),
                    fields: parameters
                        .map(|(name, value)| (name, value.to_owned()))
                        .collect(),
                }
            }
        }
    }
}

impl Refusal {
    /// Returns the error code.
    pub fn error(&self) -> &'static str {
        match self {
            Self::Page { error, .. } | Self::Redirect { error, .. } => error,
        }
    }

    /// Returns the error description, in a sentence.
    pub fn description(&self) -> &'static str {
        match self {
            Self::Page { description, .. } | Self::Redirect { description, .. } => description,
        }
    }

    /// Returns the response, the error code and the description, if the application may get a response at all.
    pub fn response(&self) -> Option<(&AuthorizationResponse, &'static str, &'static str)> {
        match self {
            Self::Page { .. } => None,
            Self::Redirect {
                response,
                error,
                description,
            } => Some((response, error, description)),
        }
    }
}

/// Adds parameters to a URI. The existing query stays as it is, byte for byte.
pub fn response_url(redirect_uri: &str, parameters: &[(&str, &str)]) -> String {
    let added = Serializer::new(String::new())
        .extend_pairs(parameters)
        .finish();
    let separator = match redirect_uri.split_once('?') {
        None => "?",
        Some((_, query)) if query.is_empty() || query.ends_with('&') => "",
        Some(_) => "&",
    };
    format!("{redirect_uri}{separator}{added}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clients_own_query_stays_as_it_is() {
        let cases = [
            ("https://a.example/cb", "https://a.example/cb?code=x"),
            ("https://a.example/cb?", "https://a.example/cb?code=x"),
            (
                "https://a.example/cb?b=%2f&c=",
                "https://a.example/cb?b=%2f&c=&code=x",
            ),
            ("https://a.example/cb?b&", "https://a.example/cb?b&code=x"),
            ("com.example.app:/cb", "com.example.app:/cb?code=x"),
        ];
        for (address, expected) in cases {
            assert_eq!(response_url(address, &[("code", "x")]), expected);
        }
    }

    #[test]
    fn the_state_comes_back_byte_for_byte() {
        let state = "a b&c=d%20+\u{e9}\n\u{1f600}\"".repeat(100);
        let answer = AuthorizationResponse {
            redirect_uri: "https://a.example/cb".to_owned(),
            state: Some(state.clone()),
            mode: ResponseMode::Query,
            names_issuer: true,
        };
        let ResponseDelivery::Redirect(address) = answer.with_code("x", "https://issuer.example")
        else {
            panic!("a response in the query is a redirect");
        };
        let url = url::Url::parse(&address).unwrap();
        let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        let expected = [
            ("code", "x"),
            ("state", &state),
            ("iss", "https://issuer.example"),
        ];
        assert_eq!(
            pairs,
            expected.map(|(name, value)| (name.to_owned(), value.to_owned()))
        );
    }
    #[test]
    fn a_form_has_the_values_as_they_are_and_the_address_unchanged() {
        let mut answer = AuthorizationResponse {
            redirect_uri: "https://a.example/cb?b=%2f".to_owned(),
            state: Some("a b&c\"<".to_owned()),
            mode: ResponseMode::FormPost,
            names_issuer: true,
        };
        let form = |fields: &[(&'static str, &str)]| ResponseDelivery::FormPost {
            action: "https://a.example/cb?b=%2f".to_owned(),
            fields: fields
                .iter()
                .map(|(name, value)| (*name, (*value).to_owned()))
                .collect(),
        };
        let expected = [
            ("code", "x"),
            ("state", "a b&c\"<"),
            ("iss", "https://i.example"),
        ];
        assert_eq!(answer.with_code("x", "https://i.example"), form(&expected));
        answer.names_issuer = false;
        answer.state = None;
        let expected = [("error", "access_denied"), ("error_description", "No.")];
        let refused = answer.with_error("access_denied", "No.", "https://i.example");
        assert_eq!(refused, form(&expected));
    }

    #[test]
    fn an_application_that_knows_no_issuer_is_sent_none() {
        let answer = AuthorizationResponse {
            redirect_uri: "https://a.example/cb".to_owned(),
            state: None,
            mode: ResponseMode::Query,
            names_issuer: false,
        };
        let expected = ResponseDelivery::Redirect("https://a.example/cb?code=x".to_owned());
        assert_eq!(answer.with_code("x", "https://i.example"), expected);
    }
}
