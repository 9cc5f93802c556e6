//! Callers of Alertmanager's API.
//!
//! A member of the project sends an access token. The key of the endpoint lets its sender post alerts; it also reads alerts
//! and manages silences where the endpoint says so.

use std::sync::Arc;

use accounts::AuditImpersonation;
use actix_web::HttpRequest;
use actix_web::http::header::AUTHORIZATION;
use alert_intake::model::{Integration, KEY_PREFIX};
use api_conventions::access::AccessLevel;
use api_conventions::credentials::Authorization;
use api_conventions::error::ApiError;
use api_conventions::ids::{ProjectId, UserId};
use api_conventions::reference::ProjectRef;
use api_conventions::scope::ScopeSet;
use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use gatehouse_core::auth::principal::Principal;
use gatehouse_core::flows::git_access::GitCaller;
use gatehouse_core::flows::silences::SilenceEditor;
use projects::flow::find_visible::find_visible_project;
use projects::{Project, ProjectAccess};
use storage::StoreError;
use web_conventions::failure::Failure;

use crate::areas::alerts::intake::{authorize, key_of, named_identifier, project_path};
use crate::frame::lane;
use crate::frame::scopes::{ReadApi, Scopes, WriteApi};
use crate::frame::token_login::{LoginProgram, TokenLogin};
use crate::state::AppState;

const KEY_ONLY_SENDS: &str = "the key of this alert endpoint only sends alerts; use an access token with the scope api, or \
     set key_manages on the endpoint";

/// Use of a project's alerts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AlertmanagerUse {
    /// Reading of alerts and silences.
    Read,
    /// Creation and end of silences.
    Silence,
}

/// A caller who may use the alerts of a project.
#[derive(Debug)]
pub(super) struct AlertmanagerCaller {
    /// The project.
    pub(super) project: ProjectId,
    /// User; `None` for a program with the key of the endpoint.
    pub(super) user: Option<UserId>,
    /// Name for the authorship of silences.
    pub(super) name: String,
    /// Impersonation that the request used, if it used one.
    pub(super) impersonation: Option<AuditImpersonation>,
}

impl AlertmanagerCaller {
    /// Returns the caller as the author of a change of a silence.
    pub(super) fn editor(&self, now: Timestamp) -> SilenceEditor {
        SilenceEditor {
            id: self.user,
            name: self.name.clone(),
            now,
        }
    }
}

/// Returns the caller of a request if it may use the alerts of the project like this.
///
/// # Errors
/// 401 for missing or wrong credentials, 403 for a token without the scope, for a role below Developer, and for a key that
/// only sends; 404 for a project that the caller cannot see.
pub(super) async fn caller(
    request: &HttpRequest,
    state: &AppState,
    wanted: AlertmanagerUse,
) -> Result<AlertmanagerCaller, Failure> {
    let secret = key_of(request.headers()).ok_or_else(ApiError::key_required)?;
    if secret.reveal().starts_with(KEY_PREFIX) {
        let endpoint = authorize(request, state, &named_identifier(request), &secret).await?;
        return Ok(of_key(&endpoint)?);
    }
    let principal = token_holder(request, state, secret).await?;
    let scopes = match wanted {
        AlertmanagerUse::Read => ReadApi::ANY_OF,
        AlertmanagerUse::Silence => WriteApi::ANY_OF,
    };
    if !principal.scopes.allows_any(scopes) {
        let needed: ScopeSet = scopes.iter().cloned().collect();
        return Err(ApiError::insufficient_scope(&needed.to_string()).into());
    }
    let (project, access) = find_project(request, state, &principal).await?;
    if !access.allows(AccessLevel::Developer) {
        return Err(ApiError::forbidden().into());
    }
    if wanted == AlertmanagerUse::Silence && project.archived {
        return Err(ApiError::forbidden_because("the project is archived").into());
    }
    Ok(AlertmanagerCaller {
        project: project.id,
        user: Some(principal.user.id),
        name: principal.user.username.as_str().to_owned(),
        impersonation: principal.impersonation(),
    })
}

fn of_key(endpoint: &Integration) -> Result<AlertmanagerCaller, ApiError> {
    if !endpoint.settings.key_manages {
        return Err(ApiError::forbidden_because(KEY_ONLY_SENDS));
    }
    Ok(AlertmanagerCaller {
        project: endpoint.project_id,
        user: None,
        name: format!("key of {}", endpoint.name),
        impersonation: None,
    })
}

/// Returns the holder of an access token, sent as a Bearer token or as the password of Basic credentials.
async fn token_holder(
    request: &HttpRequest,
    state: &AppState,
    password: PlainSecret,
) -> Result<Arc<Principal>, Failure> {
    let header = request.headers().get(AUTHORIZATION);
    let sent = header.and_then(|value| Authorization::parse(value.to_str().ok()?));
    let username = match sent {
        Some(Authorization::Basic { username, .. }) => username,
        _ => String::new(),
    };
    let program = LoginProgram::AlertmanagerClient;
    let login = TokenLogin { username, password };
    match login.holder(request, state, program, state.now()).await? {
        GitCaller::User(principal) => Ok(principal),
        GitCaller::Anonymous | GitCaller::Deploy(_) => Err(program.credentials_needed().into()),
    }
}

/// Finds the project of the URL, if the caller can see it.
async fn find_project(
    request: &HttpRequest,
    state: &AppState,
    principal: &Arc<Principal>,
) -> Result<(Project, ProjectAccess), Failure> {
    let missing = || ApiError::not_found("Project");
    let path = ProjectRef::Path(project_path(request).ok_or_else(missing)?);
    let lane = lane::of_request(request, state, Some(principal.user.id));
    let (viewer, now) = (principal.viewer(), state.now());
    let found: Result<Option<(Project, ProjectAccess)>, StoreError> = state
        .database
        .read(lane, move |tx| find_visible_project(tx, &path, viewer, now))
        .await;
    Ok(found?.ok_or_else(missing)?)
}
