//! Client credentials of an application (RFC 6749, section 2.3.1).

use api_conventions::credentials::Authorization;
use api_conventions::secret::PlainSecret;
use percent_encoding::percent_decode_str;

use super::error::OAuthError;
use super::form::FormParameters;

/// Client id and secret of an application.
#[derive(Debug)]
#[non_exhaustive]
pub struct ClientCredentials {
    /// Client id.
    pub client_id: String,
    /// Client secret; `None` from a public client.
    pub secret: Option<PlainSecret>,
    /// True if the credentials are from an `Authorization` header. A refusal then names the supported scheme.
    pub by_header: bool,
}

impl ClientCredentials {
    /// Reads the credentials of a request, from the value of its `Authorization` header or from its form. Returns
    /// `None` if the request names no application. A header with a scheme other than Basic names none.
    ///
    /// # Errors
    /// * `invalid_client` if the header is malformed.
    /// * `invalid_request` if there are two secrets, if header and form name different applications, or if there is a
    ///   secret without a client id. Secrets in the URL of a request are never read.
    pub fn read(
        header: Option<&str>,
        form: &mut FormParameters,
    ) -> Result<Option<Self>, OAuthError> {
        let client_id = form.take("client_id");
        let secret = form.take_secret("client_secret");
        match header.map_or(Ok(None), by_header)? {
            Some(found) => found.beside(client_id, secret.is_some()).map(Some),
            None => in_form(client_id, secret),
        }
    }

    /// Returns the refusal of these credentials.
    pub fn refusal(&self) -> OAuthError {
        OAuthError::invalid_client(self.by_header)
    }

    /// Returns the credentials of the header, unless the form contradicts them.
    fn beside(self, client_id: Option<String>, has_secret: bool) -> Result<Self, OAuthError> {
        if has_secret {
            let description = "The client must not use more than one authentication method.";
            return Err(OAuthError::invalid_request(description));
        }
        if client_id.is_some_and(|client_id| client_id != self.client_id) {
            let description =
                "The Authorization header and the parameter client_id name different clients.";
            return Err(OAuthError::invalid_request(description));
        }
        Ok(self)
    }
}

fn in_form(
    client_id: Option<String>,
    secret: Option<PlainSecret>,
) -> Result<Option<ClientCredentials>, OAuthError> {
    match (client_id, secret) {
        (Some(client_id), secret) => Ok(Some(ClientCredentials {
            client_id,
            secret,
            by_header: false,
        })),
        (None, Some(_)) => Err(OAuthError::missing_parameter("client_id")),
        (None, None) => Ok(None),
    }
}

fn by_header(value: &str) -> Result<Option<ClientCredentials>, OAuthError> {
    let scheme = value.split_ascii_whitespace().next().unwrap_or_default();
    if !scheme.eq_ignore_ascii_case("basic") {
        return Ok(None);
    }
    let refused = || OAuthError::invalid_client(true);
    let Some(Authorization::Basic { username, password }) = Authorization::parse(value) else {
        return Err(refused());
    };
    let client_id = form_decoded(&username).ok_or_else(refused)?;
    let secret = form_decoded(password.reveal()).map(PlainSecret::new);
    let secret = secret.ok_or_else(refused)?;
    if client_id.is_empty() {
        return Err(refused());
    }
    Ok(Some(ClientCredentials {
        client_id,
        secret: Some(secret).filter(|secret| !secret.reveal().is_empty()),
        by_header: true,
    }))
}

/// Decodes a half of the header. Both halves are form-encoded before they are joined, so that a colon in a name does
/// not count as the separator. Returns `None` if the result is not text.
fn form_decoded(half: &str) -> Option<String> {
    let spaced = half.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8().ok()?;
    (!decoded.contains('\0')).then(|| decoded.into_owned())
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    use super::*;

    fn basic(text: &str) -> String {
        format!("Basic {}", STANDARD.encode(text))
    }

    /// Returns the client that was named and how, or the error code of the refusal.
    fn read(header: Option<&str>, form: &str) -> Result<String, String> {
        let mut form = FormParameters::from_body(form.as_bytes()).unwrap();
        match ClientCredentials::read(header, &mut form) {
            Err(error) => Err(error.code().to_string()),
            Ok(None) => Ok("nobody".to_owned()),
            Ok(Some(found)) => {
                let secret = found.secret.as_ref().map_or("-", PlainSecret::reveal);
                let place = if found.by_header { "header" } else { "form" };
                Ok(format!("{}, {secret}, {place}", found.client_id))
            }
        }
    }

    #[test]
    fn header_and_form_are_both_read_and_nobody_may_be_named() {
        let full = basic("id:s3cret");
        let cases = [
            (full.as_str(), "", "id, s3cret, header"),
            (&full, "client_id=id", "id, s3cret, header"),
            (&basic("id:"), "", "id, -, header"),
            (
                &basic("id:"),
                "client_id=id&client_secret=",
                "id, -, header",
            ),
            ("", "client_id=id&client_secret=s3cret", "id, s3cret, form"),
            ("", "client_id=id", "id, -, form"),
            ("Bearer abc", "client_id=id", "id, -, form"),
            ("", "", "nobody"),
            ("Bearer abc", "", "nobody"),
        ];
        for (header, form, expected) in cases {
            let sent = Some(header).filter(|header| !header.is_empty());
            assert_eq!(read(sent, form).as_deref(), Ok(expected), "{header} {form}");
        }
    }

    #[test]
    fn both_halves_of_the_header_are_decoded_like_forms() {
        let header = basic("a%3Ab+c:%2B%25%C3%A9+x");
        assert_eq!(
            read(Some(&header), "").as_deref(),
            Ok("a:b c, +%\u{e9} x, header")
        );
    }

    #[test]
    fn two_proofs_and_two_names_are_refused() {
        let cases = [
            (
                Some(basic("id:s3cret")),
                "client_secret=s3cret",
                "invalid_request",
            ),
            (
                Some(basic("id:s3cret")),
                "client_id=id&client_secret=s3cret",
                "invalid_request",
            ),
            (
                Some(basic("id:")),
                "client_secret=s3cret",
                "invalid_request",
            ),
            (
                Some(basic("id:s3cret")),
                "client_id=other",
                "invalid_request",
            ),
            (None, "client_secret=s3cret", "invalid_request"),
            (Some(basic(":s3cret")), "", "invalid_client"),
            (Some(basic("no colon")), "", "invalid_client"),
            (Some(basic("id:%FF")), "", "invalid_client"),
            (
                Some("Basic ***".to_owned()),
                "client_id=id",
                "invalid_client",
            ),
            (Some("basic".to_owned()), "client_id=id", "invalid_client"),
        ];
        for (header, form, expected) in cases {
            assert_eq!(
                read(header.as_deref(), form),
                Err(expected.to_owned()),
                "{header:?} {form}"
            );
        }
    }

    #[test]
    fn only_header_credentials_get_a_challenge() {
        let mut form = FormParameters::from_body(b"client_id=id").unwrap();
        let found = ClientCredentials::read(None, &mut form).unwrap().unwrap();
        assert_eq!(found.refusal().www_authenticate("r"), None);
        let error = ClientCredentials::read(Some("Basic ***"), &mut form).unwrap_err();
        assert!(error.www_authenticate("r").is_some());
    }
}
