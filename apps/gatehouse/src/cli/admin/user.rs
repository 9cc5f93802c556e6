//! `gatehouse user …`: creates, lists and blocks accounts, and helps users who are locked out.

use std::io::Read as _;

use accounts::password::PasswordHash;
use accounts::{StateChange, UserFilter, UserKind};
use api_conventions::secret::PlainSecret;
use api_conventions::time::Clock as _;
use clap::{Args, Subcommand};
use serde_json::json;

use super::pages::each_user;
use crate::cli::listing::{Listing, TableColumn};
use crate::cli::output;
use crate::config::Overrides;
use crate::error_list::ErrorList;
use crate::provision::{self, NewUserRequest};
use gatehouse_core::clock::SystemClock;
use gatehouse_core::database::{Database, WriteTransaction};
use gatehouse_core::flows::account_mail::OutgoingMail;
use gatehouse_core::flows::account_recovery::{disable_second_factor_of, set_password_of};
use gatehouse_core::flows::users::{AccountEditor, StateChangeError, change_state};
use gatehouse_core::randomness::OsRandomness;

const COLUMNS: &[TableColumn] = &[
    ("id", 6),
    ("username", 20),
    ("email", 28),
    ("admin", 5),
    ("state", 8),
    ("two_factor", 10),
    ("created_at", 24),
    ("name", 0),
];

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum UserCommand {
    /// Create a user; prints a generated password unless you supply one.
    Create(CreateUserFlags),
    /// List users, oldest first.
    List(ListUsersFlags),
    /// Turn off two-factor authentication for a user who lost their phone and recovery codes.
    TwoFactorOff(UserFlags),
    /// Block a user; ends their sessions and revokes the authorizations of applications.
    Block(UserFlags),
    /// Unblock a user.
    Unblock(UserFlags),
    /// Set a new password for a user; prints a generated one unless you supply one.
    /// Ends all sessions and revokes the authorizations of applications.
    Password(NewPasswordFlags),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct UserFlags {
    /// Username.
    username: String,
}

#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(in crate::cli) struct ListUsersFlags {
    /// Only users whose username, name or email address contains this text.
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,
    /// Only administrators.
    #[arg(long)]
    admins: bool,
    /// Only blocked users.
    #[arg(long)]
    blocked: bool,
    /// Include bots.
    #[arg(long)]
    bots: bool,
    /// Print one JSON object per line.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct NewPasswordFlags {
    /// Username.
    username: String,
    /// Read the password from standard input instead of generating one.
    #[arg(long)]
    password_stdin: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct CreateUserFlags {
    /// Username to sign in with.
    #[arg(long)]
    username: String,
    /// Display name (default: the username).
    #[arg(long)]
    name: Option<String>,
    /// Email address.
    #[arg(long)]
    email: String,
    /// Make the user an administrator.
    #[arg(long)]
    admin: bool,
    /// Read the password from standard input instead of generating one.
    #[arg(long)]
    password_stdin: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs `gatehouse user …`.
pub(in crate::cli) fn user(overrides: &Overrides, command: UserCommand) -> anyhow::Result<()> {
    match command {
        UserCommand::Create(flags) => create(overrides, flags),
        UserCommand::List(flags) => list(overrides, flags),
        UserCommand::TwoFactorOff(named) => switch_two_factor_off(overrides, &named),
        UserCommand::Block(named) => set_state(overrides, &named, StateChange::Block, "blocked"),
        UserCommand::Unblock(named) => {
            set_state(overrides, &named, StateChange::Unblock, "unblocked")
        }
        UserCommand::Password(flags) => set_password(overrides, &flags),
    }
}

fn list(overrides: &Overrides, flags: ListUsersFlags) -> anyhow::Result<()> {
    let (_, database) = super::open(overrides)?;
    let filter = UserFilter {
        search: flags.search,
        search_in_emails: true,
        admins: flags.admins,
        blocked: flags.blocked,
        humans: !flags.bots,
        ..UserFilter::default()
    };
    let listing = Listing::begin(COLUMNS, flags.json);
    each_user(&database, filter, |user| {
        listing.row(&json!({
            "id": user.id,
            "username": user.username.as_str(),
            "name": user.name,
            "email": user.email,
            "admin": user.is_admin,
            "bot": user.kind != UserKind::Human,
            "state": user.state.as_str(),
            "two_factor": user.two_factor_enabled,
            "created_at": user.created_at.to_string(),
        }))
    })?;
    database.close();
    Ok(())
}

fn switch_two_factor_off(overrides: &Overrides, named: &UserFlags) -> anyhow::Result<()> {
    let (_, database) = super::open(overrides)?;
    let user = super::find_user(&database, &named.username)?;
    change(&database, move |tx, by| {
        disable_second_factor_of(tx, user.id, by)
    })?;
    output::line("off");
    Ok(())
}

fn set_state(
    overrides: &Overrides,
    named: &UserFlags,
    change: StateChange,
    done: &str,
) -> anyhow::Result<()> {
    let (_, database) = super::open(overrides)?;
    let user = super::find_user(&database, &named.username)?;
    anyhow::ensure!(
        user.kind == UserKind::Human,
        "bots cannot be blocked or unblocked"
    );
    self::change(&database, move |tx, by| {
        change_state(tx, user.id, change, by).map(drop)
    })?;
    output::line(done);
    Ok(())
}

/// Changes an account on behalf of the command line, and closes the database.
fn change(
    database: &Database,
    work: impl Fn(&mut dyn WriteTransaction, AccountEditor) -> Result<(), StateChangeError>
    + Clone
    + Send
    + 'static,
) -> anyhow::Result<()> {
    let by = AccountEditor {
        id: None,
        now: SystemClock.now(),
    };
    let changed = super::write(database, move |tx| match work(tx, by) {
        Ok(()) => Ok(None),
        Err(StateChangeError::Store(error)) => Err(error),
        Err(refused) => Ok(Some(refused.to_string())),
    });
    database.close();
    match changed? {
        Some(reason) => anyhow::bail!("{reason}"),
        None => Ok(()),
    }
}

fn set_password(overrides: &Overrides, flags: &NewPasswordFlags) -> anyhow::Result<()> {
    let (settings, database) = super::open(overrides)?;
    let mail = OutgoingMail::of(settings.notifications.mail.is_some());
    let user = super::find_user(&database, &flags.username)?;
    let given = flags.password_stdin.then(password_from_stdin).transpose()?;
    let made_up = given.is_none();
    let password = given.unwrap_or_else(|| PlainSecret::generate("", &OsRandomness));
    let hash = PasswordHash::of(&password, &OsRandomness)?;
    let (id, username) = (user.id, user.username);
    change(&database, move |tx, by| {
        set_password_of(tx, id, &hash, mail, by)
    })?;
    let shown = made_up.then(|| password.reveal().to_owned());
    if flags.json {
        return output::json(
            &json!({ "id": id, "username": username.as_str(), "password": shown }),
        );
    }
    match shown {
        Some(password) => output::table(&[("password", password)]),
        None => output::line("changed"),
    }
    Ok(())
}

fn create(overrides: &Overrides, flags: CreateUserFlags) -> anyhow::Result<()> {
    let mut errors = ErrorList::default();
    let opened = errors.take(super::open(overrides));
    let request = NewUserRequest {
        name: flags.name.unwrap_or_else(|| flags.username.clone()),
        username: flags.username,
        email: flags.email,
        is_admin: flags.admin,
        password: if flags.password_stdin {
            Some(password_from_stdin()?)
        } else {
            None
        },
    };
    let made_up = request.password.is_none();
    let prepared = provision::prepare_user(request, &mut errors);
    let (Some((_, database)), Some((new, password))) = (opened, prepared) else {
        return Err(errors.into_error());
    };
    let user = provision::insert_user(&database, new)?;
    database.close();
    let shown = made_up.then(|| password.reveal().to_owned());
    if flags.json {
        let body = json!({ "id": user.id, "username": user.username.as_str(), "password": shown });
        return output::json(&body);
    }
    let mut rows = vec![
        ("id", user.id.to_string()),
        ("username", user.username.as_str().to_owned()),
    ];
    rows.extend(shown.map(|password| ("password", password)));
    output::table(&rows);
    Ok(())
}

fn password_from_stdin() -> anyhow::Result<PlainSecret> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    Ok(PlainSecret::new(text.trim_end_matches(['\r', '\n'])))
}
