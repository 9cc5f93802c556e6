//! Deployments to environments.

use api_conventions::ids::{DeploymentId, DeploymentIid, EnvironmentId, ProjectId, UserId};
use api_conventions::page::SortOrder;
use api_conventions::time::Timestamp;
use api_conventions::validation::not_blank;
use validator::Validate;

use super::{MAX_TEXT, is_commit};

api_conventions::named! {
    /// Status of a deployment.
    #[derive(Default)]
    pub enum DeploymentStatus {
        /// Not started.
        #[default]
        Created = 0, "created";
        /// Running.
        Running = 1, "running";
        /// Succeeded.
        Success = 2, "success";
        /// Failed.
        Failed = 3, "failed";
        /// Canceled.
        Canceled = 4, "canceled";
    }
}

impl DeploymentStatus {
    /// True if the deployment is finished.
    pub const fn is_finished(self) -> bool {
        matches!(self, Self::Success | Self::Failed | Self::Canceled)
    }
}

/// A deployment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deployment {
    /// Id.
    pub id: DeploymentId,
    /// Number within the project.
    pub iid: DeploymentIid,
    /// The project.
    pub project_id: ProjectId,
    /// Environment deployed to.
    pub environment_id: EnvironmentId,
    /// User who reported it.
    pub user_id: Option<UserId>,
    /// The commit.
    pub sha: String,
    /// The branch or tag (`ref`).
    pub reference: String,
    /// True if the reference is a tag.
    pub tag: bool,
    /// Status.
    pub status: DeploymentStatus,
    /// Time of the report.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Time at which it finished.
    pub finished_at: Option<Timestamp>,
}

/// Deployment to insert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDeployment {
    /// The project.
    pub project_id: ProjectId,
    /// Environment deployed to, of the same project.
    pub environment_id: EnvironmentId,
    /// User who reports it.
    pub user_id: Option<UserId>,
    /// The commit.
    pub sha: String,
    /// The branch or tag.
    pub reference: String,
    /// True if the reference is a tag.
    pub tag: bool,
    /// Status.
    pub status: DeploymentStatus,
    /// Time of the report.
    pub created_at: Timestamp,
    /// Time at which it finished.
    pub finished_at: Option<Timestamp>,
}

impl NewDeployment {
    /// Returns the deployment as stored under an id and a number.
    pub fn stored(&self, id: DeploymentId, iid: DeploymentIid) -> Deployment {
        Deployment {
            id,
            iid,
            project_id: self.project_id,
            environment_id: self.environment_id,
            user_id: self.user_id,
            sha: self.sha.clone(),
            reference: self.reference.clone(),
            tag: self.tag,
            status: self.status,
            created_at: self.created_at,
            updated_at: self.created_at,
            finished_at: self.finished_at,
        }
    }
}

/// Update of a deployment: all fields that can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeploymentChange {
    /// Status.
    pub status: DeploymentStatus,
    /// Time at which it finished.
    pub finished_at: Option<Timestamp>,
    /// Current time.
    pub updated_at: Timestamp,
}

impl DeploymentChange {
    /// Applies the update.
    pub fn apply(&self, deployment: &mut Deployment) {
        deployment.status = self.status;
        deployment.finished_at = self.finished_at;
        deployment.updated_at = self.updated_at;
    }
}

api_conventions::named! {
    /// Sort column of a list of deployments. Ties break on the id: in the direction of the list, but always from the
    /// highest if sorted by the time of the last change.
    #[derive(Default)]
    pub enum DeploymentOrder {
        /// Id.
        #[default]
        Id = 0, "id";
        /// Number within the project; the same order as ids.
        Iid = 1, "iid";
        /// Time of the report; the same order as ids.
        CreatedAt = 2, "created_at";
        /// Time of the last change.
        UpdatedAt = 3, "updated_at";
        /// Time at which it finished.
        FinishedAt = 4, "finished_at";
        /// Branch or tag, in byte order.
        Ref = 5, "ref";
    }
}

/// Time range, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TimeRange {
    /// Earliest time.
    pub after: Option<Timestamp>,
    /// Latest time.
    pub before: Option<Timestamp>,
}

impl TimeRange {
    /// True if the range excludes nothing.
    pub const fn is_everything(self) -> bool {
        self.after.is_none() && self.before.is_none()
    }

    /// True if the range contains the time.
    pub fn holds(self, time: Timestamp) -> bool {
        self.after.is_none_or(|after| time >= after)
            && self.before.is_none_or(|before| time <= before)
    }
}

/// Filter and order of a project's list of deployments. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeploymentFilter {
    /// The project.
    pub project_id: ProjectId,
    /// Only deployments to this environment.
    pub environment_id: Option<EnvironmentId>,
    /// Only deployments with this status.
    pub status: Option<DeploymentStatus>,
    /// Only deployments last changed in this range.
    pub updated: TimeRange,
    /// Only deployments that finished in this range.
    pub finished: TimeRange,
    /// Sort column.
    pub order_by: DeploymentOrder,
    /// Sort direction.
    pub sort: SortOrder,
}

impl DeploymentFilter {
    /// Creates a filter for all deployments of a project, oldest first.
    pub fn new(project_id: ProjectId) -> Self {
        Self {
            project_id,
            environment_id: None,
            status: None,
            updated: TimeRange::default(),
            finished: TimeRange::default(),
            order_by: DeploymentOrder::Id,
            sort: SortOrder::Ascending,
        }
    }
}

/// Text fields of a deployment, for validation.
#[derive(Debug, Validate)]
pub(crate) struct DeploymentText<'t> {
    #[validate(custom(function = "is_commit"))]
    pub(crate) sha: &'t str,
    #[validate(custom(function = "not_blank"), length(max = "MAX_TEXT"))]
    pub(crate) r#ref: &'t str,
}
