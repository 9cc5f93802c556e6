//! `gatehouse application …`: registers and lists OAuth applications.

use accounts::{User, UserFilter};
use api_conventions::scope::Scope;
use clap::{Args, Subcommand};
use oauth_provider::flow::applications::ClientMetadata;
use oauth_provider::rules::redirect_uri::RedirectUri;
use oauth_provider::{Application, ApplicationOwner, ClientType};
use serde_json::{Value, json};

use super::pages::{each_row, each_user, read};
use crate::cli::listing::{Listing, TableColumn};
use crate::cli::output;
use crate::config::{Overrides, load};
use crate::error_list::ErrorList;
use crate::provision;

const COLUMNS: &[TableColumn] = &[
    ("id", 6),
    ("client_id", 64),
    ("owner", 20),
    ("confidential", 12),
    ("trusted", 7),
    ("scopes", 24),
    ("name", 0),
];

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum ApplicationCommand {
    /// Register an application that signs users in; prints its credentials, and the secret only this once.
    Create(CreateApplicationFlags),
    /// List applications, without their secrets: first those that administrators manage, then those of users.
    List(ListApplicationsFlags),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ListApplicationsFlags {
    /// Only applications that this user registered.
    #[arg(long, value_name = "USERNAME")]
    owner: Option<String>,
    /// Print one JSON object per line.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(in crate::cli) struct CreateApplicationFlags {
    /// Name that users see.
    #[arg(long)]
    name: String,
    /// Redirect URI; may be given several times.
    #[arg(long, required = true, value_name = "URI")]
    redirect_uri: Vec<String>,
    /// Redirect URI after sign-out; may be given several times.
    #[arg(long, value_name = "URI")]
    post_logout_redirect_uri: Vec<String>,
    /// Scopes it may request, separated by commas, such as `openid,profile,email,read_user`.
    #[arg(long, default_value = "api")]
    scopes: String,
    /// Public client: it cannot keep a secret, because it runs on the devices of its users, and must use PKCE.
    #[arg(long)]
    public: bool,
    /// Skip the consent page for this application.
    #[arg(long)]
    trusted: bool,
    /// Omit the issuer from authorization responses, for libraries that do not support it.
    #[arg(long)]
    omit_issuer: bool,
    /// Drop requested scopes that the application is not registered for; default with --public.
    #[arg(long, value_name = "BOOL")]
    reduce_scopes: Option<bool>,
    /// Request groups at every sign-in, and list all groups of the user in ID tokens.
    #[arg(long)]
    groups_claim: bool,
    /// Lifetime of ID tokens, in seconds.
    #[arg(long, value_name = "SECONDS")]
    id_token_seconds: Option<u32>,
    /// Lifetime of access tokens, in seconds.
    #[arg(long, value_name = "SECONDS")]
    access_token_seconds: Option<u32>,
    /// Username of the owner (default: administrators manage the application).
    #[arg(long, value_name = "USER")]
    owner: Option<String>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs `gatehouse application …`.
pub(in crate::cli) fn application(
    overrides: &Overrides,
    command: ApplicationCommand,
) -> anyhow::Result<()> {
    match command {
        ApplicationCommand::Create(flags) => create(overrides, &flags),
        ApplicationCommand::List(flags) => list(overrides, &flags),
    }
}

fn list(overrides: &Overrides, flags: &ListApplicationsFlags) -> anyhow::Result<()> {
    let (_, database) = super::open(overrides)?;
    let listing = Listing::begin(COLUMNS, flags.json);
    let print_owned = |owner, username: Option<&str>| {
        let list = |page| read(&database, move |tx| tx.list_applications(owner, page));
        each_row(list, |application| {
            listing.row(&row(&application, username))
        })
    };
    let of_user = |user: User| {
        let owner = ApplicationOwner::User(user.id);
        print_owned(owner, Some(user.username.as_str()))
    };
    if let Some(username) = &flags.owner {
        of_user(super::find_user(&database, username)?)?;
    } else {
        print_owned(ApplicationOwner::Instance, None)?;
        each_user(&database, UserFilter::default(), of_user)?;
    }
    database.close();
    Ok(())
}

fn row(application: &Application, owner: Option<&str>) -> Value {
    let scopes: Vec<&str> = application.scopes.iter().map(Scope::as_str).collect();
    json!({
        "id": application.id,
        "name": application.name,
        "client_id": application.uid.as_str(),
        "redirect_uris": texts(&application.redirect_uris),
        "scopes": scopes,
        "confidential": application.client_type == ClientType::Confidential,
        "trusted": application.trusted,
        "owner": owner,
        "created_at": application.created_at.to_string(),
    })
}

fn texts(uris: &[RedirectUri]) -> Vec<String> {
    uris.iter().map(ToString::to_string).collect()
}

fn create(overrides: &Overrides, flags: &CreateApplicationFlags) -> anyhow::Result<()> {
    let mut errors = ErrorList::default();
    let Some(settings) = errors.take(load(overrides)) else {
        return Err(errors.into_error());
    };
    let valid = provision::valid_application(&settings.oauth, &flags.metadata());
    let valid = errors.take(valid);
    let database = errors.take(super::open_database(&settings));
    let owner = match &flags.owner {
        Some(username) => super::find_named(&mut errors, database.as_ref(), username)
            .map(|user| ApplicationOwner::User(user.id)),
        None => Some(ApplicationOwner::Instance),
    };
    let (Some(database), Some(owner), Some(valid)) = (database, owner, valid) else {
        return Err(errors.into_error());
    };
    let created = provision::register_application(&database, valid, owner)?;
    database.close();
    let (application, secret) = created;
    // A public application needs no secret, and a wrong one would be refused.
    let secret = (!flags.public).then(|| secret.reveal().to_owned());
    print(flags, &application, secret)
}

impl CreateApplicationFlags {
    fn metadata(&self) -> ClientMetadata {
        let client_type = if self.public {
            ClientType::Public
        } else {
            ClientType::Confidential
        };
        let mut metadata = ClientMetadata::new(
            self.name.clone(),
            self.redirect_uri.join("\n"),
            self.scopes.replace(',', " "),
            client_type,
        );
        metadata.post_logout_redirect_uris = self.post_logout_redirect_uri.join("\n");
        metadata.trusted = self.trusted;
        let options = &mut metadata.options;
        options.issuer_in_response = !self.omit_issuer;
        options.reduce_scopes = self.reduce_scopes.unwrap_or(options.reduce_scopes);
        options.groups_claim = self.groups_claim;
        options.id_token_seconds = self.id_token_seconds;
        options.access_token_seconds = self.access_token_seconds;
        metadata
    }
}

fn print(
    flags: &CreateApplicationFlags,
    application: &Application,
    secret: Option<String>,
) -> anyhow::Result<()> {
    let uris = texts(&application.redirect_uris);
    let after_sign_out = texts(&application.post_logout_redirect_uris);
    if flags.json {
        let scopes: Vec<&str> = application.scopes.iter().map(Scope::as_str).collect();
        return output::json(&json!({
            "id": application.id,
            "name": application.name,
            "client_id": application.uid.as_str(),
            "client_secret": secret,
            "redirect_uris": uris,
            "post_logout_redirect_uris": after_sign_out,
            "scopes": scopes,
            "confidential": !flags.public,
            "trusted": application.trusted,
            "owner": flags.owner,
        }));
    }
    let mut rows = vec![
        ("id", application.id.to_string()),
        ("client ID", application.uid.to_string()),
    ];
    rows.extend(secret.map(|secret| ("client secret", secret)));
    rows.push(("redirect URIs", uris.join(" ")));
    if !after_sign_out.is_empty() {
        rows.push(("after sign-out", after_sign_out.join(" ")));
    }
    rows.push(("scopes", application.scopes.to_string()));
    output::table(&rows);
    Ok(())
}
