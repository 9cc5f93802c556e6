//! Form parameters of the endpoints for applications: tokens, revocation, introspection.

use api_conventions::secret::PlainSecret;
use url::form_urlencoded;

use super::error::OAuthError;

/// Longest value, in bytes.
pub const MAX_VALUE_BYTES: usize = 4_096;
/// Maximum number of parameters in a form.
pub const MAX_PARAMETERS: usize = 64;
/// Parameters that the endpoints accept. Others are ignored (RFC 6749, section 3.2).
const PARAMETERS: [&str; 14] = [
    "grant_type",
    "client_id",
    "client_secret",
    "code",
    "redirect_uri",
    "code_verifier",
    "refresh_token",
    "scope",
    "username",
    "password",
    "token",
    "access_token",
    "token_type_hint",
    "state",
];

/// A form in which each known parameter appears at most once and is valid text. Values may be secrets, so `Debug` shows
/// none.
#[derive(Debug, Default)]
pub struct FormParameters(Vec<(&'static str, PlainSecret)>);

impl FormParameters {
    /// Parses a body of the type `application/x-www-form-urlencoded`.
    ///
    /// # Errors
    /// As for [`Self::from_pairs`].
    pub fn from_body(body: &[u8]) -> Result<Self, OAuthError> {
        Self::from_pairs(form_urlencoded::parse(body))
    }

    /// Reads decoded pairs of names and values. A parameter without a value counts as absent (RFC 6749, section 3.1).
    ///
    /// # Errors
    /// `invalid_request` if a known parameter is repeated, even with the same value, or is a list; if a value is too
    /// long or is not text; or if there are too many parameters.
    pub fn from_pairs<N: AsRef<str>, V: AsRef<str>>(
        pairs: impl IntoIterator<Item = (N, V)>,
    ) -> Result<Self, OAuthError> {
        let mut form = Self::default();
        let mut seen = Vec::new();
        for (count, (name, value)) in pairs.into_iter().enumerate() {
            if count >= MAX_PARAMETERS {
                return Err(OAuthError::invalid_request(
                    "The request has too many parameters.",
                ));
            }
            let Some(name) = known(name.as_ref())? else {
                continue;
            };
            if seen.contains(&name) {
                return Err(fault(name, "was sent more than once"));
            }
            seen.push(name);
            let value = value.as_ref();
            check(name, value)?;
            if !value.is_empty() {
                form.0.push((name, PlainSecret::new(value)));
            }
        }
        Ok(form)
    }

    /// Returns the number of parameters left in the form.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if no parameter is left in the form.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if the parameter has this value. It stays in the form.
    pub(super) fn has(&self, name: &str, value: &str) -> bool {
        let mut parameters = self.0.iter();
        parameters.any(|(known, sent)| *known == name && sent.reveal() == value)
    }

    /// Removes and returns a value; `None` if it is absent.
    pub fn take_secret(&mut self, name: &str) -> Option<PlainSecret> {
        let index = self.0.iter().position(|(known, _)| *known == name)?;
        Some(self.0.swap_remove(index).1)
    }

    /// Removes and returns a value that is not a secret; `None` if it is absent.
    pub fn take(&mut self, name: &str) -> Option<String> {
        self.take_secret(name)
            .map(|value| value.reveal().to_owned())
    }

    /// Removes and returns a required value.
    ///
    /// # Errors
    /// `invalid_request` with the name if it is absent.
    pub fn require_secret(&mut self, name: &str) -> Result<PlainSecret, OAuthError> {
        self.take_secret(name)
            .ok_or_else(|| OAuthError::missing_parameter(name))
    }

    /// Removes and returns a required value that is not a secret.
    ///
    /// # Errors
    /// `invalid_request` with the name if it is absent.
    pub fn require(&mut self, name: &str) -> Result<String, OAuthError> {
        self.take(name)
            .ok_or_else(|| OAuthError::missing_parameter(name))
    }
}

/// Returns the parameter with this name, if the endpoints accept it. Names like `scope[]` denote lists, which are
/// refused.
fn known(name: &str) -> Result<Option<&'static str>, OAuthError> {
    let stem = name.split('[').next().unwrap_or_default();
    let found = PARAMETERS.into_iter().find(|known| *known == stem);
    match found {
        Some(known) if stem != name => Err(fault(known, "must be a single value")),
        found => Ok(found),
    }
}

/// Checks a value. Decoders put U+FFFD in place of bytes that are not text.
fn check(name: &str, value: &str) -> Result<(), OAuthError> {
    if value.len() > MAX_VALUE_BYTES {
        return Err(fault(name, "is too long"));
    }
    if value.contains(['\0', char::REPLACEMENT_CHARACTER]) {
        return Err(fault(name, "is not valid text"));
    }
    Ok(())
}

fn fault(name: &str, problem: &str) -> OAuthError {
    OAuthError::invalid_request(format!("The parameter {name} {problem}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn refusal(body: &[u8]) -> String {
        FormParameters::from_body(body)
            .unwrap_err()
            .description()
            .to_owned()
    }

    #[test]
    fn values_are_decoded_once_and_empty_ones_are_absent() {
        let mut form =
            FormParameters::from_body(b"code=a%2Bb%2520+c&scope=&unknown=1&unknown=2").unwrap();
        assert_eq!(form.take("code").as_deref(), Some("a+b%20 c"));
        assert_eq!(form.take("scope"), None);
        assert_eq!(
            form.require("redirect_uri").unwrap_err().description(),
            "Missing required parameter: redirect_uri."
        );
    }

    #[test]
    fn repeated_malformed_and_oversized_parameters_are_refused() {
        let long = format!("code={}", "a".repeat(MAX_VALUE_BYTES + 1));
        let many = "x=1&".repeat(MAX_PARAMETERS + 1);
        let cases: [(&[u8], &str); 8] = [
            (
                b"code=a&code=a",
                "The parameter code was sent more than once.",
            ),
            (
                b"code=&code=a",
                "The parameter code was sent more than once.",
            ),
            (
                b"scope[]=api",
                "The parameter scope must be a single value.",
            ),
            (
                b"password[a]=b",
                "The parameter password must be a single value.",
            ),
            (b"code=a%00", "The parameter code is not valid text."),
            (b"code=%ff%fe", "The parameter code is not valid text."),
            (long.as_bytes(), "The parameter code is too long."),
            (many.as_bytes(), "The request has too many parameters."),
        ];
        for (body, expected) in cases {
            assert_eq!(refusal(body), expected, "{:.40}", body.escape_ascii());
        }
    }

    #[test]
    fn printing_shows_no_value() {
        let form = FormParameters::from_body(b"password=swordfish").unwrap();
        assert!(!format!("{form:?}").contains("swordfish"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(body in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(form) = FormParameters::from_body(&body) {
                prop_assert!(form.0.iter().all(|(_, value)| !value.reveal().is_empty()));
            }
        }
    }
}
