//! A host of `oauth-provider` without a runtime, without HTTP, and without oxide-auth: threads ask for tokens, and the
//! program tells what they got.
//!
//! Three stories, each in the words of the protocol:
//! 1. A code is redeemed, and its refresh token is used, several times.
//! 2. Two threads redeem one code at the same time. One gets tokens; that the other came ends them.
//! 3. A refresh token is used again long after. All tokens of the grant end.

mod client;
mod server;

pub use client::Client;
pub use server::{Server, ServerError};

use std::thread;

/// Plays the stories, and gives a line for each thing that happened.
///
/// # Errors
/// When the server cannot be set up, or fails.
pub fn play() -> Result<Vec<String>, ServerError> {
    let mut report = Vec::new();
    let server = Server::new()?;
    report.extend(refreshing(&server)?);
    report.extend(racing(&server)?);
    report.extend(replaying(&server)?);
    Ok(report)
}

/// A code, and the refresh tokens that follow.
fn refreshing(server: &Server) -> Result<Vec<String>, ServerError> {
    let client = Client::of(server);
    let mut report = Vec::new();
    let mut tokens = client.redeem(&server.authorize()?)?;
    report.push(format!("a code gave {}", tokens.report()));
    for _ in 0..3 {
        let next = client.refresh(&tokens)?;
        let old = server.introspect(&tokens.access)?;
        report.push(format!(
            "a refresh token gave {}; before it: {old}",
            next.report()
        ));
        tokens = next;
    }
    Ok(report)
}

/// One code, redeemed by two threads.
fn racing(server: &Server) -> Result<Vec<String>, ServerError> {
    let code = server.authorize()?;
    let outcomes = thread::scope(|scope| {
        let redeem = || scope.spawn(|| Client::of(server).redeem(&code));
        [redeem(), redeem()].map(|thread| thread.join().unwrap_or(Err(ServerError::Lost)))
    });
    let mut report = Vec::new();
    for outcome in outcomes {
        match outcome {
            Ok(tokens) => {
                let state = server.introspect(&tokens.access)?;
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

/// A refresh token that comes again when its time for repeats is over.
fn replaying(server: &Server) -> Result<Vec<String>, ServerError> {
    let client = Client::of(server);
    let first = client.redeem(&server.authorize()?)?;
    let second = client.refresh(&first)?;
    let again = client.refresh(&first)?;
    let is_same = again.access == second.access;
    let mut report = vec![format!("a lost answer was given again: {is_same}")];
    let late = Client::of(server).later(60);
    report.push(match late.refresh(&first) {
        Err(ServerError::Refused(code)) => format!("the refresh token a minute later got {code}"),
        Err(other) => return Err(other),
        Ok(_) => "the refresh token a minute later got tokens".to_owned(),
    });
    let state = server.introspect(&second.access)?;
    report.push(format!("the tokens that followed it: {state}"));
    Ok(report)
}
