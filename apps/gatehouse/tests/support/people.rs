//! Additional users, tokens and projects, created with the command line.

use serde_json::Value;

use super::{TestCaller, TestServer};

impl TestServer {
    /// Creates a user without memberships, and returns a caller with a token of theirs.
    pub(crate) fn stranger(&self, username: &str) -> TestCaller {
        let email = format!("{username}@example.com");
        let user = ["user", "create", "--username", username, "--email", &email];
        self.command_json(&[&user[..], &["--json"]].concat());
        TestCaller::new(self.base_url(), Some(&self.token(username, "api")))
    }

    /// Creates a token of a user, with scopes separated by commas.
    pub(crate) fn token(&self, username: &str, scopes: &str) -> String {
        let created = self.command_json(&[
            "token", "create", "--user", username, "--scopes", scopes, "--json",
        ]);
        created["token"].as_str().unwrap().to_owned()
    }

    /// Creates a token with a scope of another release, which no token can be given now.
    pub(crate) fn token_of_another_release(&self, username: &str, scopes: &str) -> String {
        let token = self.token(username, "read_user");
        let newest = "SELECT max(id) FROM access_tokens";
        let change = format!("UPDATE access_tokens SET scopes = '{scopes}' WHERE id = ({newest})");
        super::rows::change_and_revoke(self, &change);
        token
    }

    /// Creates an application with scopes separated by blanks, and returns the command's output.
    pub(crate) fn create_application(
        &self,
        name: &str,
        redirect_uris: &[&str],
        scopes: &str,
        is_confidential: bool,
    ) -> Value {
        let scopes = scopes.replace(' ', ",");
        let mut command = vec![
            "application",
            "create",
            "--json",
            "--name",
            name,
            "--scopes",
            &scopes,
        ];
        for uri in redirect_uris {
            command.extend(["--redirect-uri", uri]);
        }
        if !is_confidential {
            command.push("--public");
        }
        self.command_json(&command)
    }

    /// Revokes a token from another process.
    pub(crate) fn revoke_from_outside(&self, token: &str) {
        let output = self.command_with_input(&["token", "revoke", "--token-stdin"], token);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    /// Blocks a user from another process. The server notices it within about 100 ms, and until then the user's
    /// credentials are valid; a test that uses them waits, or blocks over the API.
    pub(crate) fn block(&self, username: &str) {
        let output = self.command(&["user", "block", username]);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    /// Creates a project, and returns the command's output.
    pub(crate) fn create_project(&self, path: &str, visibility: &str, creator: &str) -> Value {
        self.command_json(&[
            "project",
            "create",
            "--path",
            path,
            "--visibility",
            visibility,
            "--creator",
            creator,
            "--json",
        ])
    }

    /// The path of the API below the demo's project.
    pub(crate) fn below_project(&self, rest: &str) -> String {
        format!("/api/v4/projects/{}{rest}", self.project())
    }

    /// The path of the alerts of the demo's project.
    pub(crate) fn alerts(&self) -> String {
        self.below_project("/alert_management_alerts")
    }

    /// The path of the generic alert endpoint.
    pub(crate) fn generic(&self) -> String {
        self.path_of("/alerts/generic_url")
    }

    /// The path of the metrics alert endpoint.
    pub(crate) fn metrics(&self) -> String {
        self.path_of("/alerts/metrics_url")
    }

    fn path_of(&self, pointer: &str) -> String {
        let url = self.text(pointer);
        url.trim_start_matches(self.base_url()).to_owned()
    }

    /// Sends an alert to the generic endpoint, and returns the alert as its project shows it.
    #[track_caller]
    pub(crate) fn raise(&self, payload: &Value) -> Value {
        let answer = self.sender().post(&self.generic(), payload).expect(200);
        self.alert(&answer[0]["iid"])
    }

    /// An alert of the demo's project as a Developer sees it.
    #[track_caller]
    pub(crate) fn alert(&self, iid: &Value) -> Value {
        let path = format!("{}/{iid}", self.alerts());
        self.developer().get(&path).expect(200)
    }
}
