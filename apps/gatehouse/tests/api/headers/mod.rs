//! Headers of responses, as tables of requests to one server: headers of every response, methods of each path, and
//! responses that other origins may read.

mod answers;
mod cors;
mod methods;

use serde_json::json;

use crate::support::browser::form;
use crate::support::{TestCaller, TestResponse, TestServer};

/// An application that gets tokens by its users' passwords.
struct PasswordApplication {
    id: String,
    secret: String,
}

impl PasswordApplication {
    fn of(server: &TestServer) -> Self {
        let metadata = json!({
            "name": "Shop", "redirect_uri": "https://shop.example/cb", "scopes": "api openid",
        });
        let created = server
            .admin()
            .post("/api/v4/applications", &metadata)
            .expect(201);
        let text = |name: &str| created[name].as_str().unwrap().to_owned();
        Self {
            id: text("application_id"),
            secret: text("secret"),
        }
    }

    /// Requests tokens of the demo's developer with this password.
    fn token(&self, caller: &TestCaller, password: &str) -> TestResponse {
        let fields = [
            ("grant_type", "password"),
            ("username", "dev"),
            ("password", password),
            ("scope", "api openid"),
            ("client_id", &self.id),
            ("client_secret", &self.secret),
        ];
        let caller = caller
            .clone()
            .with("Content-Type", "application/x-www-form-urlencoded");
        caller.send("POST", "/oauth/token", form(&fields).as_bytes())
    }
}
