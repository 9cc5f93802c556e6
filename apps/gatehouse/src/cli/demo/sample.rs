//! Sample data of the demo.
//! It has three users with different roles, two applications, a project, and a few alerts received through the same
//! code as real ones.

use std::sync::Arc;

use accounts::User;
use alert_intake::model::{Integration, Source};
use alert_intake::payload::{ParseContext, parse};
use anyhow::Context as _;
use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::{NamespaceId, UserId};
use api_conventions::reference::FullPath;
use api_conventions::scope::Scope;
use api_conventions::time::{Clock as _, Timestamp};
use oauth_provider::flow::applications::ClientMetadata;
use oauth_provider::{ApplicationOwner, ClientType};
use projects::{MemberSource, NewMember, Project};
use storage::{Lane, Store as _, StoreError};

use super::credentials::{DemoCredentials, DemoOAuth, DemoProject, DemoUser};
use super::errors;
use crate::config::{AppSettings, DatabaseUrl, OAuthSettings};
use crate::provision::{self, NewProjectRequest, NewTokenRequest, NewUserRequest, TokenLife};
use crate::state::alert_bot;
use gatehouse_core::clock::SystemClock;
use gatehouse_core::database::Database;
use gatehouse_core::flows::receive_alerts::{FeedEntries, ReceiveAlertsWithFeed};
use gatehouse_core::settings::TokenPrefix;

/// Usernames of the demo.
const USERNAMES: [&str; 3] = ["root", "dev", "rita"];

/// Checks that the database has no users yet: sample data must not mix with real data.
///
/// # Errors
/// If there is a user, or if the store fails.
pub(super) fn check_room(database: &Database, url: &DatabaseUrl) -> anyhow::Result<()> {
    let found: Result<bool, StoreError> = database
        .read(Lane::Shared, |tx| {
            let mut is_taken = tx.find_user(UserId::new(1))?.is_some();
            for username in USERNAMES {
                is_taken |= tx.find_user_by_username(username)?.is_some();
            }
            Ok(is_taken)
        })
        .wait();
    anyhow::ensure!(
        !found?,
        "the database {url} already has users, but there are no demo credentials for it; start it with \
         `gatehouse serve`, or create sample data in another directory with `gatehouse demo --data DIR`"
    );
    Ok(())
}

/// Fills an empty database.
pub(super) fn fill(
    database: &Arc<Database>,
    settings: &AppSettings,
) -> anyhow::Result<DemoCredentials> {
    let [root, dev, rita] = USERNAMES;
    let prefix = &settings.security.token_prefix;
    let (admin, admin_user) = user(
        database,
        prefix,
        root,
        "Ada Root",
        &[Scope::API, Scope::SUDO],
    )?;
    let (developer, dev_user) = user(database, prefix, dev, "Dana Developer", &[Scope::API])?;
    let (reporter, reporter_user) = user(database, prefix, rita, "Rita Reporter", &[Scope::API])?;
    let request = NewProjectRequest {
        path: FullPath::parse("acme/web-shop")
            .ok_or_else(|| anyhow::anyhow!("a fixed path is valid"))?,
        name: Some("Web shop".to_owned()),
        description: "The shop that the samples are about".to_owned(),
        visibility: Visibility::Private,
        creator_id: admin_user.id,
        created_at: errors::before_all(now()),
    };
    let (project, key) = provision::project(database, request)?;
    join(
        database,
        project.namespace.id,
        dev_user.id,
        AccessLevel::Developer,
    )?;
    join(
        database,
        project.namespace.id,
        reporter_user.id,
        AccessLevel::Reporter,
    )?;
    // The feed is ordered by the time of storage, so earlier events are stored first.
    let tracker_key = errors::fill(database, &project, &admin_user)?;
    alerts(database, &project)?;
    Ok(DemoCredentials {
        tracker_key: Some(tracker_key),
        admin,
        developer,
        reporter,
        project: DemoProject {
            id: project.id.get(),
            path: project.full_path.as_str().to_owned(),
        },
        alert_key: key.reveal().to_owned(),
        oauth: applications(database, &settings.oauth)?,
    })
}

/// Redirect URI of the demo's applications, on the user's own machine.
const REDIRECT_URI: &str = "http://127.0.0.1:8090/callback";

