//! Heartbeats of endpoints.

use alert_intake::model::{Heartbeat, HeartbeatRule};
use alert_intake::store::{AlertWriteTx, InsertIntegration};
use api_conventions::ids::{IntegrationId, ProjectId};
use storage::{StoreError, StoreExt as _};

use super::endpoints::endpoint;
use crate::areas::{Alerts, AreaHarness};
use crate::samples::{timestamp, unexpected_conflict};

/// Heartbeat of an endpoint after a sign of life, with a patience of as many seconds.
fn heartbeat(
    project: ProjectId,
    endpoint: IntegrationId,
    last_at: i64,
    patience: u32,
) -> Heartbeat {
    let rule = HeartbeatRule {
        interval: patience - 1,
        grace: 1,
    };
    Heartbeat::at((project, endpoint), rule, timestamp(last_at))
}

fn due(
    tx: &mut (dyn AlertWriteTx + '_),
    now: i64,
    limit: usize,
) -> Result<Vec<IntegrationId>, StoreError> {
    let due = tx.list_due_heartbeats(timestamp(now), limit)?;
    Ok(due.into_iter().map(|one| one.integration_id).collect())
}

fn insert(
    tx: &mut (dyn AlertWriteTx + '_),
    project: ProjectId,
    identifier: &str,
) -> Result<IntegrationId, StoreError> {
    match tx.insert_integration(&endpoint(project, identifier))? {
        InsertIntegration::Inserted(id) => Ok(id),
        InsertIntegration::IdentifierTaken => {
            Err(unexpected_conflict("insert endpoint", identifier))
        }
    }
}

pub(super) fn l96_heartbeats_are_listed_when_they_are_due(harness: &mut AreaHarness<Alerts>) {
    let [project, other] = harness.places();
    let [first, second, third] = [1, 2, 3].map(IntegrationId::new);
    let done = harness.store().change(move |tx| {
        let late = heartbeat(project, first, 0, 100);
        let early = heartbeat(other, second, 10, 50);
        let missing = Heartbeat {
            due_at: None,
            ..heartbeat(project, third, 0, 20)
        };
        for one in [&late, &early, &missing] {
            tx.put_heartbeat(one)?;
        }
        let mut of_project = tx.list_heartbeats(project)?;
        of_project.sort_by_key(|one| one.integration_id);
        assert_eq!(of_project, [late, missing]);
        assert_eq!(tx.list_heartbeats(other)?, [early]);
        assert_eq!(tx.list_heartbeats(ProjectId::new(i64::MAX))?, []);
        assert_eq!(due(tx, 59, 9)?, []);
        assert_eq!(due(tx, 60, 9)?, [second]);
        assert_eq!(due(tx, 1000, 9)?, [second, first]);
        assert_eq!(due(tx, 1000, 1)?, [second]);
        assert_eq!(due(tx, 1000, 0)?, []);
        // From 30 on, one has its whole time again, another has more, and what is reported stays so.
        tx.postpone_heartbeats(timestamp(30))?;
        let due_at = |tx: &mut (dyn AlertWriteTx + '_)| -> Result<Vec<_>, StoreError> {
            let mut all = tx.list_heartbeats(project)?;
            all.extend(tx.list_heartbeats(other)?);
            all.sort_by_key(|one| one.integration_id);
            Ok(all.into_iter().map(|one| one.due_at).collect())
        };
        let expected = [Some(timestamp(130)), Some(timestamp(80)), None];
        assert_eq!(due_at(tx)?, expected);
        tx.postpone_heartbeats(timestamp(5))?;
        assert_eq!(due_at(tx)?, expected);
        // A sign of life replaces all of it.
        let again = heartbeat(project, third, 200, 20);
        tx.put_heartbeat(&again)?;
        let found = tx.list_heartbeats(project)?;
        assert_eq!(
            found.into_iter().find(|one| one.integration_id == third),
            Some(again)
        );
        Ok(())
    });
    done.wait().unwrap();
}

pub(super) fn l97_heartbeats_end_with_their_endpoint_and_their_project(
    harness: &mut AreaHarness<Alerts>,
) {
    let [project, other] = harness.places();
    let done = harness.store().change(move |tx| {
        let (kept, gone) = (insert(tx, project, "kept")?, insert(tx, project, "gone")?);
        let other_endpoint = insert(tx, other, "gone")?;
        for (project, endpoint) in [(project, kept), (project, gone), (other, other_endpoint)] {
            tx.put_heartbeat(&heartbeat(project, endpoint, 0, 60))?;
        }
        assert!(tx.delete_integration(project, "gone")?);
        assert_eq!(due(tx, 60, 9)?, [kept, other_endpoint]);
        // Alone, only in its project, and without a heartbeat to no effect.
        let alone = insert(tx, project, "alone")?;
        tx.put_heartbeat(&heartbeat(project, alone, 0, 60))?;
        tx.delete_heartbeat(other, alone)?;
        assert_eq!(due(tx, 60, 9)?, [kept, other_endpoint, alone]);
        tx.delete_heartbeat(project, alone)?;
        tx.delete_heartbeat(project, alone)?;
        assert_eq!(due(tx, 60, 9)?, [kept, other_endpoint]);
        while tx.delete_alerts_of(project, 1)? > 0 {}
        assert_eq!(due(tx, 60, 9)?, [other_endpoint]);
        Ok(())
    });
    done.wait().unwrap();
}
