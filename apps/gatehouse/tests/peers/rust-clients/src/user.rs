//! The user at the browser, and the transport of the clients.

use std::collections::BTreeMap;

use oauth2::http::{Request, Response};
use oauth2::url::Url;

use crate::OAuthSetup;

/// Sends a request, and returns any response. The clients use this as their transport.
pub(crate) fn send(request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, ureq::Error> {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .build();
    let (parts, mut body) = ureq::Agent::new_with_config(config)
        .run(request)?
        .into_parts();
    Ok(Response::from_parts(parts, body.read_to_vec()?))
}

/// A user with a browser.
pub(crate) struct BrowserUser<'a> {
    setup: &'a OAuthSetup,
    cookies: BTreeMap<String, String>,
}

impl<'a> BrowserUser<'a> {
    /// A user who is not signed in.
    pub(crate) fn new(setup: &'a OAuthSetup) -> Self {
        Self {
            setup,
            cookies: BTreeMap::new(),
        }
    }

    /// Opens an authorization URL, signs in if asked, and approves. Returns the parameters of the redirect.
    pub(crate) fn approve(&mut self, url: &Url) -> BTreeMap<String, String> {
        let path = url.as_str().strip_prefix(&self.setup.base_url);
        let path = path.expect("the server's own URL").to_owned();
        let mut answer = self.send("GET", &path, String::new());
        if location(&answer).is_some_and(|target| target.contains("/users/sign_in")) {
            answer = self.sign_in(&answer);
        }
        let target = location(&answer).unwrap_or_else(|| {
            let page = text(&answer);
            let fields = fields(&page, "name=\"handle\"");
            let decided = self.send("POST", "/oauth/authorize", encode(&fields));
            location(&decided).unwrap_or_else(|| panic!("no redirect: {}", text(&decided)))
        });
        let target = Url::parse(&target).expect("an absolute URL");
        target.query_pairs().into_owned().collect()
    }

    /// Signs in at the target of a redirect, and returns to the original page.
    fn sign_in(&mut self, redirect: &Response<Vec<u8>>) -> Response<Vec<u8>> {
        let page = self.follow(redirect);
        let mut filled = fields(&text(&page), "user[password]");
        filled.insert("user[login]".to_owned(), self.setup.login.clone());
        filled.insert("user[password]".to_owned(), self.setup.password.clone());
        let signed_in = self.send("POST", "/users/sign_in", encode(&filled));
        self.follow(&signed_in)
    }

    fn follow(&mut self, redirect: &Response<Vec<u8>>) -> Response<Vec<u8>> {
        let target = location(redirect).unwrap_or_else(|| panic!("{}", text(redirect)));
        let path = target.strip_prefix(&self.setup.base_url).unwrap_or(&target);
        self.send("GET", path, String::new())
    }

    fn send(&mut self, method: &str, path: &str, form: String) -> Response<Vec<u8>> {
        let cookies: Vec<_> = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.setup.base_url))
            .header("Origin", &self.setup.base_url)
            .header("Cookie", cookies.join("; "))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .body(form.into_bytes());
        let answer = send(request.expect("a request")).expect("an answer");
        for set in answer.headers().get_all("set-cookie") {
            let set = set.to_str().expect("a readable cookie");
            let pair = set.split(';').next().unwrap_or_default();
            if let Some((name, value)) = pair.split_once('=') {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        answer
    }
}

fn text(answer: &Response<Vec<u8>>) -> String {
    String::from_utf8_lossy(answer.body()).into_owned()
}

fn location(answer: &Response<Vec<u8>>) -> Option<String> {
    let header = answer.headers().get("location")?;
    Some(header.to_str().ok()?.to_owned())
}

/// The fields of the first form that contains a text. Their values are letters, digits and paths, which need no
/// unescaping.
fn fields(page: &str, holding: &str) -> BTreeMap<String, String> {
    let mut forms = page.split("<form").skip(1);
    let form = forms
        .find(|form| {
            form.split("</form>")
                .next()
                .is_some_and(|form| form.contains(holding))
        })
        .unwrap_or_else(|| panic!("no form with {holding}: {page}"));
    let inner = form.split("</form>").next().unwrap_or_default();
    let tags = inner.split('<').skip(1);
    let named = tags.filter_map(|tag| Some((attribute(tag, "name")?, attribute(tag, "value"))));
    named
        .map(|(name, value)| (name, value.unwrap_or_default()))
        .collect()
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    let value = rest.split('"').next()?;
    Some(value.replace("&#38;", "&").replace("&amp;", "&"))
}

fn encode(fields: &BTreeMap<String, String>) -> String {
    let mut url = Url::parse("http://form.invalid/").expect("a URL");
    url.query_pairs_mut().extend_pairs(fields);
    url.query().unwrap_or_default().to_owned()
}
