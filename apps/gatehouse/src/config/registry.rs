//! Section of the container registry.

use gatehouse_core::settings::ContainerRegistrySettings;
use url::Url;

use super::load::ConfigReader;

const URL: &str = "registry.url";
const HOST: &str = "registry.host";

impl ConfigReader {
    pub(super) fn registry(&mut self) -> Option<ContainerRegistrySettings> {
        let host = self
            .optional::<String>(HOST)
            .filter(|host| !host.is_empty());
        if host.as_deref().is_some_and(|host| !is_host(host)) {
            self.fault(
                HOST,
                "must be a host such as registry.example.com or registry.example.com:5000",
            );
        }
        let Some(text) = self.optional::<String>(URL).filter(|url| !url.is_empty()) else {
            if host.is_some() {
                self.fault(URL, "is missing; it is required with registry.host");
            }
            return None;
        };
        let Some((address, default)) = parse(&text) else {
            self.fault(URL, "must be an address such as http://127.0.0.1:5000");
            return None;
        };
        Some(ContainerRegistrySettings {
            address,
            host: host.unwrap_or(default),
        })
    }
}

/// Parses the URL of a registry, and returns it with its host and port.
fn parse(text: &str) -> Option<(Url, String)> {
    let url = Url::parse(text).ok()?;
    let is_web = matches!(url.scheme(), "http" | "https");
    let has_more = url.query().is_some() || url.fragment().is_some();
    let has_user = !url.username().is_empty() || url.password().is_some();
    let host = url
        .host_str()
        .filter(|_| is_web && !has_more && !has_user)?;
    let port = url
        .port()
        .map_or_else(String::new, |port| format!(":{port}"));
    let host = format!("{host}{port}");
    Some((url, host))
}

/// True for a host with an optional port.
fn is_host(text: &str) -> bool {
    let url = format!("http://{text}/");
    let is_plain = |url: Url| url.path() == "/" && url.username().is_empty();
    !text.contains(['/', '?', '#', '@']) && Url::parse(&url).is_ok_and(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_gives_the_host_of_images() {
        for (text, host) in [
            ("http://127.0.0.1:5000", Some("127.0.0.1:5000")),
            (
                "https://registry.example.com/",
                Some("registry.example.com"),
            ),
            ("http://[::1]:5000", Some("[::1]:5000")),
            ("registry.example.com", None),
            ("ftp://registry.example.com", None),
            ("https://ann:x@registry.example.com", None),
            ("https://registry.example.com?x", None),
        ] {
            let parsed = parse(text).map(|(_, host)| host);
            assert_eq!(parsed.as_deref(), host, "{text}");
        }
    }

    #[test]
    fn a_host_has_neither_a_scheme_nor_a_path() {
        for host in ["registry.example.com", "localhost:5000", "[::1]:5000"] {
            assert!(is_host(host), "{host}");
        }
        for host in ["https://a.example", "a.example/x", "a b", "a@b", "a:x"] {
            assert!(!is_host(host), "{host}");
        }
    }
}
