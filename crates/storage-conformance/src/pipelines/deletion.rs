//! Rows deleted with a project.

use ::pipelines::model::{
    DeploymentFilter, EnvironmentFilter, JobFilter, PipelineFilter, Variable, VariableKind,
};
use api_conventions::ids::{ProjectId, UserId};
use storage::StoreExt as _;

use super::{deployment, insert_deployment, insert_job, insert_pipeline, job, pipeline};
use crate::areas::{AreaHarness, Reports};
use crate::samples::page;

/// Maximum number of rows deleted at once.
const STEP: usize = 2;

/// Numbers of listed rows of a project.
fn counts(store: &Reports, project: ProjectId) -> [usize; 4] {
    let counted = store.query(move |tx| {
        let all = page(1, 100);
        Ok([
            tx.list_environments(&EnvironmentFilter::new(project), all)?
                .items
                .len(),
            tx.list_deployments(&DeploymentFilter::new(project), all)?
                .items
                .len(),
            tx.list_pipelines(&PipelineFilter::new(project), all)?
                .items
                .len(),
            tx.list_jobs(&JobFilter::new(project), all)?.items.len(),
        ])
    });
    counted.wait().unwrap()
}

pub(super) fn j90_a_project_that_goes_takes_its_reports_step_by_step(
    harness: &mut AreaHarness<Reports>,
) {
    let places = harness.places();
    let store = harness.store();
    let written = store.change(move |tx| {
        for project in places {
            for number in 1..4 {
                insert_deployment(tx, &deployment(project, number))?;
                insert_job(tx, &job(project, number))?;
                let mut new = pipeline(project, number + 10);
                new.variables = vec![Variable {
                    key: "A".to_owned(),
                    value: "b".to_owned(),
                    kind: VariableKind::Variable,
                }];
                insert_pipeline(tx, &new)?;
            }
        }
        Ok(())
    });
    written.wait().unwrap();
    let [project, other] = places;
    assert_eq!(counts(store, project), [1, 3, 4, 3]);
    let step = || {
        let deleted = store.change(move |tx| tx.delete_reports_of(project, STEP));
        deleted.wait().unwrap()
    };
    let mut steps = 0;
    loop {
        let deleted = step();
        assert!(deleted <= STEP, "{deleted}");
        if deleted == 0 {
            break;
        }
        steps += 1;
    }
    assert!(steps > 4, "{steps}");
    assert_eq!(counts(store, project), [0; 4]);
    assert_eq!(counts(store, other), [1, 3, 4, 3]);
    // Numbers restart for new rows of the project.
    let anew = store.change(move |tx| insert_pipeline(tx, &pipeline(project, 1)));
    assert_eq!(anew.wait().unwrap().iid.get(), 1);
}

pub(super) fn u06_reports_of_a_user_get_another_user_in_steps(harness: &mut AreaHarness<Reports>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let written = store.change(move |tx| {
        for number in 1..3 {
            insert_deployment(tx, &deployment(project, number))?;
            insert_job(tx, &job(project, number))?;
        }
        let mut own = job(project, 3);
        own.user_id = Some(UserId::new(12));
        insert_job(tx, &own).map(drop)
    });
    written.wait().unwrap();
    let mut released = 0;
    loop {
        let step =
            store.change(move |tx| tx.release_reports_of(UserId::new(7), UserId::new(13), STEP));
        let step = step.wait().unwrap();
        assert!(step <= STEP, "{step}");
        if step == 0 {
            break;
        }
        released += step;
    }
    let users = store.query(move |tx| {
        let all = page(1, 100);
        let jobs = tx.list_jobs(&JobFilter::new(project), all)?.items;
        let deployments = tx
            .list_deployments(&DeploymentFilter::new(project), all)?
            .items;
        let pipelines = tx.list_pipelines(&PipelineFilter::new(project), all)?.items;
        let mut users: Vec<_> = jobs.iter().map(|job| job.user_id).collect();
        users.extend(deployments.iter().map(|deployment| deployment.user_id));
        users.extend(pipelines.iter().map(|pipeline| pipeline.user_id));
        Ok(users)
    });
    let users = users.wait().unwrap();
    let count = |id| {
        users
            .iter()
            .filter(|user| **user == Some(UserId::new(id)))
            .count()
    };
    assert_eq!((count(7), count(13)), (0, released));
    assert!(count(12) >= 1 && released >= 4, "{users:?}");
}
