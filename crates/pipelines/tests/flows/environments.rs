//! Environments.

use pipelines::flow::{
    CiError, EnvironmentEdit, create_environment, delete_environment, stop_environment,
    update_environment,
};
use pipelines::model::{Environment, EnvironmentState, EnvironmentTier, NewEnvironment};
use pipelines::rules::slug_of;
use pipelines::store::InsertEnvironment;
use storage_diesel::SqliteStore;

use crate::{HERE, at, write};

fn create(store: &SqliteStore, name: &str) -> Result<Environment, CiError> {
    let input = EnvironmentEdit {
        name: Some(name.to_owned()),
        ..EnvironmentEdit::default()
    };
    write(store, move |tx| create_environment(tx, HERE, &input, at(1)))
}

#[test]
fn a_slug_conflict_is_resolved_with_another_slug() {
    let store = SqliteStore::in_memory().unwrap();
    let taken = slug_of("Production", 0);
    let squatter = NewEnvironment {
        project_id: HERE,
        name: "squatter".to_owned(),
        slug: taken.clone(),
        external_url: None,
        tier: EnvironmentTier::Other,
        created_at: at(0),
    };
    let inserted = write(&store, move |tx| {
        let locked = tx.lock_reports(HERE)?;
        Ok(tx.insert_environment(&locked, &squatter)?)
    });
    assert!(matches!(inserted.unwrap(), InsertEnvironment::Inserted(_)));
    let made = create(&store, "Production").unwrap();
    assert_eq!(made.slug, slug_of("Production", 1));
    assert_ne!(made.slug, taken);
    assert_eq!(made.tier, EnvironmentTier::Production);
}

#[test]
fn updates_keep_the_slug_and_unspecified_fields() {
    let store = SqliteStore::in_memory().unwrap();
    let made = create(&store, "staging").unwrap();
    let edit = EnvironmentEdit {
        external_url: Some(Some("https://staging.example".to_owned())),
        ..EnvironmentEdit::default()
    };
    let id = made.id;
    let changed = write(&store, move |tx| {
        update_environment(tx, HERE, id, &edit, at(2))
    });
    let input = Environment {
        external_url: Some("https://staging.example".to_owned()),
        updated_at: at(2),
        ..made
    };
    assert_eq!(changed.unwrap(), input);
    let edit = EnvironmentEdit {
        name: Some("Other".to_owned()),
        external_url: Some(None),
        tier: Some(EnvironmentTier::Production),
    };
    let changed = write(&store, move |tx| {
        update_environment(tx, HERE, id, &edit, at(3))
    });
    let input = Environment {
        name: "Other".to_owned(),
        external_url: None,
        tier: EnvironmentTier::Production,
        updated_at: at(3),
        ..input
    };
    assert_eq!(changed.unwrap(), input);
}

#[test]
fn only_stopped_and_unmodified_environments_can_be_deleted() {
    let store = SqliteStore::in_memory().unwrap();
    let id = create(&store, "staging").unwrap().id;
    let delete = |since| write(&store, move |tx| delete_environment(tx, HERE, id, since));
    assert!(matches!(delete(None), Err(CiError::NotStopped)));
    for second in [5, 6] {
        // Stopping a stopped environment again changes nothing.
        let stopped = write(&store, move |tx| stop_environment(tx, HERE, id, at(second)));
        let stopped = stopped.unwrap();
        assert_eq!(stopped.state, EnvironmentState::Stopped);
        assert_eq!(stopped.updated_at, at(5));
    }
    assert!(matches!(delete(Some(at(4))), Err(CiError::Changed)));
    delete(Some(at(5))).unwrap();
    assert!(matches!(delete(None), Err(CiError::Unknown("Environment"))));
}
