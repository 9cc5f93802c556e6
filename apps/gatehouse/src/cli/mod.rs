//! Command line: a stable interface for scripts.

mod admin;
mod backup;
mod check;
mod configuration;
mod copy;
mod demo;
mod deprecations;
mod healthcheck;
mod listing;
mod openapi;
pub mod output;
mod registry;
mod serve;
mod shell_help;
mod version;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::areas;
use crate::config::Overrides;
use crate::server::Operations;

/// Introduction of `--help`.
const ABOUT: &str = "Gatehouse signs users in to applications (OAuth 2.0 and OpenID Connect), receives alerts from \
                     monitoring systems, and has web pages and a REST API. It is one server with one database, SQLite or \
                     PostgreSQL.";

/// End of `--help`.
const FIRST_STEPS: &str = "First steps:
  gatehouse demo              start a server with sample data; prints every URL, password and token
  gatehouse migrate           create the database of a real server
  gatehouse user create ...   create its first user (--admin makes an administrator)
  gatehouse serve             start the server (default address: http://127.0.0.1:8080)
  gatehouse check             find problems in the configuration and the database
  gatehouse backup FILE       back up all data to one file; `gatehouse restore FILE` restores it

Every command must use the same data directory, so set it once: export GATEHOUSE_DATA_DIR=DIR";

/// The command line of the program.
#[derive(Debug, Parser)]
#[command(name = "gatehouse", version, about = ABOUT, after_help = FIRST_STEPS)]
pub struct CommandLine {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    shared: SharedFlags,
}

/// Flags of every command.
/// They override the environment and the file.
#[derive(Debug, Clone, Args)]
struct SharedFlags {
    /// Configuration file (default: ./gatehouse.toml, if it exists).
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Address and port to listen on; port 0 picks a free one.
    #[arg(long, global = true, value_name = "ADDR")]
    listen: Option<String>,
    /// Directory of the embedded database and the key files (default: ./data).
    #[arg(long, global = true, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Database URL: sqlite:PATH or postgres://…
    #[arg(long, global = true, value_name = "URL")]
    database: Option<String>,
}

impl SharedFlags {
    fn overrides(&self) -> Overrides {
        Overrides {
            config: self.config.clone(),
            listen: self.listen.clone(),
            data: self.data.clone(),
            database: self.database.clone(),
        }
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the server (the default).
    Serve,
    /// Run the server with sample data and print every URL and credential.
    Demo(demo::DemoFlags),
    /// Manage users.
    #[command(subcommand)]
    User(admin::UserCommand),
    /// Manage invitations to register.
    #[command(subcommand)]
    Invitation(admin::InvitationCommand),
    /// Manage access tokens.
    #[command(subcommand)]
    Token(admin::TokenCommand),
    /// Manage applications that sign users in.
    #[command(subcommand)]
    Application(admin::ApplicationCommand),
    /// Manage projects.
    #[command(subcommand)]
    Project(admin::ProjectCommand),
    /// Run pending database migrations.
    Migrate,
    /// Check the configuration and the database, and report all problems at once.
    Check,
    /// Print every configuration key in effect: its value, with secrets masked, and the source of the value.
    Config(configuration::ConfigFlags),
    /// Exit with 0 if the server of this configuration is ready to serve requests.
    Healthcheck,
    /// Back up all data, including the secret key, to one file.
    /// The server may keep running.
    Backup(backup::BackupFlags),
    /// Restore a backup to an empty directory or database, and verify it.
    Restore(backup::RestoreFlags),
    /// Copy all data to an empty database, also from SQLite to PostgreSQL or back, and verify it.
    /// The server may keep running, but what it writes afterwards is not copied.
    Copy(copy::CopyFlags),
    #[command(about = "Print the OpenAPI 3.1 document of the API")]
    Openapi {
        /// API release to describe (default: newest).
        #[arg(long, value_name = "RELEASE")]
        release: Option<String>,
    },
    /// Print the certificate that a container registry must trust.
    RegistryCertificate,
    /// List what each release removes, or check a client against it.
    Deprecations(deprecations::DeprecationFlags),
    /// Print a script that completes commands and flags in a shell.
    Completions(shell_help::CompletionFlags),
    /// Print the manual page, or write the pages of all commands to a directory.
    Man(shell_help::ManFlags),
    /// Print the version, the commit, the features and the platform of this program.
    Version(version::VersionFlags),
}

/// Runs a command to its end and returns the exit code.
///
/// # Errors
/// Error that stopped the command, as readable text.
pub fn run(line: CommandLine) -> anyhow::Result<ExitCode> {
    run_with(line, areas::operations)
}

/// Runs a command to its end, for a program whose server has these operations.
///
/// # Errors
/// Same as [`run`].
pub fn run_with(line: CommandLine, operations: Operations) -> anyhow::Result<ExitCode> {
    let overrides = line.shared.overrides();
    let done = match line.command.unwrap_or(Command::Serve) {
        Command::Deprecations(flags) => return deprecations::deprecations(&flags),
        Command::Serve => serve::serve(&overrides, operations),
        Command::Demo(flags) => demo::demo(overrides, &flags, operations),
        Command::User(command) => admin::user(&overrides, command),
        Command::Invitation(command) => admin::invitation(&overrides, command),
        Command::Token(command) => admin::token(&overrides, command),
        Command::Application(command) => admin::application(&overrides, command),
        Command::Project(command) => admin::project(&overrides, command),
        Command::Migrate => check::migrate(&overrides),
        Command::Check => check::check(&overrides),
        Command::Config(flags) => configuration::config(&overrides, &flags),
        Command::Healthcheck => healthcheck::healthcheck(&overrides),
        Command::Completions(flags) => {
            shell_help::completions(&flags);
            Ok(())
        }
        Command::Man(flags) => shell_help::man(&flags),
        Command::Version(flags) => version::version(&flags),
        Command::Backup(flags) => backup::backup(&overrides, &flags),
        Command::Restore(flags) => backup::restore(&overrides, &flags),
        Command::Copy(flags) => copy::copy(&overrides, &flags),
        Command::RegistryCertificate => registry::certificate(&overrides),
        Command::Openapi { release } => openapi::openapi(release.as_ref()),
    };
    done.map(|()| output::status())
}
