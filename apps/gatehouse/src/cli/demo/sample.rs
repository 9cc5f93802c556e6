//! The sample data of the demo: three users with different roles, a project, and a few alerts that came in
//! through the same code as real ones.

use std::sync::Arc;

use accounts::User;
use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::{NamespaceId, UserId};
use api_conventions::reference::FullPath;
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::time::{Clock as _, Timestamp};
use projects::{MemberPlace, NewMember, Project, ProjectRepository as _};
use storage::{Store as _, StoreError};

use super::credentials::{Credentials, DemoProject, DemoUser};
use crate::clock::SystemClock;
use crate::database::Database;
use crate::provision::{self, ProjectWish, UserWish};

/// Fills an empty database.
pub(super) fn fill(database: &Arc<Database>) -> anyhow::Result<Credentials> {
    let (admin, admin_user) = user(database, "root", "Ada Root", &[Scope::Api, Scope::Sudo])?;
    let (developer, dev_user) = user(database, "dev", "Dana Developer", &[Scope::Api])?;
    let (reporter, reporter_user) = user(database, "rita", "Rita Reporter", &[Scope::Api])?;
    let wish = ProjectWish {
        path: FullPath::parse("acme/web-shop").ok_or_else(|| anyhow::anyhow!("a fixed path is valid"))?,
        name: Some("Web shop".to_owned()),
        description: "The shop that the samples are about".to_owned(),
        visibility: Visibility::Private,
        creator_id: admin_user.id,
    };
    let (project, key) = provision::project(database, wish)?;
    join(database, project.namespace.id, dev_user.id, AccessLevel::Developer)?;
    join(database, project.namespace.id, reporter_user.id, AccessLevel::Reporter)?;
    alerts(database, &project)?;
    Ok(Credentials {
        admin,
        developer,
        reporter,
        project: DemoProject { id: project.id.get(), path: project.full_path.as_str().to_owned() },
        alert_key: key.reveal().to_owned(),
    })
}

fn user(
    database: &Database,
    username: &str,
    name: &str,
    scopes: &[Scope],
) -> anyhow::Result<(DemoUser, User)> {
    let wish = UserWish {
        username: username.to_owned(),
        name: name.to_owned(),
        email: format!("{username}@example.com"),
        is_admin: scopes.contains(&Scope::Sudo),
        password: None,
    };
    let (user, password) = provision::user(database, wish)?;
    let scopes: ScopeSet = scopes.iter().copied().collect();
    let (_, token) = provision::token(database, user.id, "demo", scopes, None)?;
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
        place: MemberPlace::Namespace(group),
        level,
        expires_on: None,
        created_at: now(),
    };
    database.write(move |tx| tx.put_member(&member)).wait()
}

fn now() -> Timestamp {
    SystemClock.now()
}
