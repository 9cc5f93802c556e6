//! Forms about applications, and about the authorizations that users give them.

use accounts::AuditEventName as Event;

use super::{FormSenders, SampleForm};

const FORM: [(&str, &str); 4] = [
    ("application[name]", "Sample"),
    ("application[redirect_uri]", "https://app.example/cb"),
    ("application[confidential]", "1"),
    ("application[scopes][]", "openid"),
];

impl FormSenders<'_> {
    /// Forms of owners of applications: of a user, or of the instance.
    pub(super) fn of_applications(&self, operation: &str) -> Option<SampleForm> {
        let base = if operation.contains("Instance") {
            "/admin/applications"
        } else {
            "/oauth/applications"
        };
        let path = || self.create_application(base);
        Some(match operation {
            "createOwnApplication" | "createInstanceApplication" => {
                self.by_admin(Event::ApplicationCreated, base, &FORM)
            }
            "changeOwnApplicationByForm"
            | "replaceOwnApplication"
            | "changeOwnApplication"
            | "changeInstanceApplicationByForm"
            | "replaceInstanceApplication"
            | "changeInstanceApplication" => {
                let fields = [&FORM[..], &[("_method", "patch")]].concat();
                self.by_admin(Event::ApplicationUpdated, &path(), &fields)
            }
            "deleteOwnApplication" | "deleteInstanceApplication" => {
                self.by_admin(Event::ApplicationDeleted, &path(), &[("_method", "delete")])
            }
            "renewOwnApplicationByForm"
            | "renewOwnApplication"
            | "renewInstanceApplicationByForm"
            | "renewInstanceApplication" => {
                let renew = format!("{}/renew", path());
                self.by_admin(Event::ApplicationSecretRenewed, &renew, &[])
            }
            _ => return None,
        })
    }

    /// Forms of users about the applications that they authorize.
    pub(super) fn of_authorizations(&self, operation: &str) -> Option<SampleForm> {
        let mut browser = self.developer.clone();
        Some(match operation {
            "authorizeByForm" => {
                let handle = self.server.relying_party("Shop").question(&mut browser);
                let fields = [("handle", &*handle)];
                self.by_developer(Event::ApplicationAuthorized, "/oauth/authorize", &fields)
            }
            "revokeAuthorizationByForm" | "revokeAuthorization" => {
                let party = self.server.relying_party("Shop");
                party.tokens(&mut browser);
                let path = format!("/oauth/authorized_applications/{}", party.id);
                self.by_developer(Event::AuthorizationRevoked, &path, &[("_method", "delete")])
            }
            _ => return None,
        })
    }

    /// Registers an application, and returns its path.
    fn create_application(&self, base: &str) -> String {
        let mut browser = self.admin.clone();
        let created = browser.submit("/profile", base, &FORM);
        assert_eq!(created.status, 303, "{}", created.text());
        created.header("location").unwrap().to_owned()
    }
}
