//! Making users, tokens, applications and projects from the command line, with their secrets, which are returned once.

use accounts::flow::issue_token::{IssueToken, IssueTokenError, issue_token};
use accounts::model::TOKEN_PREFIX;
use accounts::password::PasswordHash;
use accounts::{NewUser, User, UserKind, Username, check_email};
use alert_intake::model::KEY_PREFIX;
use anyhow::Context as _;
use api_conventions::access::Visibility;
use api_conventions::ids::{TokenId, UserId};
use api_conventions::reference::FullPath;
use api_conventions::scope::ScopeSet;
use api_conventions::secret::PlainSecret;
use api_conventions::time::{CalendarDate, Clock as _, Timestamp};
use oauth_provider::flow::applications::{
    ClientMetadata, Registrar, Registration, register, validate,
};
use oauth_provider::model::SECRET_PREFIX;
use oauth_provider::{Application, ApplicationChange, ApplicationOwner, ApplicationUid};
use projects::flow::create_namespace::create_namespace;
use projects::{Namespace, NamespaceKind, NewNamespace, NewProject, Project};
use storage::{Lane, Store as _, StoreError};

use crate::config::OAuthSettings;
use crate::mistakes::Mistakes;
use gatehouse_core::clock::SystemClock;
use gatehouse_core::database::{Database, WriteTransaction};
use gatehouse_core::flows::create_project::create_project_with_endpoints;
use gatehouse_core::flows::create_user::{CreateUserError, create_user};
use gatehouse_core::randomness::OsRandomness;

/// A user to be made.
#[derive(Debug)]
pub struct NewUserRequest {
    /// The username.
    pub username: String,
    /// The name to show.
    pub name: String,
    /// The address for mail.
    pub email: String,
    /// Whether it administers the instance.
    pub is_admin: bool,
    /// Its password; a random one when absent.
    pub password: Option<PlainSecret>,
}

/// Makes a user and its namespace, and gives its password.
///
/// # Errors
/// When the name, the address or the password is refused, or the store fails.
pub fn user(database: &Database, request: NewUserRequest) -> anyhow::Result<(User, PlainSecret)> {
    let mut mistakes = Mistakes::default();
    let Some((new, password)) = prepare_user(request, &mut mistakes) else {
        return Err(mistakes.into_error());
    };
    Ok((insert_user(database, new)?, password))
}

/// The user of a request, with its password. Everything that is wrong with the request is a mistake.
pub(crate) fn prepare_user(
    request: NewUserRequest,
    mistakes: &mut Mistakes,
) -> Option<(NewUser, PlainSecret)> {
    let password = request
        .password
        .unwrap_or_else(|| PlainSecret::generate("", &OsRandomness));
    let username = mistakes.take(Username::parse(&request.username));
    let email = mistakes.take(check_email(&request.email));
    let hash = mistakes.take(PasswordHash::of(&password, &OsRandomness));
    email?;
    let new = NewUser {
        username: username?,
        name: request.name,
        email: request.email,
        kind: UserKind::Human,
        is_admin: request.is_admin,
        password: Some(hash?),
        created_at: SystemClock.now(),
    };
    Some((new, password))
}

/// Inserts a user with its namespace.
pub(crate) fn insert_user(database: &Database, new: NewUser) -> anyhow::Result<User> {
    let user: Result<User, CreateUserError> =
        database.write(move |tx| create_user(tx, &new)).wait();
    Ok(user?)
}

/// How long a token works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenLife {
    /// Until the day before this one.
    UntilDay(CalendarDate),
    /// As long as the server permits.
    AYear,
    /// For ever, as releases before 16.0 had it.
    Endless,
}

/// Issues a token, and gives it.
///
/// # Errors
/// When the request is refused or the store fails.
pub fn token(
    database: &Database,
    user_id: UserId,
    name: &str,
    scopes: ScopeSet,
    life: TokenLife,
) -> anyhow::Result<(TokenId, PlainSecret)> {
    let secret = PlainSecret::generate(TOKEN_PREFIX, &OsRandomness);
    let mut request = IssueToken::new(user_id, name, scopes, secret.digest(), SystemClock.now());
    match life {
        TokenLife::UntilDay(day) => request.expires_on = Some(day),
        TokenLife::AYear => {}
        TokenLife::Endless => request.may_be_endless = true,
    }
    let id: Result<TokenId, IssueTokenError> = database
        .write(move |tx| issue_token(tx, request.clone()))
        .wait();
    Ok((id?, secret))
}

