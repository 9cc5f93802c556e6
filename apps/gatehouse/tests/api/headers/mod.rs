//! Headers of responses, as tables of requests to one server: headers of every response, methods of each path, and
//! responses that other origins may read.

mod answers;
mod cors;
mod methods;

use serde_json::json;

use crate::support::browser::form;
use crate::support::{Answer, Caller, Server};

/// An application that gets tokens by its users' passwords.
struct Application {
    id: String,
    secret: String,
}

impl Application {
    fn of(server: &Server) -> Self {
        let metadata = json!({
            "name": "Shop", "redirect_uri": "https://shop.example/cb", "scopes": "api openid",
        });
        let made = server
            .admin()
            .post("/api/v4/applications", &metadata)
            .expect(201);
        let text = |name: &str| made[name].as_str().unwrap().to_owned();
        Self {
            id: text("application_id"),
            secret: text("secret"),
        }
    }

    /// Requests tokens of the demo's developer with this password.
    fn token(&self, caller: &Caller, password: &str) -> Answer {
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
