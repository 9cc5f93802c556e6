//! Text that looks like spam is held before it is published (`SPAM-01`).

mod captcha;
mod judged;
mod pages;
mod service;
mod snippets;

use serde_json::{Value, json};

use crate::support::fake_service::FakeService;
use crate::support::{TestCaller, TestResponse, TestServer};

/// Messages for authors of held texts.
const ADVICE: &str = "Your issue looks like spam. Edit the text to publish it.";
const ADVICE_WITH_CAPTCHA: &str =
    "Your issue looks like spam. Edit the text, or solve the CAPTCHA to publish it.";

/// A server with a public project, and a user who is not a member of it.
struct SpamFixture {
    server: TestServer,
    stranger: TestCaller,
    issues: String,
}

impl SpamFixture {
    /// A server with one rule: no links are allowed.
    fn without_links() -> Self {
        Self::configured("max_links = 0")
    }

    /// A server with that rule, and a CAPTCHA provider.
    fn with_captcha(provider: &FakeService) -> Self {
        Self::configured(&format!(
            "max_links = 0\ncaptcha_url = \"{}/api\"\ncaptcha_site_key = \"site\"\ncaptcha_secret = \"hush\"",
            provider.url()
        ))
    }

    /// A server with these settings in the section about spam.
    fn configured(spam: &str) -> Self {
        let server = TestServer::start_configured(&format!("[spam]\n{spam}\n"));
        server.create_project("open/tools", "public", "dev");
        let stranger = server.stranger("zoe");
        let project = server.developer().get("/api/v4/projects/open%2Ftools");
        let id = project.expect(200)["id"].clone();
        Self {
            server,
            stranger,
            issues: format!("/api/v4/projects/{id}/issues"),
        }
    }

    fn create(&self, by: &TestCaller, title: &str) -> TestResponse {
        by.post(&self.issues, &json!({ "title": title }))
    }

    /// The titles of the issues of the project, the last first.
    fn titles(&self) -> Vec<String> {
        let listed = self.server.developer().get(&self.issues);
        let title = |issue: Value| issue["title"].as_str().unwrap().to_owned();
        listed.list().into_iter().map(title).collect()
    }
}
