//! Redirect URIs: rules for their registration, and for matching requests with registered ones.

use std::fmt;

use url::{Host, Url};

use crate::model::ClientType;

/// Redirect URI of clients that take no redirect: the code is shown to the user, who copies it.
pub const OUT_OF_BAND: &str = "urn:ietf:wg:oauth:2.0:oob";
/// Longest redirect URI, in bytes.
pub const MAX_BYTES: usize = 2_000;
/// Parameters of authorization responses. A registered URI that already has one could be confused with a response, so
/// it is refused.
const ANSWER_PARAMETERS: [&str; 6] = [
    "code",
    "state",
    "iss",
    "error",
    "response",
    "error_description",
];
/// Loopback addresses of the user's own machine.
const LOOPBACK_ADDRESSES: &[&str] = &["http://127.0.0.1", "http://[::1]"];
/// Loopback addresses, and the name `localhost`.
const LOOPBACK_HOSTS: &[&str] = &["http://127.0.0.1", "http://[::1]", "http://localhost"];
/// Schemes that run or show content of an attacker, and schemes of other protocols, which no client uses for responses.
const FORBIDDEN_SCHEMES: [&str; 19] = [
    "javascript",
    "data",
    "vbscript",
    "file",
    "filesystem",
    "blob",
    "about",
    "view-source",
    "ftp",
    "ftps",
    "sftp",
    "gopher",
    "ws",
    "wss",
    "ssh",
    "telnet",
    "ldap",
    "ldaps",
    "smb",
];

/// A registered redirect URI. Its bytes are kept as they were registered and compared as they are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RedirectUri(String);

/// Reason why a URI cannot be registered. The texts are those that existing clients show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RedirectUriError {
    /// The text is not a URI, or it is too long.
    #[error("must be a valid URI.")]
    Invalid,
    /// The URI has a fragment (RFC 6749, section 3.1.2).
    #[error("cannot contain a fragment.")]
    Fragment,
    /// The URI has no scheme.
    #[error("must specify a scheme.")]
    NoScheme,
    /// The URI has no host or path to visit.
    #[error("must be an absolute URI.")]
    NotAbsolute,
    /// The URI is plain `http` to another machine, and this server requires `https`.
    #[error("must be an HTTPS/SSL URI.")]
    Insecure,
    /// The URI has a dangerous scheme, a wildcard, a user name, or a reserved query parameter.
    #[error("is forbidden by the server.")]
    Forbidden,
}

impl RedirectUri {
    /// Validates a URI for registration. Plain `http` to anything but the user's own machine needs `allow_insecure`
    /// (`OAUTH-13`).
    ///
    /// # Errors
    /// The first rule that the URI breaks.
    pub fn register(text: &str, allow_insecure: bool) -> Result<Self, RedirectUriError> {
        if text == OUT_OF_BAND {
            return Ok(Self(text.to_owned()));
        }
        let printable = |byte: u8| (0x21..=0x7e).contains(&byte);
        if text.is_empty() || text.len() > MAX_BYTES || !text.bytes().all(printable) {
            return Err(RedirectUriError::Invalid);
        }
        let url = Url::parse(text).map_err(|error| match error {
            url::ParseError::RelativeUrlWithoutBase => RedirectUriError::NoScheme,
            _ => RedirectUriError::Invalid,
        })?;
        check(&url, text, allow_insecure)?;
        Ok(Self(text.to_owned()))
    }

    /// Validates a URI to which users are sent after sign-out (OpenID Connect RP-Initiated Logout 1.0, section 3.1).
    /// Nothing could be shown instead, so the URI must be one that a browser can visit.
    ///
    /// # Errors
    /// As [`Self::register`].
    pub fn register_post_logout(
        text: &str,
        allow_insecure: bool,
    ) -> Result<Self, RedirectUriError> {
        if text == OUT_OF_BAND {
            return Err(RedirectUriError::NotAbsolute);
        }
        Self::register(text, allow_insecure)
    }

    /// Wraps a stored URI.
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// Returns the URI.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True if the code is shown to the user instead of sent.
    pub fn is_out_of_band(&self) -> bool {
        self.0 == OUT_OF_BAND
    }