/// The day on which a token stops working; `None` for a token that never does.
///
/// # Errors
/// When the store fails.
pub fn token_expiry(
    database: &Database,
    secret: &PlainSecret,
) -> anyhow::Result<Option<CalendarDate>> {
    let digest = secret.digest();
    let found: Result<_, StoreError> = database
        .read(Lane::Check, move |tx| tx.find_token_by_digest(&digest))
        .wait();
    let day = found?.map(|token| token.expires_on);
    Ok(day.filter(|day| *day != CalendarDate::LAST))
}

/// Registers an application, and gives its secret. Anyone who runs the command line is an administrator.
///
/// # Errors
/// When the request is refused or the store fails.
pub fn application(
    database: &Database,
    settings: &OAuthSettings,
    metadata: &ClientMetadata,
    owner: ApplicationOwner,
) -> anyhow::Result<(Application, PlainSecret)> {
    let valid = valid_application(settings, metadata)?;
    register_application(database, valid, owner)
}

/// The application of a request, as it may be registered.
pub(crate) fn valid_application(
    settings: &OAuthSettings,
    metadata: &ClientMetadata,
) -> anyhow::Result<ApplicationChange> {
    let mut registrar = Registrar::new(true);
    registrar.allow_insecure_redirects = settings.allow_insecure_redirects;
    let registry = &settings.policy.scopes;
    validate(metadata, registrar, &settings.policy).map_err(|failures| {
        let unknown = registry.parse(&metadata.scopes).err();
        let unknown = unknown.map_or_else(String::new, |unknown| format!(" ({unknown})"));
        anyhow::anyhow!("the application is refused: {failures}{unknown}")
    })
}

/// Registers an application, and gives its secret.
pub(crate) fn register_application(
    database: &Database,
    application: ApplicationChange,
    owner: ApplicationOwner,
) -> anyhow::Result<(Application, PlainSecret)> {
    let secret = PlainSecret::generate(SECRET_PREFIX, &OsRandomness);
    let registration = Registration::new(
        application,
        ApplicationUid::generate(&OsRandomness),
        secret.digest(),
        owner,
        SystemClock.now(),
    );
    let made: Result<Application, StoreError> = database
        .write(move |tx| register(tx, registration.clone()))
        .wait();
    Ok((made?, secret))
}

/// A project to be made.
#[derive(Debug)]
pub struct NewProjectRequest {
    /// The full path. Groups of it that are missing are made, with the creator as owner.
    pub path: FullPath,
    /// The name to show; the last segment of the path when absent.
    pub name: Option<String>,
    /// What it is for.
    pub description: String,
    /// Who may see it, and the groups that are made for it.
    pub visibility: Visibility,
    /// Who makes it.
    pub creator_id: UserId,
    /// Time of its creation.
    pub created_at: Timestamp,
}

/// Makes a project with its alert endpoints, and gives their key.
///
/// # Errors
/// When the path or a name is refused, or the store fails.
pub fn project(
    database: &Database,
    request: NewProjectRequest,
) -> anyhow::Result<(Project, PlainSecret)> {
    let key = PlainSecret::generate(KEY_PREFIX, &OsRandomness);
    let digest = key.digest();
    let made: anyhow::Result<Project> = database
        .write(move |tx| {
            let (groups, path) = request
                .path
                .as_str()
                .rsplit_once('/')
                .context("a project's path is GROUP/PROJECT")?;
            let namespace = groups_at(tx, groups, &request)?;
            let new = NewProject {
                namespace,
                name: request.name.clone().unwrap_or_else(|| path.to_owned()),
                path: path.to_owned(),
                description: request.description.clone(),
                visibility: request.visibility,
                topics: Vec::new(),
                settings: projects::ProjectSettings::default(),
                creator_id: request.creator_id,
                created_at: request.created_at,
            };
            Ok(create_project_with_endpoints(tx, &new, digest)?)
        })
        .wait();
    Ok((made?, key))
}

/// The namespace at `path`; the groups that are missing on the way are made.
fn groups_at(
    tx: &mut dyn WriteTransaction,
    path: &str,
    request: &NewProjectRequest,
) -> anyhow::Result<Namespace> {
    let full_path = FullPath::parse(path).context("the path has an empty segment")?;
    if let Some(found) = tx.find_namespace(&full_path)? {
        return Ok(found);
    }
    let (parent, slug) = match path.rsplit_once('/') {
        Some((above, slug)) => (Some(groups_at(tx, above, request)?), slug),
        None => (None, path),
    };
    let new = NewNamespace {
        kind: NamespaceKind::Group,
        name: slug.to_owned(),
        path: slug.to_owned(),
        parent,
        visibility: request.visibility,
        owner: request.creator_id,
        created_at: request.created_at,
    };
    Ok(create_namespace(tx, &new)?)
}