/// Registers a confidential and a public application.
fn applications(database: &Database, settings: &OAuthSettings) -> anyhow::Result<DemoOAuth> {
    let register = |name: &str, client_type| {
        let metadata = ClientMetadata::new(
            name,
            REDIRECT_URI,
            "api read_api read_user openid profile email",
            client_type,
        );
        provision::application(database, settings, &metadata, ApplicationOwner::Instance)
    };
    let (web, secret) = register("Web application", ClientType::Confidential)?;
    let (tool, _) = register("Command-line tool", ClientType::Public)?;
    Ok(DemoOAuth {
        client_id: web.uid.to_string(),
        client_secret: secret.reveal().to_owned(),
        redirect_uri: REDIRECT_URI.to_owned(),
        public_client_id: tool.uid.to_string(),
    })
}

fn user(
    database: &Database,
    prefix: &TokenPrefix,
    username: &str,
    name: &str,
    scopes: &[Scope],
) -> anyhow::Result<(DemoUser, User)> {
    let request = NewUserRequest {
        username: username.to_owned(),
        name: name.to_owned(),
        email: format!("{username}@example.com"),
        is_admin: scopes.contains(&Scope::SUDO),
        password: None,
    };
    let (user, password) = provision::user(database, request)?;
    let request = NewTokenRequest {
        user_id: user.id,
        name: "demo".to_owned(),
        scopes: scopes.iter().cloned().collect(),
        life: TokenLife::AYear,
    };
    let (_, token) = provision::token(database, prefix, request)?;
    let shown = DemoUser {
        id: user.id.get(),
        username: username.to_owned(),
        password: password.reveal().to_owned(),
        token: token.reveal().to_owned(),
    };
    Ok((shown, user))
}

fn join(
    database: &Database,
    group: NamespaceId,
    user_id: UserId,
    level: AccessLevel,
) -> Result<(), StoreError> {
    let member = NewMember {
        user_id,
        level,
        expires_on: None,
        created_by: None,
        created_at: now(),
    };
    let give = database.write(move |tx| {
        let group = tx.lock_members(MemberSource::Namespace(group))?;
        group.map_or(Ok(()), |group| tx.put_member(&group, &member))
    });
    give.wait()
}

fn now() -> Timestamp {
    SystemClock.now()
}

/// Stores a few alerts in different states, parsed and stored like received ones.
fn alerts(database: &Arc<Database>, project: &Project) -> anyhow::Result<()> {
    let identifier = Integration::GENERIC_IDENTIFIER;
    let project_id = project.id;
    let found: Result<_, StoreError> = database
        .read(Lane::Shared, move |tx| {
            tx.find_integration(project_id, identifier)
        })
        .wait();
    let integration = found?.context("a new project has an endpoint")?;
    let author_id = alert_bot(database, now())?;
    for (number, body) in SAMPLES.iter().enumerate() {
        let mut context = ParseContext::from_parts(
            project_id,
            integration.id,
            now(),
            [u8::try_from(number).unwrap_or_default(); 16],
        );
        context.user_agent = Some("gatehouse demo".to_owned());
        let delivery = parse(body.as_bytes(), Source::Generic, &context)?;
        database
            .write_grouped(ReceiveAlertsWithFeed {
                delivery,
                after: FeedEntries {
                    author_id,
                    names: Arc::default(),
                    expiries: Vec::new(),
                },
            })
            .wait()??;
    }
    Ok(())
}

/// Payloads of a monitoring tool of the sample shop.
const SAMPLES: [&str; 4] = [
    r#"{"title":"Checkout answers slowly","severity":"high","service":"checkout","monitoring_tool":"Probe",
        "hosts":["web-1","web-2"],"fingerprint":"checkout-slow","p99_ms":2310}"#,
    r#"{"title":"Checkout answers slowly","severity":"high","service":"checkout","monitoring_tool":"Probe",
        "hosts":["web-3"],"fingerprint":"checkout-slow","p99_ms":2650}"#,
    r#"{"title":"Disk almost full","severity":"medium","service":"search","hosts":"search-1",
        "fingerprint":"disk-search-1","details":{"device":"/dev/sdb","free_percent":4}}"#,
    r#"{"title":"Nightly backup late","severity":"low","service":"backup","fingerprint":"backup-late",
        "start_time":"2024-05-01T02:00:00Z","end_time":"2024-05-01T03:10:00Z"}"#,
];
