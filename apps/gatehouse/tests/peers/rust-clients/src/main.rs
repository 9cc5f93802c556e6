//! Signs in to a server with the crates `oauth2` and `openidconnect`, as a Rust program does: discovery, proof keys, an
//! id token that the client validates, refresh, claims, introspection and revocation.
//!
//! The two arguments are the word `oauth` and JSON: the server, its user, and the applications. With the word `api` the
//! program plays a story with the crate `gitlab` instead; with `tracker`, a part and a DSN it reports errors with the
//! crate `sentry`. The last line summarizes the run.

mod api;
mod oauth;
mod openid;
mod tracker;
mod user;

use serde::Deserialize;

/// Setup from the test.
#[derive(Debug, Deserialize)]
struct OAuthSetup {
    base_url: String,
    login: String,
    password: String,
    redirect_uri: String,
    confidential: RegisteredClient,
    public: RegisteredClient,
}

/// An application of the server.
#[derive(Debug, Deserialize)]
struct RegisteredClient {
    id: String,
    #[serde(default)]
    secret: Option<String>,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let part = arguments.next().expect("which part");
    let json = arguments.next().expect("what the test says");
    if part == "api" {
        return api::play(&json);
    }
    if part == "tracker" {
        let dsn = arguments.next().expect("where to report");
        return tracker::play(&json, &dsn);
    }
    let setup: OAuthSetup = serde_json::from_str(&json).expect("what the test says");
    oauth::dance(&setup);
    oauth::refusals(&setup);
    openid::dance(&setup);
    println!("oauth2, openidconnect");
}
