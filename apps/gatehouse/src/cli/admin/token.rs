//! `gatehouse token …`: creates, lists and revokes access tokens.

use accounts::flow::revoke_token::revoke_token;
use accounts::{AccessToken, TokenFilter, TokenState, TokenValidity, User, UserFilter};
use anyhow::Context as _;
use api_conventions::ids::TokenId;
use api_conventions::scope::Scope;
use api_conventions::secret::PlainSecret;
use api_conventions::time::{CalendarDate, Clock as _, Timestamp};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::pages::{each_row, each_user, read};
use crate::cli::listing::{Listing, TableColumn};
use crate::cli::output;
use crate::config::Overrides;
use crate::error_list::ErrorList;
use crate::provision::{self, NewTokenRequest, TokenLife};
use crate::state::{Behaviour, ServedReleases};
use gatehouse_core::clock::SystemClock;
use gatehouse_core::database::Database;
use gatehouse_core::scopes;

const COLUMNS: &[TableColumn] = &[
    ("id", 6),
    ("user", 20),
    ("kind", 13),
    ("state", 7),
    ("expires_at", 10),
    ("last_used_at", 24),
    ("scopes", 20),
    ("name", 0),
];

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum TokenCommand {
    /// Create a personal access token; prints it only this once.
    Create(CreateTokenFlags),
    /// List tokens by user, without the tokens themselves.
    List(ListTokensFlags),
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
pub(in crate::cli) struct ListTokensFlags {
    /// Only tokens that act for this user.
    #[arg(long, value_name = "USERNAME")]
    user: Option<String>,
    /// Only tokens that are neither revoked nor expired.
    #[arg(long)]
    active: bool,
    /// Print one JSON object per line.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(in crate::cli) struct RevokeTokenFlags {
    /// Read the token from standard input, so that it does not appear in the process list.
    #[arg(long)]
    token_stdin: bool,
    /// Id of the token, as `gatehouse token list` prints it.
    #[arg(long)]
    id: Option<i64>,
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
        TokenCommand::List(flags) => list(overrides, &flags),
        TokenCommand::Revoke(flags) => revoke(overrides, &flags),
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

fn list(overrides: &Overrides, flags: &ListTokensFlags) -> anyhow::Result<()> {
    let (_, database) = super::open(overrides)?;
    let now = SystemClock.now();
    let filter = UserFilter {
        username: match &flags.user {
            Some(username) => Some(
                super::find_user(&database, username)?
                    .username
                    .as_str()
                    .to_owned(),
            ),
            None => None,
        },
        ..UserFilter::default()
    };
    let validity = flags.active.then(|| TokenValidity::Valid(now.date()));
    let listing = Listing::begin(COLUMNS, flags.json);
    each_user(&database, filter, |user| {
        let tokens = TokenFilter {
            user_id: Some(user.id),
            validity,
            ..TokenFilter::default()
        };
        let list = |page| {
            let tokens = tokens.clone();
            read(&database, move |tx| tx.list_tokens(&tokens, page))
        };
        each_row(list, |token| listing.row(&row(&user, &token, now)))
    })?;
    database.close();
    Ok(())
}

fn row(user: &User, token: &AccessToken, now: Timestamp) -> Value {
    let state = match token.state {
        TokenState::Revoked { .. } => "revoked",
        TokenState::Active if token.is_usable(now) => "active",
        TokenState::Active => "expired",
    };
    let scopes: Vec<&str> = token.scopes.iter().map(Scope::as_str).collect();
    json!({
        "id": token.id,
        "user": user.username.as_str(),
        "name": token.name,
        "kind": token.kind.as_str(),
        "scopes": scopes,
        "state": state,
        "expires_at": token.expiry().map(|day| day.to_string()),
        "last_used_at": token.last_used_at.map(|at| at.to_string()),
        "created_at": token.created_at.to_string(),
    })
}

fn revoke(overrides: &Overrides, flags: &RevokeTokenFlags) -> anyhow::Result<()> {
    let (_, database) = super::open(overrides)?;
    let id = match flags.id {
        Some(id) => Some(TokenId::new(id)),
        None => token_from_stdin(&database)?,
    };
    let revoked = id.map_or(Ok(false), |id| {
        super::write(&database, move |tx| {
            revoke_token(tx, id, None, SystemClock.now())
        })
    })?;
    database.close();
    anyhow::ensure!(revoked, "the token does not exist or is already revoked");
    output::line("revoked");
    Ok(())
}

fn token_from_stdin(database: &Database) -> anyhow::Result<Option<TokenId>> {
    let mut text = String::new();
    std::io::stdin().read_line(&mut text)?;
    let digest = PlainSecret::new(text.trim()).digest();
    let token = read(database, move |tx| tx.find_token_by_digest(&digest))?;
    Ok(token.map(|token| token.id))
}
