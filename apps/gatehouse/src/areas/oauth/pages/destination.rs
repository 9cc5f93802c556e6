//! Destination of the browser after consent: users judge an application by its host.

use url::{Host, Url};

use crate::frame::page::display_name::DisplayName;

/// Destination as a sentence, with an emphasized second part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Destination {
    /// Start of the sentence.
    pub(super) lead: &'static str,
    /// Emphasized place.
    pub(super) place: String,
}

impl Destination {
    /// Describes the target of a redirect.
    /// A port is shown unless it is the default; an internationalized host stays in its encoded form, so that it cannot
    /// be mistaken for another host.
    pub(super) fn of(redirect_uri: &str) -> Self {
        let sent = |place: String| Self {
            lead: "You will be sent to",
            place,
        };
        let Ok(url) = Url::parse(redirect_uri) else {
            return Self {
                lead: "You will stay",
                place: "on this page".to_owned(),
            };
        };
        match (url.scheme(), url.host_str()) {
            ("urn", _) => Self {
                lead: "You will be shown",
                place: "a code to copy into the application".to_owned(),
            },
            ("http" | "https", _) if is_loopback(&url) => {
                sent("a program on your own computer".to_owned())
            }
            ("http" | "https", Some(host)) => sent(match url.port() {
                Some(port) => format!("{host}:{port}"),
                None => host.to_owned(),
            }),
            (scheme, _) => {
                let scheme = DisplayName::of(scheme);
                sent(format!(
                    "an app on your device that opens {}: links",
                    scheme.short()
                ))
            }
        }
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_reported_where_they_go() {
        for (uri, lead, place) in [
            (
                "https://app.example/cb",
                "You will be sent to",
                "app.example",
            ),
            (
                "https://app.example:8443/cb",
                "You will be sent to",
                "app.example:8443",
            ),
            (
                "https://user@app.example:443/",
                "You will be sent to",
                "app.example",
            ),
            (
                "https://аррӏе.example/cb",
                "You will be sent to",
                "xn--80ak6aa92e.example",
            ),
            (
                "http://127.0.0.1:7171/cb",
                "You will be sent to",
                "a program on your own computer",
            ),
            (
                "http://[::1]/cb",
                "You will be sent to",
                "a program on your own computer",
            ),
            (
                "http://localhost/cb",
                "You will be sent to",
                "a program on your own computer",
            ),
            (
                "http://localhost.evil.example/",
                "You will be sent to",
                "localhost.evil.example",
            ),
            (
                "com.example.app:/cb",
                "You will be sent to",
                "an app on your device that opens com.example.app: links",
            ),
            (
                "urn:ietf:wg:oauth:2.0:oob",
                "You will be shown",
                "a code to copy into the application",
            ),
        ] {
            let destination = Destination::of(uri);
            assert_eq!(
                (destination.lead, &*destination.place),
                (lead, place),
                "{uri}"
            );
        }
    }
}
