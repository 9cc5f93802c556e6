//! The page that asks whether an application may act for whoever looks at it.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_SECURITY_POLICY;
use api_conventions::scope::ScopeSet;
use api_conventions::secret::PlainSecret;
use askama::Template;
use url::{Host, Url};

use super::answer::PageRequest;
use super::failure::PageFailure;
use super::headers::policy_toward;
use super::shell::{Place, Shell};
use super::texts::ScopeText;

/// A request for consent, as the page tells it. The page's forms send `handle` and the CSRF token to
/// `POST /oauth/authorize`, with `_method=delete` for a denial.
#[derive(Debug)]
pub struct ConsentPage<'a> {
    /// What the application is called.
    pub application: &'a str,
    /// The username of who registered it; `None` for an application of the instance.
    pub owner: Option<&'a str>,
    /// What it asks for.
    pub scopes: ScopeSet,
    /// Where the browser is sent afterwards, as it was registered.
    pub redirect_uri: &'a str,
    /// What stands for the waiting request.
    pub handle: &'a PlainSecret,
}

#[derive(Template)]
#[template(path = "consent.html")]
struct ConsentTemplate<'a> {
    shell: Shell,
    application: &'a str,
    owner: Option<&'a str>,
    user: &'a str,
    scopes: Vec<ScopeText>,
    destination: String,
    handle: &'a str,
}

impl ConsentPage<'_> {
    /// Answers with the page. Its policy lets the forms lead to where the browser is sent afterwards.
    ///
    /// # Errors
    /// When nobody is signed in, who could consent; when the page cannot be written, which is a fault of ours.
    pub fn show(&self, page: &PageRequest<'_>) -> Result<HttpResponse, PageFailure> {
        let user = page.visitor.user().ok_or_else(PageFailure::not_our_form)?;
        let title = format!("Authorize {}", self.application);
        let template = ConsentTemplate {
            shell: page.shell(Place::Elsewhere, title),
            application: self.application,
            owner: self.owner,
            user: user.username.as_str(),
            scopes: ScopeText::all(self.scopes),
            destination: destination(self.redirect_uri),
            handle: self.handle.reveal(),
        };
        let policy = policy_toward(self.redirect_uri);
        let html = template.render()?;
        let mut answer = page.begin(StatusCode::OK);
        answer.insert_header((CONTENT_SECURITY_POLICY, policy));
        Ok(answer.body(html))
    }
}

/// Where the browser goes afterwards, in a sentence: people judge an application by the host that they know.
fn destination(redirect_uri: &str) -> String {
    let Ok(url) = Url::parse(redirect_uri) else {
        return "You stay here afterwards.".to_owned();
    };
    let is_loopback = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    match (url.scheme(), url.host_str()) {
        ("urn", _) => "You are shown a code afterwards, to copy into the application.".to_owned(),
        ("http" | "https", _) if is_loopback => {
            "You are sent to a program on your own computer afterwards.".to_owned()
        }
        ("http" | "https", Some(host)) => format!("You are sent to {host} afterwards."),
        (scheme, _) => {
            format!("An app on your device that opens {scheme}: links goes on afterwards.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_told_where_they_go() {
        for (uri, told) in [
            ("https://app.example:8443/cb", "app.example"),
            ("http://127.0.0.1:7171/cb", "your own computer"),
            ("http://[::1]/cb", "your own computer"),
            ("http://localhost/cb", "your own computer"),
            ("http://localhost.evil.example/cb", "localhost.evil.example"),
            ("com.example.app:/cb", "com.example.app: links"),
            ("urn:ietf:wg:oauth:2.0:oob", "a code"),
        ] {
            let sentence = destination(uri);
            assert!(sentence.contains(told), "{uri}: {sentence}");
        }
    }
}
