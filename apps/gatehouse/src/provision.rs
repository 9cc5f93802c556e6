//! Creates users, tokens, applications and projects for the command line, with entries in the audit log that have no
//! author. Their secrets are returned once.

use accounts::flow::issue_token::{IssueToken, IssueTokenError, issue_token};
use accounts::password::PasswordHash;
use accounts::{AccessToken, NewUser, User, UserKind, Username, check_email};
use alert_intake::model::KEY_PREFIX;
use anyhow::Context as _;
use api_conventions::access::Visibility;
use api_conventions::ids::UserId;
use api_conventions::reference::FullPath;
use api_conventions::scope::ScopeSet;
use api_conventions::secret::PlainSecret;
use api_conventions::time::{CalendarDate, Clock as _, Timestamp};
use oauth_provider::flow::applications::{ClientMetadata, Registrar, Registration, validate};
use oauth_provider::model::SECRET_PREFIX;
use oauth_provider::{Application, ApplicationChange, ApplicationOwner, ApplicationUid};
use projects::{Namespace, NamespaceKind, NewNamespace, NewProject, Project};
use storage::{Store as _, StoreError};

use crate::config::OAuthSettings;
use crate::error_list::ErrorList;
use gatehouse_core::clock::SystemClock;
use gatehouse_core::database::{Database, WriteTransaction};
use gatehouse_core::flows::applications::{self, ApplicationEditor};
use gatehouse_core::flows::create_user::CreateUserError;
use gatehouse_core::flows::provision::{provision_group, provision_project};
use gatehouse_core::flows::users::{AccountEditor, create_user_by};
use gatehouse_core::randomness::OsRandomness;
use gatehouse_core::settings::TokenPrefix;

/// User to create.
#[derive(Debug)]
pub struct NewUserRequest {
    /// Username to sign in with.
    pub username: String,
    /// Display name.
    pub name: String,
    /// Email address.
    pub email: String,
    /// True to create an administrator of the instance.
    pub is_admin: bool,
    /// Password; a random one if absent.
    pub password: Option<PlainSecret>,
}

/// Creates a user and its namespace, and returns its password.
///
/// # Errors
/// If the name, the address or the password is invalid, or the store fails.
pub fn user(database: &Database, request: NewUserRequest) -> anyhow::Result<(User, PlainSecret)> {
    let mut errors = ErrorList::default();
    let Some((new, password)) = prepare_user(request, &mut errors) else {
        return Err(errors.into_error());
    };
    Ok((insert_user(database, new)?, password))
}

/// Validates the user of a request, and returns it with its password.
/// All faults of the request are recorded as mistakes.
pub(crate) fn prepare_user(
    request: NewUserRequest,
    errors: &mut ErrorList,
) -> Option<(NewUser, PlainSecret)> {
    let password = request
        .password
        .unwrap_or_else(|| PlainSecret::generate("", &OsRandomness));
    let username = errors.take(Username::parse(&request.username));
    let email = errors.take(check_email(&request.email));
    let hash = errors.take(PasswordHash::of(&password, &OsRandomness));
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
    let by = AccountEditor {
        id: None,
        now: new.created_at,
    };
    let user: Result<User, CreateUserError> = database
        .write(move |tx| create_user_by(tx, &new, false, by))
        .wait();
    Ok(user?)
}

/// Lifetime of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenLife {
    /// Expires on this day, the first on which it no longer works.
    UntilDay(CalendarDate),
    /// Lasts as long as the server permits.
    AYear,
    /// Never expires, as in releases before 16.0.
    Endless,
}

/// Token to create.
#[derive(Debug)]
pub struct NewTokenRequest {
    /// User for whom the token acts.
    pub user_id: UserId,
    /// Name of the token.
    pub name: String,
    /// Scopes of the token.
    pub scopes: ScopeSet,
    /// Lifetime of the token.
    pub life: TokenLife,
}

/// Issues a token and returns it.
///
/// # Errors
/// If the request is refused or the store fails.
pub fn token(
    database: &Database,
    prefix: &TokenPrefix,
    request: NewTokenRequest,
) -> anyhow::Result<(AccessToken, PlainSecret)> {
    let secret = prefix.new_secret();
    let mut issue = IssueToken::new(
        request.user_id,
        None,
        request.name,
        request.scopes,
        secret.digest(),
        SystemClock.now(),
    );
    match request.life {
        TokenLife::UntilDay(day) => issue.expires_on = Some(day),
        TokenLife::AYear => {}
        TokenLife::Endless => issue.may_be_endless = true,
    }
    let token: Result<AccessToken, IssueTokenError> = database
        .write(move |tx| issue_token(tx, issue.clone()))
        .wait();
    Ok((token?, secret))
}

/// Registers an application and returns its secret.
/// Users of the command line count as administrators.
///
/// # Errors
/// If the request is refused or the store fails.
pub fn application(
    database: &Database,
    settings: &OAuthSettings,
    metadata: &ClientMetadata,
    owner: ApplicationOwner,
) -> anyhow::Result<(Application, PlainSecret)> {
    let valid = valid_application(settings, metadata)?;
    register_application(database, valid, owner)
}

/// Validates the application of a request.
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
        anyhow::anyhow!("the application is not valid: {failures}{unknown}")
    })
}

/// Registers a validated application and returns its secret.
pub(crate) fn register_application(
    database: &Database,
    application: ApplicationChange,
    owner: ApplicationOwner,
) -> anyhow::Result<(Application, PlainSecret)> {
    let secret = PlainSecret::generate(SECRET_PREFIX, &OsRandomness);
    let now = SystemClock.now();
    let registration = Registration::new(
        application,
        ApplicationUid::generate(&OsRandomness),
        secret.digest(),
        owner,
        now,
    );
    let by = ApplicationEditor {
        owner,
        id: None,
        now,
    };
    let created: Result<Application, StoreError> = database
        .write(move |tx| applications::register_application(tx, registration.clone(), by))
        .wait();
    Ok((created?, secret))
}

/// Project to create.
#[derive(Debug)]
pub struct NewProjectRequest {
    /// Full path.
    /// Missing groups are created, with the creator as owner.
    pub path: FullPath,
    /// Display name; the last segment of the path if absent.
    pub name: Option<String>,
    /// Description.
    pub description: String,
    /// Visibility of the project and of the groups created for it.
    pub visibility: Visibility,
    /// User who creates the project.
    pub creator_id: UserId,
    /// Time of its creation.
    pub created_at: Timestamp,
}

/// Creates a project with its alert endpoints, and returns their key.
///
/// # Errors
/// If the path or a name is invalid, or the store fails.
pub fn project(
    database: &Database,
    request: NewProjectRequest,
) -> anyhow::Result<(Project, PlainSecret)> {
    let key = PlainSecret::generate(KEY_PREFIX, &OsRandomness);
    let digest = key.digest();
    let created: anyhow::Result<Project> = database
        .write(move |tx| {
            let (groups, path) = request
                .path
                .as_str()
                .rsplit_once('/')
                .context("the path must be GROUP/PROJECT")?;
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
            Ok(provision_project(tx, &new, digest)?)
        })
        .wait();
    Ok((created?, key))
}

/// Returns the namespace at `path`, and creates the groups missing on the way.
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
    Ok(provision_group(tx, &new)?)
}
