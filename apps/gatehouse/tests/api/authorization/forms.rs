//! A sample form of each page operation that the audit log records, with the event.

mod applications;
mod places;
mod project_settings;
mod users;

use accounts::AuditEventName;

use crate::support::browser::{TestBrowser, form, hidden};
use crate::support::{TestResponse, TestServer};

/// Page of the demo's project.
const PROJECT: &str = "/acme/web-shop";
/// The demo's project in the API.
const PROJECT_API: &str = "/api/v4/projects/acme%2Fweb-shop";
/// Page of the demo's group.
const GROUP: &str = "/groups/acme";
/// The demo's group in the API.
const GROUP_API: &str = "/api/v4/groups/acme";

/// Form that changes something.
pub(super) struct SampleForm {
    /// Event in the audit log.
    pub(super) event: AuditEventName,
    browser: TestBrowser,
    /// Page with the token of the form.
    page: String,
    path: String,
    fields: Vec<(&'static str, String)>,
}

impl SampleForm {
    /// A form that a signed-in user sends.
    fn new(
        event: AuditEventName,
        browser: &TestBrowser,
        path: &str,
        fields: &[(&'static str, &str)],
    ) -> Self {
        let fields = fields.iter();
        Self {
            event,
            browser: browser.clone(),
            page: "/profile".to_owned(),
            path: path.to_owned(),
            fields: fields
                .map(|(name, value)| (*name, (*value).to_owned()))
                .collect(),
        }
    }

    /// The same form with the token of another page, for a visitor without a profile.
    fn with_token_of(self, page: &str) -> Self {
        Self {
            page: page.to_owned(),
            ..self
        }
    }

    /// Sends the form with this method.
    pub(super) fn send(mut self, method: &str) -> TestResponse {
        let token = hidden(&self.browser.open(&self.page), "authenticity_token");
        let mut fields = vec![("authenticity_token", token.as_str())];
        fields.extend(self.fields.iter().map(|(name, value)| (*name, &**value)));
        self.browser.send(method, &self.path, &form(&fields))
    }
}

/// Senders of the forms.
pub(super) struct FormSenders<'s> {
    server: &'s TestServer,
    /// An administrator, who owns the demo's project and group.
    admin: TestBrowser,
    developer: TestBrowser,
}

impl<'s> FormSenders<'s> {
    pub(super) fn of(server: &'s TestServer) -> Self {
        Self {
            server,
            admin: server.signed_in("admin"),
            developer: server.signed_in("developer"),
        }
    }

    /// A valid form for the operation; `None` if there is no sample.
    pub(super) fn sample(&self, operation: &str) -> Option<SampleForm> {
        self.of_user_administration(operation)
            .or_else(|| self.of_own_account(operation))
            .or_else(|| self.of_own_second_factor(operation))
            .or_else(|| self.of_own_tokens(operation))
            .or_else(|| self.of_applications(operation))
            .or_else(|| self.of_authorizations(operation))
            .or_else(|| self.of_members(operation))
            .or_else(|| self.of_tokens(operation))
            .or_else(|| self.of_runners(operation))
            .or_else(|| self.of_projects(operation))
            .or_else(|| self.of_groups(operation))
            .or_else(|| self.of_alerts(operation))
            .or_else(|| self.of_channels(operation))
    }

    /// A form that the administrator sends.
    fn by_admin(
        &self,
        event: AuditEventName,
        path: &str,
        fields: &[(&'static str, &str)],
    ) -> SampleForm {
        SampleForm::new(event, &self.admin, path, fields)
    }

    /// A form that the developer sends.
    fn by_developer(
        &self,
        event: AuditEventName,
        path: &str,
        fields: &[(&'static str, &str)],
    ) -> SampleForm {
        SampleForm::new(event, &self.developer, path, fields)
    }
}
