//! Credentials of a request to the collector: a client key in a header, the URL, or the envelope itself.
//! If there are several, they must agree.

use url::form_urlencoded;

/// Credentials in a request.
#[derive(Debug, Clone, Copy, Default)]
pub struct RequestCredentials<'r> {
    /// The header `X-Sentry-Auth`.
    pub tracker_header: Option<&'r str>,
    /// Header `Authorization`, in which some old SDKs send the same.
    pub authorization: Option<&'r str>,
    /// Query string of the URL, as sent.
    pub query: Option<&'r str>,
    /// Client key of the DSN in the envelope header.
    pub envelope: Option<&'r str>,
}

/// Reason why a request has no usable key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CredentialsError {
    /// The request has no key.
    #[error(
        "the request has no client key: send it as `sentry_key` in the X-Sentry-Auth header or in the query"
    )]
    Missing,
    /// The header cannot be parsed.
    #[error("the X-Sentry-Auth header has no sentry_key")]
    Unreadable,
    /// Two keys of the request differ.
    #[error("the request has two different client keys: send only one")]
    Ambiguous,
}

/// Longest header that is parsed, in bytes.
/// No SDK sends a longer one.
const MAX_HEADER_LENGTH: usize = 4096;

/// Returns the text that a request offers as its key.
/// The caller validates and looks it up, so that a malformed key and an unknown one get the same response.
///
/// # Errors
/// There is no key, or there are several that differ.
pub fn extract_key(offered: &RequestCredentials<'_>) -> Result<String, CredentialsError> {
    let mut found: Option<String> = None;
    let in_headers = [
        offered.tracker_header.map(key_of_header),
        offered.authorization.and_then(key_of_authorization),
    ];
    let in_headers = in_headers.into_iter().flatten();
    let in_query = keys_of_query(offered.query.unwrap_or_default()).map(Ok);
    let in_envelope = offered.envelope.map(|key| Ok(key.to_owned()));
    for key in in_query.chain(in_envelope).chain(in_headers) {
        let key = key?;
        match &found {
            Some(other) if *other != key => return Err(CredentialsError::Ambiguous),
            _ => found = Some(key),
        }
    }
    found.ok_or(CredentialsError::Missing)
}

/// Keys in a query string.
/// Names are case-sensitive, so `Sentry_Key` is none; a key without a value is none either.
fn keys_of_query(query: &str) -> impl Iterator<Item = String> + '_ {
    form_urlencoded::parse(query.as_bytes())
        .filter(|(name, value)| name == "sentry_key" && !value.is_empty())
        .map(|(_, value)| value.into_owned())
}

/// Key in a header `Sentry sentry_key=…, sentry_version=7, …`, in which everything but the key is optional.
fn key_of_header(header: &str) -> Result<String, CredentialsError> {
    if header.len() > MAX_HEADER_LENGTH {
        return Err(CredentialsError::Unreadable);
    }
    let header = header.trim();
    let pairs = without_scheme(header).unwrap_or(header);
    let pairs = pairs.split(',').filter_map(|pair| pair.split_once('='));
    let mut keys = pairs
        .map(|(name, value)| (name.trim(), value.trim().trim_matches('"')))
        .filter(|(name, value)| *name == "sentry_key" && !value.is_empty())
        .map(|(_, value)| value);
    let first = keys.next().ok_or(CredentialsError::Unreadable)?;
    if keys.any(|other| other != first) {
        return Err(CredentialsError::Ambiguous);
    }
    Ok(first.to_owned())
}

/// Key in the `Authorization` header, which other schemes use, too; `None` for another scheme.
fn key_of_authorization(header: &str) -> Option<Result<String, CredentialsError>> {
    without_scheme(header.trim()).map(key_of_header)
}

fn without_scheme(header: &str) -> Option<&str> {
    let (scheme, rest) = header.split_once(char::is_whitespace)?;
    scheme.eq_ignore_ascii_case("sentry").then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a";

    fn header(text: &str) -> Result<String, CredentialsError> {
        extract_key(&RequestCredentials {
            tracker_header: Some(text),
            ..RequestCredentials::default()
        })
    }

    #[test]
    fn the_header_is_read_in_every_form() {
        for text in [
            format!("Sentry sentry_key={KEY}, sentry_version=7, sentry_client=python/2.75"),
            format!("Sentry sentry_version=7,sentry_key={KEY}"),
            format!("sentry sentry_key={KEY}"),
            format!("sentry_key={KEY}"),
            format!("  Sentry   sentry_odd , sentry_key = \"{KEY}\" , sentry_secret=x"),
        ] {
            assert_eq!(header(&text).as_deref(), Ok(KEY), "{text}");
        }
        for text in [
            "",
            "Sentry",
            "Sentry sentry_version=7",
            "Sentry sentry_key=",
        ] {
            assert_eq!(header(text), Err(CredentialsError::Unreadable), "{text}");
        }
        assert_eq!(header(&"x".repeat(5000)), Err(CredentialsError::Unreadable));
    }

    #[test]
    fn old_clients_send_the_other_header_and_strangers_send_their_own() {
        let of = |authorization: &str| {
            extract_key(&RequestCredentials {
                authorization: Some(authorization),
                ..RequestCredentials::default()
            })
        };
        assert_eq!(of(&format!("Sentry sentry_key={KEY}")).as_deref(), Ok(KEY));
        assert_eq!(of("Bearer something"), Err(CredentialsError::Missing));
    }

    #[test]
    fn the_address_and_the_envelope_carry_it_too() {
        let query = format!("sentry_version=7&sentry_key={KEY}&sentry_client=x");
        let mut offered = RequestCredentials {
            query: Some(&query),
            ..RequestCredentials::default()
        };
        assert_eq!(extract_key(&offered).as_deref(), Ok(KEY));
        offered.envelope = Some(KEY);
        assert_eq!(extract_key(&offered).as_deref(), Ok(KEY));
        offered.query = Some("Sentry_Key=other&sentry_key=");
        assert_eq!(extract_key(&offered).as_deref(), Ok(KEY));
        offered.query = Some("sentry_key=other");
        assert_eq!(extract_key(&offered), Err(CredentialsError::Ambiguous));
    }

    #[test]
    fn without_any_there_is_none() {
        assert_eq!(
            extract_key(&RequestCredentials::default()),
            Err(CredentialsError::Missing)
        );
        assert_eq!(
            header("Sentry sentry_key=a, sentry_key=b"),
            Err(CredentialsError::Ambiguous)
        );
    }
}
