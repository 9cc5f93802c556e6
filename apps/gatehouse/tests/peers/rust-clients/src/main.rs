//! Signs in to a server with the crates `oauth2` and `openidconnect`, as a Rust program does: discovery, proof keys,
//! an id token that the client validates, refresh, claims, introspection and revocation.
//!
//! The one argument is JSON: the server, its user, and the applications. The last line says what was done.

mod oauth;
mod openid;
mod user;

use serde::Deserialize;

/// What the test says.
#[derive(Debug, Deserialize)]
struct Setup {
    base_url: String,
    login: String,
    password: String,
    redirect_uri: String,
    confidential: Application,
    public: Application,
}

/// An application of the server.
#[derive(Debug, Deserialize)]
struct Application {
    id: String,
    #[serde(default)]
    secret: Option<String>,
}

fn main() {
    let json = std::env::args().nth(1).expect("one argument");
    let setup: Setup = serde_json::from_str(&json).expect("what the test says");
    oauth::dance(&setup);
    oauth::refusals(&setup);
    openid::dance(&setup);
    println!("oauth2, openidconnect");
}
