//! The project of the path, as the caller may see it.

use actix_web::HttpRequest;
use alert_intake::flow::set_status::SetStatusError;
use api_conventions::access::AccessLevel;
use api_conventions::error::ApiError;
use api_conventions::ids::AlertIid;
use api_conventions::reference::{ProjectRef, decode_segment};
use api_conventions::scope::Scope;
use api_conventions::time::Timestamp;
use gatehouse_core::flows::change_alert::ChangeAlertError;
use gatehouse_core::flows::project::ProjectRefusal;
use projects::flow::find_visible::find_visible_project;
use projects::{Project, ProjectAccess, ProjectQueries, Viewer};

use super::caller::Caller;
use crate::http::failure::Failure;

/// Which project a request is about, and who asks.
#[derive(Debug, Clone)]
pub struct ProjectRequest {
    reference: ProjectRef,
    viewer: Viewer,
    now: Timestamp,
}

impl From<ProjectRefusal> for Failure {
    fn from(refusal: ProjectRefusal) -> Self {
        match refusal {
            ProjectRefusal::NotFound => ApiError::not_found("Project").into(),
            ProjectRefusal::Forbidden => ApiError::forbidden().into(),
            ProjectRefusal::Store(error) => error.into(),
        }
    }
}

impl From<ChangeAlertError> for Failure {
    fn from(error: ChangeAlertError) -> Self {
        match error {
            ChangeAlertError::Project(refusal) => refusal.into(),
            ChangeAlertError::Status(SetStatusError::Store(error))
            | ChangeAlertError::Store(error) => error.into(),
            ChangeAlertError::Status(refusal) => ApiError::from(refusal).into(),
        }
    }
}

impl ProjectRequest {
    /// Reads the project of the path (`id`), for a caller whose token, if there is one, has one of the scopes
    /// `accepted`.
    ///
    /// # Errors
    /// 403 when the token lacks the scopes; 404 when the path names nothing.
    pub fn new(
        request: &HttpRequest,
        caller: &Caller,
        accepted: &[Scope],
    ) -> Result<Self, ApiError> {
        let viewer = caller.viewer(accepted)?;
        let raw = request.match_info().get("id").unwrap_or_default();
        let reference = ProjectRef::parse(raw).ok_or_else(|| ApiError::not_found("Project"))?;
        Ok(Self {
            reference,
            viewer,
            now: caller.now(),
        })
    }

    /// The project, and what the viewer may do in it.
    ///
    /// # Errors
    /// See [`ProjectRefusal`].
    pub fn find<R: ProjectQueries + ?Sized>(
        &self,
        repos: &mut R,
    ) -> Result<(Project, ProjectAccess), ProjectRefusal> {
        let found = find_visible_project(repos, &self.reference, self.viewer, self.now)?;
        found.ok_or(ProjectRefusal::NotFound)
    }

    /// The project, for somebody who needs the role `needed` in it.
    ///
    /// # Errors
    /// See [`ProjectRefusal`]. Somebody who is not signed in gets 401 before: see [`Caller::signed_in`].
    pub fn find_for<R: ProjectQueries + ?Sized>(
        &self,
        repos: &mut R,
        needed: AccessLevel,
    ) -> Result<Project, ProjectRefusal> {
        let (project, access) = self.find(repos)?;
        if access.allows(needed) {
            Ok(project)
        } else {
            Err(ProjectRefusal::Forbidden)
        }
    }
}

/// The alert of the path (`iid`).
///
/// # Errors
/// 404 when the path holds no number.
pub fn alert_iid(request: &HttpRequest) -> Result<AlertIid, ApiError> {
    let raw = request.match_info().get("iid").and_then(decode_segment);
    let number = raw.and_then(|text| text.parse().ok());
    number
        .map(AlertIid::new)
        .ok_or_else(|| ApiError::not_found("Alert"))
}
