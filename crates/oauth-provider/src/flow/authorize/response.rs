//! Where the user's browser goes with the answer.

use url::form_urlencoded::Serializer;

use super::check::Refusal;
use crate::rules::redirect_uri::OUT_OF_BAND;

/// Where an answer goes, and what goes back with it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuthorizationResponse {
    /// The proven address.
    pub redirect_uri: String,
    /// What the application wants to have back.
    pub state: Option<String>,
}

impl AuthorizationResponse {
    /// The address with a code. `issuer` goes with it, so that a client of several servers knows whose code it is
    /// (RFC 9207).
    pub fn with_code(&self, code: &str, issuer: &str) -> String {
        self.url(&[("code", code)], issuer)
    }

    /// The address with an error (RFC 6749, section 4.1.2.1).
    pub fn with_error(&self, error: &str, description: &str, issuer: &str) -> String {
        self.url(
            &[("error", error), ("error_description", description)],
            issuer,
        )
    }

    /// Whether the code is to be shown to the user instead.
    pub fn is_out_of_band(&self) -> bool {
        self.redirect_uri == OUT_OF_BAND
    }

    fn url(&self, response: &[(&str, &str)], issuer: &str) -> String {
        let state = self.state.as_deref().map(|state| ("state", state));
        let response: Vec<_> = response
            .iter()
            .copied()
            .chain(state)
            .chain([("iss", issuer)])
            .collect();
        response_url(&self.redirect_uri, &response)
    }
}

impl Refusal {
    /// Where the response goes, if the application may get one at all.
    pub fn response(&self) -> Option<(AuthorizationResponse, &'static str, &'static str)> {
        match self {
            Self::Page { .. } => None,
            Self::Redirect {
                redirect_uri,
                state,
                error,
                description,
            } => {
                let answer = AuthorizationResponse {
                    redirect_uri: redirect_uri.clone(),
                    state: state.clone(),
                };
                Some((answer, error, description))
            }
        }
    }
}

/// Adds parameters to an address. What it has already stays as it is, byte for byte.
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
        };
        let url = url::Url::parse(&answer.with_code("x", "https://issuer.example")).unwrap();
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
}
