//! Allowed status transitions, and the status of a pipeline.

use crate::model::{CiStatus, DeploymentStatus};

/// True if a deployment may change from the status `now` to `next`. A finished one may change to another final status,
/// but not back.
pub const fn may_follow_deployment(now: DeploymentStatus, next: DeploymentStatus) -> bool {
    match next {
        DeploymentStatus::Created => false,
        DeploymentStatus::Running => matches!(now, DeploymentStatus::Created),
        DeploymentStatus::Success | DeploymentStatus::Failed | DeploymentStatus::Canceled => true,
    }
}

/// True if a job may change from the status `now` to `next`. A finished job never changes: a later report creates a new
/// job.
pub const fn may_follow_job(now: CiStatus, next: CiStatus) -> bool {
    match next {
        CiStatus::Created => false,
        CiStatus::Pending => matches!(now, CiStatus::Created),
        CiStatus::Running | CiStatus::Skipped => {
            matches!(now, CiStatus::Created | CiStatus::Pending)
        }
        CiStatus::Success | CiStatus::Failed | CiStatus::Canceled => !now.is_finished(),
    }
}

/// Returns the status of a pipeline from the statuses of its jobs; `None` without jobs. The number of jobs with a
/// status does not matter.
pub fn status_of(jobs: &[CiStatus]) -> Option<CiStatus> {
    let has = |status| jobs.contains(&status);
    let only = |all: &[CiStatus]| jobs.iter().all(|status| all.contains(status));
    if jobs.is_empty() {
        return None;
    }
    Some(if only(&[CiStatus::Skipped]) {
        CiStatus::Skipped
    } else if only(&[CiStatus::Success, CiStatus::Skipped]) {
        CiStatus::Success
    } else if only(&[CiStatus::Created]) {
        CiStatus::Created
    } else if only(&[CiStatus::Canceled, CiStatus::Success, CiStatus::Skipped]) {
        CiStatus::Canceled
    } else if only(&[CiStatus::Pending, CiStatus::Created, CiStatus::Skipped]) {
        CiStatus::Pending
    } else if has(CiStatus::Running) || has(CiStatus::Pending) || has(CiStatus::Created) {
        CiStatus::Running
    } else {
        CiStatus::Failed
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_of_a_pipeline_follows_from_its_jobs() {
        use CiStatus::{Canceled, Created, Failed, Pending, Running, Skipped, Success};
        for (jobs, status) in [
            (&[][..], None),
            (&[Skipped, Skipped], Some(Skipped)),
            (&[Success, Skipped], Some(Success)),
            (&[Created], Some(Created)),
            (&[Pending, Created, Skipped], Some(Pending)),
            (&[Pending, Success], Some(Running)),
            (&[Created, Success], Some(Running)),
            (&[Running, Failed], Some(Running)),
            (&[Canceled, Success], Some(Canceled)),
            (&[Canceled, Failed], Some(Failed)),
            (&[Failed, Success], Some(Failed)),
        ] {
            assert_eq!(status_of(jobs), status, "{jobs:?}");
        }
    }

    #[test]
    fn finished_jobs_and_deployments_do_not_restart() {
        for now in DeploymentStatus::ALL.iter().copied() {
            assert!(!may_follow_deployment(now, DeploymentStatus::Created));
            let runs = may_follow_deployment(now, DeploymentStatus::Running);
            assert_eq!(runs, now == DeploymentStatus::Created);
            assert!(may_follow_deployment(now, DeploymentStatus::Failed));
        }
        for now in CiStatus::ALL.iter().copied() {
            for next in CiStatus::ALL.iter().copied() {
                let goes_on = may_follow_job(now, next);
                assert!(!(now.is_finished() && goes_on), "{now:?} {next:?}");
                assert!(!(now == next && !next.is_finished() && goes_on));
            }
        }
        assert!(may_follow_job(CiStatus::Pending, CiStatus::Running));
        assert!(!may_follow_job(CiStatus::Running, CiStatus::Skipped));
    }
}
