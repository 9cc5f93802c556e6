//! Deployments.

use api_conventions::ids::UserId;
use api_conventions::page::OffsetPage;
use pipelines::flow::{
    CiError, DeploymentInput, create_deployment, delete_deployment, list_deployments,
    update_deployment,
};
use pipelines::model::{
    Deployment, DeploymentFilter, DeploymentOrder, DeploymentStatus, EnvironmentState, TimeRange,
};
use storage_diesel::SqliteStore;

use crate::{COMMIT, HERE, at, write};

fn report(store: &SqliteStore, status: DeploymentStatus, second: i64) -> Deployment {
    let input = DeploymentInput {
        environment: "production".to_owned(),
        sha: COMMIT.to_uppercase(),
        reference: "main".to_owned(),
        tag: false,
        status,
        user_id: Some(UserId::new(7)),
    };
    let made = write(store, move |tx| {
        create_deployment(tx, HERE, &input, at(second))
    });
    let (deployment, environment) = made.unwrap();
    assert_eq!(environment.state, EnvironmentState::Available);
    deployment
}

#[test]
fn a_deployment_is_over_once_and_may_end_in_another_way() {
    let store = SqliteStore::in_memory().unwrap();
    let made = report(&store, DeploymentStatus::Created, 1);
    assert_eq!((made.sha.as_str(), made.finished_at), (COMMIT, None));
    let id = made.id;
    let set = |status, second| {
        let changed = write(&store, move |tx| {
            update_deployment(tx, HERE, id, status, at(second))
        });
        changed.map(|(deployment, _)| deployment)
    };
    for (status, second, finished) in [
        (DeploymentStatus::Running, 2, None),
        (DeploymentStatus::Success, 3, Some(at(3))),
        // Setting the same status again changes nothing.
        (DeploymentStatus::Success, 4, Some(at(3))),
        (DeploymentStatus::Failed, 5, Some(at(5))),
    ] {
        let changed = set(status, second).unwrap();
        assert_eq!((changed.status, changed.finished_at), (status, finished));
    }
    for back in [DeploymentStatus::Created, DeploymentStatus::Running] {
        let refused = set(back, 6).unwrap_err();
        assert!(matches!(refused, CiError::Impossible(_)), "{refused}");
    }
    assert_eq!(set(DeploymentStatus::Failed, 7).unwrap().updated_at, at(5));
}

#[test]
fn running_and_current_deployments_cannot_be_deleted() {
    let store = SqliteStore::in_memory().unwrap();
    let first = report(&store, DeploymentStatus::Success, 1).id;
    let last = report(&store, DeploymentStatus::Success, 2).id;
    let runs = report(&store, DeploymentStatus::Running, 3).id;
    let delete = |id, since| write(&store, move |tx| delete_deployment(tx, HERE, id, since));
    for id in [last, runs] {
        let refused = delete(id, None).unwrap_err();
        assert!(matches!(refused, CiError::Impossible(_)), "{refused}");
    }
    assert!(matches!(delete(first, Some(at(0))), Err(CiError::Changed)));
    delete(first, None).unwrap();
    assert!(matches!(
        delete(first, None),
        Err(CiError::Unknown("Deployment"))
    ));
}

#[test]
fn deployments_are_listed_unless_filters_are_incompatible() {
    let store = SqliteStore::in_memory().unwrap();
    report(&store, DeploymentStatus::Success, 5);
    let list = |filter: DeploymentFilter| {
        let page = OffsetPage::default();
        let listed = write(&store, move |tx| list_deployments(tx, &filter, page));
        listed.map(|listed| listed.items.len())
    };
    let all = || DeploymentFilter::new(HERE);
    let window = TimeRange {
        after: Some(at(5)),
        before: Some(at(5)),
    };
    let success = Some(DeploymentStatus::Success);
    let finished = DeploymentFilter {
        finished: window,
        status: success,
        order_by: DeploymentOrder::FinishedAt,
        ..all()
    };
    for sound in [
        all(),
        finished.clone(),
        DeploymentFilter {
            updated: window,
            ..all()
        },
        DeploymentFilter {
            order_by: DeploymentOrder::UpdatedAt,
            ..all()
        },
    ] {
        assert_eq!(list(sound.clone()).unwrap(), 1, "{sound:?}");
    }
    for wrong in [
        DeploymentFilter {
            updated: window,
            ..finished.clone()
        },
        DeploymentFilter {
            status: None,
            ..finished.clone()
        },
        DeploymentFilter {
            order_by: DeploymentOrder::Id,
            ..finished.clone()
        },
        DeploymentFilter {
            finished: TimeRange::default(),
            ..finished
        },
    ] {
        let refused = list(wrong.clone());
        assert!(matches!(refused, Err(CiError::Impossible(_))), "{wrong:?}");
    }
}
