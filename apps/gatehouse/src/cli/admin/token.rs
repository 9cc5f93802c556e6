//! `gatehouse token create` and `gatehouse token revoke`.

use accounts::flow::revoke_token::revoke_token;
use anyhow::Context as _;
use api_conventions::scope::Scope;
use api_conventions::secret::PlainSecret;
use api_conventions::time::{CalendarDate, Clock as _};
use clap::{Args, Subcommand};
use serde_json::json;
use storage::{Store as _, StoreError};

use crate::cli::output;
use crate::config::Overrides;
use crate::error_list::ErrorList;
use crate::provision::{self, NewTokenRequest, TokenLife};
use crate::state::{Behaviour, ServedReleases};
use gatehouse_core::clock::SystemClock;
use gatehouse_core::scopes;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum TokenCommand {
    /// Create a personal access token; prints it only this once.
    Create(CreateTokenFlags),
    /// Revoke a token immediately.
    Revoke(RevokeTokenFlags),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct CreateTokenFlags {
    /// Username of the user for whom the token acts.
    #[arg(long)]
    user: String,
    /// Name of the token.
    #[arg(long, default_value = "command line")]
    name: String,
    #[arg(long, default_value = "api", help = scopes_help())]
    scopes: String,
    /// First day on which the token no longer works (YYYY-MM-DD; default: in a year).
    #[arg(long)]
    expires_on: Option<String>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct RevokeTokenFlags {
    /// Read the token from standard input, so that it does not appear in the process list.
    #[arg(long, required = true)]
    token_stdin: bool,
}

/// Help about scopes, generated from the registry, so that it never lists one that does not exist.
fn scopes_help() -> String {
    let names = scopes::registry().offered_names();
    format!("Scopes, separated by commas: {names}")
}

/// Runs `gatehouse token …`.
pub(in crate::cli) fn token(overrides: &Overrides, command: TokenCommand) -> anyhow::Result<()> {
    match command {
        TokenCommand::Create(flags) => create(overrides, &flags),
        TokenCommand::Revoke(_) => revoke(overrides),
    }
}

fn create(overrides: &Overrides, flags: &CreateTokenFlags) -> anyhow::Result<()> {
    let mut errors = ErrorList::default();
    let scopes = scopes::registry().parse_offered(&flags.scopes.replace(',', " "));
    let scopes = errors.take(scopes);
    let day = |text: &String| {
        CalendarDate::parse(text)
            .with_context(|| format!("{text:?} is not a date such as 2030-01-31"))
    };
    let day = errors.take(flags.expires_on.as_ref().map(day).transpose());
    let opened = errors.take(super::open(overrides));
    let database = opened.as_ref().map(|(_, database)| database);
    let user = super::find_named(&mut errors, database, &flags.user);
    let (Some(scopes), Some(day), Some((settings, database)), Some(user)) =
        (scopes, day, opened, user)
    else {
        return Err(errors.into_error());
    };
    let releases = ServedReleases::new(settings.api.release, false, "");
    let life = match day {
        Some(day) => TokenLife::UntilDay(day),
        None if releases.has(Behaviour::EndlessTokens) => TokenLife::Endless,
        None => TokenLife::AYear,
    };
    let request = NewTokenRequest {
        user_id: user.id,
        name: flags.name.clone(),
        scopes: scopes.clone(),
        life,
    };
    let prefix = &settings.security.token_prefix;
    let (created, secret) = provision::token(&database, prefix, request)?;
    let expires_on = created.expiry().map(|day| day.to_string());
    database.close();
    let token = secret.reveal();
    if flags.json {
        let names: Vec<&str> = scopes.iter().map(Scope::as_str).collect();
        return output::json(&json!({
            "id": created.id,
            "user": flags.user,
            "scopes": names,
            "token": token,
            "expires_at": expires_on,
        }));
    }
    output::table(&[
        ("id", created.id.to_string()),
        ("token", token.to_owned()),
        (
            "expires on",
            expires_on.unwrap_or_else(|| "never".to_owned()),
        ),
    ]);
    Ok(())
}

fn revoke(overrides: &Overrides) -> anyhow::Result<()> {
    let (_, database) = super::open(overrides)?;
    let mut text = String::new();
    std::io::stdin().read_line(&mut text)?;
    let digest = PlainSecret::new(text.trim()).digest();
    let revoked: Result<bool, StoreError> = database
        .write(move |tx| match tx.find_token_by_digest(&digest)? {
            Some(token) => revoke_token(tx, token.id, None, SystemClock.now()),
            None => Ok(false),
        })
        .wait();
    let revoked = revoked?;
    database.close();
    anyhow::ensure!(revoked, "the token does not exist or is already revoked");
    output::line("revoked");
    Ok(())
}