    /// True if `requested` is this URI: byte for byte, except that a client on the user's own machine may listen at any
    /// port (RFC 8252, section 7.3). For a confidential client only the addresses `127.0.0.1` and `[::1]` count as that
    /// machine; for a public one the name `localhost` does, too, though it is not recommended (section 8.3).
    pub fn matches(&self, requested: &str, client_type: ClientType) -> bool {
        if self.0 == requested {
            return true;
        }
        let hosts = match client_type {
            ClientType::Confidential => LOOPBACK_ADDRESSES,
            ClientType::Public => LOOPBACK_HOSTS,
        };
        without_loopback_port(&self.0, hosts)
            .zip(without_loopback_port(requested, hosts))
            .is_some_and(|(ours, theirs)| ours == theirs)
    }
}

impl fmt::Display for RedirectUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn check(url: &Url, text: &str, allow_insecure: bool) -> Result<(), RedirectUriError> {
    if url.fragment().is_some() {
        return Err(RedirectUriError::Fragment);
    }
    let is_answer = |name: &str| ANSWER_PARAMETERS.contains(&name);
    if FORBIDDEN_SCHEMES.contains(&url.scheme())
        || text.contains('*')
        || text.contains('\\')
        || !url.username().is_empty()
        || url.password().is_some()
        || url.query_pairs().any(|(name, _)| is_answer(&name))
    {
        return Err(RedirectUriError::Forbidden);
    }
    if !is_absolute(url, text) {
        return Err(RedirectUriError::NotAbsolute);
    }
    let insecure = url.scheme() == "http" && !is_loopback(url);
    if insecure && !allow_insecure {
        return Err(RedirectUriError::Insecure);
    }
    Ok(())
}

/// True if a URI is absolute. Web addresses need `//` and a host. Others need a path: `com.example.app:/callback` has
/// one.
fn is_absolute(url: &Url, text: &str) -> bool {
    let rest = text.split_once(':').map_or("", |(_, rest)| rest);
    match url.scheme() {
        "http" | "https" => rest.starts_with("//") && !rest.starts_with("///") && url.has_host(),
        _ => rest.starts_with('/') && rest.len() > 1,
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.octets() == [127, 0, 0, 1],
        Some(Host::Ipv6(address)) => address.segments() == [0, 0, 0, 0, 0, 0, 0, 1],
        None => false,
    }
}

