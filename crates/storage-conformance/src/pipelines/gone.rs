//! What goes with a project.

use ::pipelines::model::{
    DeploymentFilter, EnvironmentFilter, JobFilter, PipelineFilter, Variable, VariableKind,
};
use api_conventions::ids::ProjectId;

use super::{deployment, insert_deployment, insert_job, insert_pipeline, job, pipeline};
use crate::Harness;
use crate::samples::page;
use crate::store_traits::Reports;

/// Rows that go at once.
const STEP: usize = 2;

/// How much is listed of a project.
fn counts<S: Reports>(store: &S, project: ProjectId) -> [usize; 4] {
    let counted = store.read_reports(move |tx| {
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

pub(super) fn j90_a_project_that_goes_takes_its_reports_step_by_step<H: Harness>(harness: &mut H)
where
    H::Store: Reports,
{
    let places = harness.places();
    let store = harness.store();
    let written = store.write_reports(move |tx| {
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
        let deleted = store.write_reports(move |tx| tx.delete_reports_of(project, STEP));
        deleted.wait().unwrap()
    };
    let mut steps = 0;
    loop {
        let gone = step();
        assert!(gone <= STEP, "{gone}");
        if gone == 0 {
            break;
        }
        steps += 1;
    }
    assert!(steps > 4, "{steps}");
    assert_eq!(counts(store, project), [0; 4]);
    assert_eq!(counts(store, other), [1, 3, 4, 3]);
    // Numbers begin anew with what comes to the project now.
    let anew = store.write_reports(move |tx| insert_pipeline(tx, &pipeline(project, 1)));
    assert_eq!(anew.wait().unwrap().iid.get(), 1);
}
