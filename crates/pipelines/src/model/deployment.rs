//! Deployments: what was put into an environment.

use api_conventions::ids::{DeploymentId, DeploymentIid, EnvironmentId, ProjectId, UserId};
use api_conventions::page::SortOrder;
use api_conventions::time::Timestamp;
use api_conventions::validation::not_blank;
use validator::Validate;

use super::{MAX_TEXT, is_commit};

api_conventions::named! {
    /// How a deployment stands.
    #[derive(Default)]
    pub enum DeploymentStatus {
        /// It has not begun.
        #[default]
        Created = 0, "created";
        /// It is under way.
        Running = 1, "running";
        /// It ended well.
        Success = 2, "success";
        /// It ended badly.
        Failed = 3, "failed";
        /// Somebody ended it.
        Canceled = 4, "canceled";
    }
}

impl DeploymentStatus {
    /// Whether it is over.
    pub const fn is_finished(self) -> bool {
        matches!(self, Self::Success | Self::Failed | Self::Canceled)
    }
}

/// A deployment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deployment {
    /// Its id.
    pub id: DeploymentId,
    /// Its number in the project.
    pub iid: DeploymentIid,
    /// The project.
    pub project_id: ProjectId,
    /// Where it went.
    pub environment_id: EnvironmentId,
    /// Who reported it.
    pub user_id: Option<UserId>,
    /// The commit.
    pub sha: String,
    /// The branch or tag (`ref`).
    pub reference: String,
    /// Whether that is a tag.
    pub tag: bool,
    /// How it stands.
    pub status: DeploymentStatus,
    /// When it was reported.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When it was over.
    pub finished_at: Option<Timestamp>,
}

/// A deployment to be inserted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDeployment {
    /// The project.
    pub project_id: ProjectId,
    /// Where it goes. It is of the same project.
    pub environment_id: EnvironmentId,
    /// Who reported it.
    pub user_id: Option<UserId>,
    /// The commit.
    pub sha: String,
    /// The branch or tag.
    pub reference: String,
    /// Whether that is a tag.
    pub tag: bool,
    /// How it stands.
    pub status: DeploymentStatus,
    /// When it was reported.
    pub created_at: Timestamp,
    /// When it was over.
    pub finished_at: Option<Timestamp>,
}

impl NewDeployment {
    /// The deployment that this becomes under an id and a number.
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

/// All that can be changed of a deployment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeploymentChange {
    /// How it stands.
    pub status: DeploymentStatus,
    /// When it was over.
    pub finished_at: Option<Timestamp>,
    /// Now.
    pub updated_at: Timestamp,
}

impl DeploymentChange {
    /// Makes the change.
    pub fn apply(&self, deployment: &mut Deployment) {
        deployment.status = self.status;
        deployment.finished_at = self.finished_at;
        deployment.updated_at = self.updated_at;
    }
}

api_conventions::named! {
    /// What a list of deployments is ordered by. Ties break on the id: in the direction of the list, and where the list is ordered by
    /// the time of the last change, always from the highest.
    #[derive(Default)]
    pub enum DeploymentOrder {
        /// The id.
        #[default]
        Id = 0, "id";
        /// The number in the project, which is the order of ids.
        Iid = 1, "iid";
        /// When it was reported, which is the order of ids.
        CreatedAt = 2, "created_at";
        /// When it last changed.
        UpdatedAt = 3, "updated_at";
        /// When it was over.
        FinishedAt = 4, "finished_at";
        /// The branch or tag, in the order of its bytes.
        Ref = 5, "ref";
    }
}

/// A range of time, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TimeRange {
    /// Only what is not earlier.
    pub after: Option<Timestamp>,
    /// Only what is not later.
    pub before: Option<Timestamp>,
}

impl TimeRange {
    /// Whether it leaves nothing out.
    pub const fn is_everything(self) -> bool {
        self.after.is_none() && self.before.is_none()
    }

    /// Whether a time is in it.
    pub fn holds(self, time: Timestamp) -> bool {
        self.after.is_none_or(|after| time >= after)
            && self.before.is_none_or(|before| time <= before)
    }
}

/// Which deployments of a project to list. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeploymentFilter {
    /// The project.
    pub project_id: ProjectId,
    /// Only those to this environment.
    pub environment_id: Option<EnvironmentId>,
    /// Only those that stand so.
    pub status: Option<DeploymentStatus>,
    /// Only those that last changed in this range.
    pub updated: TimeRange,
    /// Only those that were over in this range.
    pub finished: TimeRange,
    /// What to order by.
    pub order_by: DeploymentOrder,
    /// The direction.
    pub sort: SortOrder,
}

impl DeploymentFilter {
    /// All deployments of a project, the first reported first.
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

/// What is written of a deployment, to be validated.
#[derive(Debug, Validate)]
pub(crate) struct DeploymentText<'t> {
    #[validate(custom(function = "is_commit"))]
    pub(crate) sha: &'t str,
    #[validate(custom(function = "not_blank"), length(max = "MAX_TEXT"))]
    pub(crate) r#ref: &'t str,
}