/// Returns the parts of `http://127.0.0.1:PORT/…` around the port, or `None` for a URI that begins with none of
/// `hosts`. Nothing is decoded or normalized: another spelling is another URI.
fn without_loopback_port<'t>(text: &'t str, hosts: &[&str]) -> Option<(&'t str, &'t str)> {
    let host = hosts.iter().find(|host| text.starts_with(**host))?;
    let (before, rest) = text.split_at_checked(host.len())?;
    let (port, after) = match rest.strip_prefix(':') {
        Some(rest) => {
            let end = rest
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(rest.len());
            rest.split_at_checked(end)?
        }
        None => ("80", rest),
    };
    let is_port = port.len() <= 5 && port.parse::<u16>().is_ok_and(|number| number > 0);
    let ends = after.is_empty() || after.starts_with('/') || after.starts_with('?');
    (is_port && ends).then_some((before, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_redirect_uris_can_be_registered() {
        let local = [
            "http://localhost:7171/auth",
            "http://127.0.0.1/cb",
            "http://[::1]:80/cb",
        ];
        let remote = [
            "https://app.example/cb",
            "https://app.example/cb?keep=1",
            "com.example.app:/cb",
        ];
        for good in local.into_iter().chain(remote).chain([OUT_OF_BAND]) {
            assert!(RedirectUri::register(good, false).is_ok(), "{good}");
        }
        let plain = "http://app.example/cb";
        assert_eq!(
            RedirectUri::register(plain, false),
            Err(RedirectUriError::Insecure)
        );
        assert!(RedirectUri::register(plain, true).is_ok());
    }

    #[test]
    fn invalid_redirect_uris_cannot_be_registered() {
        use RedirectUriError::{Forbidden, Fragment, Invalid, NoScheme, NotAbsolute};
        let cases = [
            ("", Invalid),
            ("https://app.example/\u{e9}", Invalid),
            ("https://app.example/a b", Invalid),
            ("https://app.example/a\0", Invalid),
            ("https://", Invalid),
            ("/cb", NoScheme),
            ("app.example/cb", NoScheme),
            ("https://app.example/cb#x", Fragment),
            ("https://app.example/cb#", Fragment),
            ("javascript:alert(1)", Forbidden),
            ("JAVASCRIPT:alert(1)", Forbidden),
            ("data:text/html,x", Forbidden),
            ("vbscript:x", Forbidden),
            ("ftp://app.example/cb", Forbidden),
            ("FTPS://app.example/cb", Forbidden),
            ("wss://app.example/cb", Forbidden),
            ("ldap:/cb", Forbidden),
            ("https://*.example/cb", Forbidden),
            ("https://user@app.example/cb", Forbidden),
            ("https://app.example\\cb", Forbidden),
            ("https://app.example/cb?code=1", Forbidden),
            ("https://app.example/cb?a=1&st%61te=1", Forbidden),
            ("https:app.example/cb", NotAbsolute),
            ("https:/app.example/cb", NotAbsolute),
            ("mailto:ann@example.com", NotAbsolute),
            ("myapp:/", NotAbsolute),
        ];
        for (text, expected) in cases {
            assert_eq!(RedirectUri::register(text, true), Err(expected), "{text:?}");
        }
        let long = format!("https://app.example/{}", "x".repeat(MAX_BYTES));
        assert_eq!(RedirectUri::register(&long, true), Err(Invalid));
    }

    #[test]
    fn only_byte_identical_redirect_uris_match() {
        let registered = RedirectUri::register("https://app.example/cb", false).unwrap();
        assert!(registered.matches("https://app.example/cb", ClientType::Public));
        for other in [
            "https://app.example/CB",
            "https://APP.example/cb",
            "https://app.example/cb/",
            "https://app.example/%63b",
            "https://app.example/cb?x=1",
            "https://app.example:443/cb",
            "https://user@app.example/cb",
            "https://app.example/a/../cb",
            "https://app.example/cb#x",
            "http://app.example/cb",
            "https://app.example/cb ",
            "",
        ] {
            assert!(!registered.matches(other, ClientType::Public), "{other:?}");
        }
    }

    #[test]
    fn a_client_on_the_users_machine_may_listen_at_any_port() {
        let registered = |text: &str| RedirectUri::register(text, false).unwrap();
        let loopback = registered("http://127.0.0.1:7171/auth?x=1");
        for good in ["http://127.0.0.1:1/auth?x=1", "http://127.0.0.1/auth?x=1"] {
            assert!(loopback.matches(good, ClientType::Public), "{good}");
            assert!(loopback.matches(good, ClientType::Confidential), "{good}");
        }
        for bad in [
            "http://localhost:7171/auth?x=1",
            "https://127.0.0.1:7171/auth?x=1",
            "http://127.0.0.1:7171/auth?x=2",
            "http://127.0.0.1:7171/Auth?x=1",
            "http://127.0.0.1:0/auth?x=1",
            "http://127.0.0.1:65536/auth?x=1",
            "http://127.0.0.1:/auth?x=1",
            "http://127.0.0.1:7171@evil.example/auth?x=1",
            "http://127.0.0.1.evil.example/auth?x=1",
            "http://127.0.0.1:1\\@evil.example/auth?x=1",
            "http://u@127.0.0.1:7171/auth?x=1",
            "http://127.0.0.2:7171/auth?x=1",
        ] {
            assert!(!loopback.matches(bad, ClientType::Public), "{bad}");
            assert!(!loopback.matches(bad, ClientType::Confidential), "{bad}");
        }
        for client_type in [ClientType::Public, ClientType::Confidential] {
            assert!(registered("http://[::1]/cb").matches("http://[::1]:9/cb", client_type));
        }
        let by_name = registered("http://localhost/cb");
        assert!(by_name.matches("http://localhost:9/cb", ClientType::Public));
        assert!(!by_name.matches("http://localhost:9/cb", ClientType::Confidential));
    }
}
