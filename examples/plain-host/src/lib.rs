//! A host of `oauth-provider` without a runtime, without HTTP, and without oxide-auth: threads request tokens, and the
//! program prints the results.
//!
//! The host has scopes of its own, `invoices:read` and `invoices:write`. It plays four stories, each in the terms of
//! the protocol:
//! 1. A code is redeemed, and its refresh token is used, several times.
//! 2. Two threads redeem one code at the same time. One gets tokens; the second attempt revokes them.
//! 3. A refresh token is reused long after its rotation. All tokens of the grant are revoked.
//! 4. A resource server introspects a token, and a scope that the host does not have is refused.

mod client;
mod server;

pub use client::{TokenClient, Tokens};
pub use server::{Server, ServerError};

use std::thread;

/// All scopes of the host, formatted for a request.
const EVERY_SCOPE: &str = "invoices:read invoices:write";

/// Plays the stories, and returns a line for each event.
///
/// # Errors
/// When the server cannot be set up, or fails.
pub fn play() -> Result<Vec<String>, ServerError> {
    let mut report = Vec::new();
    let server = Server::new()?;
    report.extend(refreshing(&server)?);
    report.extend(racing(&server)?);
    report.extend(replaying(&server)?);
    report.extend(scoped(&server)?);
    Ok(report)
}

/// A code, and the refresh tokens that follow.
fn refreshing(server: &Server) -> Result<Vec<String>, ServerError> {
    let client = TokenClient::of(server);
    let mut report = Vec::new();
    let mut tokens = client.redeem(&server.authorize(EVERY_SCOPE)?)?;
    report.push(format!("a code gave {}", tokens.report()));
    for _ in 0..3 {
        let next = client.refresh(&tokens)?;
        let old = server.state_of(&tokens.access)?;
        report.push(format!(
            "a refresh token gave {}; before it: {old}",
            next.report()
        ));
        tokens = next;
    }
    Ok(report)
}

/// Two threads redeem one code.
fn racing(server: &Server) -> Result<Vec<String>, ServerError> {
    let code = server.authorize(EVERY_SCOPE)?;
    let outcomes = thread::scope(|scope| {
        let redeem = || scope.spawn(|| TokenClient::of(server).redeem(&code));
        [redeem(), redeem()].map(|thread| thread.join().unwrap_or(Err(ServerError::Lost)))
    });
    let mut report = Vec::new();
    for outcome in outcomes {
        match outcome {
            Ok(tokens) => {
                let state = server.state_of(&tokens.access)?;
                report.push(format!("one of two threads got tokens, now {state}"));
            }
            Err(ServerError::Refused(code)) => {
                report.push(format!("one of two threads got {code}"));
            }
            Err(other) => return Err(other),
        }
    }
    report.sort();
    Ok(report)
}

/// A refresh token is reused after the time for retries is over.
fn replaying(server: &Server) -> Result<Vec<String>, ServerError> {
    let client = TokenClient::of(server);
    let first = client.redeem(&server.authorize(EVERY_SCOPE)?)?;
    let second = client.refresh(&first)?;
    let again = client.refresh(&first)?;
    let is_same = again.access == second.access;
    let mut report = vec![format!("a lost answer was given again: {is_same}")];
    let late = TokenClient::of(server).later(60);
    report.push(match late.refresh(&first) {
        Err(ServerError::Refused(code)) => format!("the refresh token a minute later got {code}"),
        Err(other) => return Err(other),
        Ok(_) => "the refresh token a minute later got tokens".to_owned(),
    });
    let state = server.state_of(&second.access)?;
    report.push(format!("the tokens that followed it: {state}"));
    Ok(report)
}

/// Scopes of the host, and one that it does not have.
fn scoped(server: &Server) -> Result<Vec<String>, ServerError> {
    let client = TokenClient::of(server);
    let tokens = client.redeem(&server.authorize("invoices:read")?)?;
    let permitted = server.introspect(&tokens.access)?.scope;
    let mut report = vec![format!(
        "introspection tells \"{}\"",
        permitted.unwrap_or_default()
    )];
    for scope in ["invoices:delete", "invoices:read api"] {
        report.push(match server.authorize(scope) {
            Err(ServerError::Refused(code)) => format!("a request for \"{scope}\" got {code}"),
            Err(other) => return Err(other),
            Ok(_) => format!("a request for \"{scope}\" got a code"),
        });
    }
    Ok(report)
}
