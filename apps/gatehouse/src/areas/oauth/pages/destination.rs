//! Where the browser goes after consent: people judge an application by the host that they know.

use url::{Host, Url};

use crate::frame::page::shown_name::ShownName;

/// A destination in a sentence, of which the second part stands out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Destination {
    /// What happens.
    pub(super) lead: &'static str,
    /// Where to.
    pub(super) place: String,
}

impl Destination {
    /// Where a redirect leads. The port is shown where it is not the usual one; an international host stays in its
    /// encoded form, which nobody takes for another host.
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
                let scheme = ShownName::of(scheme);
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
