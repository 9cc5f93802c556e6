//! Parameters of an authorization request.

/// Parameters that an application sent through the user's browser. Unknown parameters are ignored (RFC 6749, section
/// 3.1), and one without a value counts as absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuthorizeParameters {
    /// Client id of the application.
    pub client_id: Option<String>,
    /// Redirect URI for the response.
    pub redirect_uri: Option<String>,
    /// Response type: `code`.
    pub response_type: Option<String>,
    /// Response mode: `query` or `form_post`.
    pub response_mode: Option<String>,
    /// Requested scopes.
    pub scope: Option<String>,
    /// State to return to the application.
    pub state: Option<String>,
    /// Nonce for the id token.
    pub nonce: Option<String>,
    /// Prompts that the user must see.
    pub prompt: Option<String>,
    /// Maximum age of the user's sign-in, in seconds.
    pub max_age: Option<String>,
    /// Id token of the user whom the application expects to be signed in.
    pub id_token_hint: Option<String>,
    /// PKCE challenge.
    pub code_challenge: Option<String>,
    /// Code challenge method: `S256`.
    pub code_challenge_method: Option<String>,
    /// A signed request, which is not supported (OpenID Connect Core 1.0, section 6).
    pub request: Option<String>,
    /// URL of a signed request, which is not supported.
    pub request_uri: Option<String>,
}

/// Malformed parameter, which makes the whole request untrustworthy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// The parameter was sent more than once, even with the same value: another reader may pick either of the two (RFC
    /// 6749, section 3.1).
    #[error("the parameter {0} was sent more than once")]
    Repeated(&'static str),
    /// The parameter was sent as a list, such as `scope[]`.
    #[error("the parameter {0} must be a single value")]
    List(&'static str),
    /// The value has a NUL, or bytes that are not text: such a value could not be sent back unchanged.
    #[error("the parameter {0} is not valid text")]
    NotText(&'static str),
}

/// Prompts that the user sees before the response (OpenID Connect Core 1.0, section 3.1.2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Prompt {
    /// No page at all.
    None,
    /// Sign-in, even if the user is signed in.
    Login,
    /// Consent page, even if the user consented before.
    Consent,
    /// Account selection, for which this server uses the sign-in page.
    SelectAccount,
}

impl Prompt {
    /// All prompts.
    pub const ALL: [Self; 4] = [Self::None, Self::Login, Self::Consent, Self::SelectAccount];

    /// Returns the name in requests and metadata.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Login => "login",
            Self::Consent => "consent",
            Self::SelectAccount => "select_account",
        }
    }

    /// Returns the prompt with this name.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|prompt| prompt.as_str() == word)
    }
}

impl AuthorizeParameters {
    /// Parses decoded pairs of names and values. Decoders put U+FFFD in place of bytes that are not text.
    ///
    /// # Errors
    /// The first malformed parameter.
    pub fn from_pairs<'p>(
        pairs: impl IntoIterator<Item = (&'p str, &'p str)>,
    ) -> Result<Self, ParameterError> {
        let mut read = Self::default();
        let mut seen = Vec::new();
        for (name, value) in pairs {
            let stem = name.split('[').next().unwrap_or_default();
            let is_list = stem != name;
            let Some((name, field)) = read.field(stem) else {
                continue;
            };
            if is_list {
                return Err(ParameterError::List(name));
            }
            if seen.contains(&name) {
                return Err(ParameterError::Repeated(name));
            }
            if value.contains(['\0', char::REPLACEMENT_CHARACTER]) {
                return Err(ParameterError::NotText(name));
            }
            *field = (!value.is_empty()).then(|| value.to_owned());
            seen.push(name);
        }
        Ok(read)
    }

    /// True if a parameter of this name, alone or as a list such as `scope[]`, has a meaning in a request.
    pub fn knows(name: &str) -> bool {
        let stem = name.split('[').next().unwrap_or_default();
        Self::default().field(stem).is_some()
    }

    fn field(&mut self, name: &str) -> Option<(&'static str, &mut Option<String>)> {
        Some(match name {
            "client_id" => ("client_id", &mut self.client_id),
            "redirect_uri" => ("redirect_uri", &mut self.redirect_uri),
            "response_type" => ("response_type", &mut self.response_type),
            "response_mode" => ("response_mode", &mut self.response_mode),
            "scope" => ("scope", &mut self.scope),
            "state" => ("state", &mut self.state),
            "nonce" => ("nonce", &mut self.nonce),
            "prompt" => ("prompt", &mut self.prompt),
            "max_age" => ("max_age", &mut self.max_age),
            "id_token_hint" => ("id_token_hint", &mut self.id_token_hint),
            "code_challenge" => ("code_challenge", &mut self.code_challenge),
            "code_challenge_method" => ("code_challenge_method", &mut self.code_challenge_method),
            "request" => ("request", &mut self.request),
            "request_uri" => ("request_uri", &mut self.request_uri),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_that_comes_twice_is_refused_even_with_the_same_value() {
        for name in ["client_id", "state", "code_challenge", "request_uri"] {
            let pairs = [(name, "a"), ("x", "1"), ("x", "2"), (name, "a")];
            let read = AuthorizeParameters::from_pairs(pairs);
            assert_eq!(read, Err(ParameterError::Repeated(name)));
        }
    }

    #[test]
    fn a_name_counts_alone_and_as_a_list() {
        for (name, counts) in [
            ("client_id", true),
            ("scope[]", true),
            ("state[a]", true),
            ("authenticity_token", false),
            ("Client_id", false),
            ("", false),
        ] {
            assert_eq!(AuthorizeParameters::knows(name), counts, "{name}");
        }
    }

    #[test]
    fn an_empty_parameter_is_absent_and_an_unknown_one_ignored() {
        let pairs = [("state", ""), ("client_id", "a"), ("resource", "b")];
        let read = AuthorizeParameters::from_pairs(pairs).unwrap();
        let expected = AuthorizeParameters {
            client_id: Some("a".to_owned()),
            ..AuthorizeParameters::default()
        };
        assert_eq!(read, expected);
    }

    #[test]
    fn list_and_non_text_parameters_are_refused() {
        let cases = [
            ("scope[]", "api", ParameterError::List("scope")),
            ("state[a]", "b", ParameterError::List("state")),
            ("state", "a\0b", ParameterError::NotText("state")),
            ("nonce", "\u{fffd}", ParameterError::NotText("nonce")),
        ];
        for (name, value, expected) in cases {
            let read = AuthorizeParameters::from_pairs([(name, value)]);
            assert_eq!(read, Err(expected));
        }
        assert!(AuthorizeParameters::from_pairs([("other[]", "\0")]).is_ok());
    }
}
