//! Image repositories of projects in a container registry.

use api_conventions::ids::{ImageRepositoryId, ProjectId};
use api_conventions::time::Timestamp;
use projects::{ImageRepository, NewImageRepository};
use storage::StoreExt as _;

use crate::areas::{AreaHarness, Projects};
use crate::entity::declare::entity;
use crate::samples::{HOSTILE, race, timestamp};

/// Threads that put the same repository concurrently, and rounds of each.
const THREADS: usize = 8;
const ROUNDS: u64 = 5;

fn new(project_id: ProjectId, name: &str) -> NewImageRepository {
    NewImageRepository {
        project_id,
        name: name.to_owned(),
        created_at: timestamp(0),
    }
}

entity! {
    /// An image repository of a project. It is looked up by its id and by its name.
    StoredImageRepository in Projects, of ProjectId: NewImageRepository => ImageRepository;
    owners: |harness| harness.places();
    key: |image| -> (ImageRepositoryId, String) { (image.id, image.name.clone()) },
        unknown: (ImageRepositoryId::new(i64::MAX), "unknown".to_owned());
    sample: |project, number| new(project, &format!("a{project}/b/{number}"));
    edges: |project| vec![
        NewImageRepository {
            created_at: Timestamp::MAX,
            ..new(project, &format!("{project}{HOSTILE}"))
        },
        NewImageRepository {
            created_at: Timestamp::MIN,
            ..new(project, &format!("{project}"))
        },
    ];
    insert: |tx, new| {
        let put = tx.put_image_repository(new)?;
        Ok((put.id, put.name))
    };
    find: |tx, _, (id, name)| {
        let by_name = tx.find_image_repository_by_name(name)?;
        assert_eq!(tx.find_image_repository(*id)?, by_name);
        Ok(by_name)
    }, by owner: false;
    expected: |new, found| ImageRepository {
        id: found.id,
        project_id: new.project_id,
        name: new.name.clone(),
        created_at: new.created_at,
    };
    list Ascending: |tx, project, page| tx.list_image_repositories(project, page);
    delete: |tx, _project, key| tx.delete_image_repository(key.0);
}

pub(super) fn g07_a_name_belongs_to_the_project_that_had_it_first(
    harness: &mut AreaHarness<Projects>,
) {
    let [one, other] = harness.places();
    let store = harness.store();
    let first = store.change(move |tx| tx.put_image_repository(&new(one, "acme/shop")));
    let first = first.wait().unwrap();
    let again = NewImageRepository {
        created_at: timestamp(9),
        ..new(other, "acme/shop")
    };
    let second = store.change(move |tx| tx.put_image_repository(&again));
    assert_eq!(second.wait().unwrap(), first);
}

pub(super) fn g08_one_of_many_racing_repositories_gets_the_name(
    harness: &mut AreaHarness<Projects>,
) {
    let [one, other] = harness.places();
    let store = harness.store();
    for round in 0..ROUNDS {
        let owners = race(THREADS, |number| {
            let project = if number.is_multiple_of(2) { one } else { other };
            let put = store
                .change(move |tx| tx.put_image_repository(&new(project, &format!("a/{round}"))));
            put.wait().unwrap()
        });
        assert!(
            owners.windows(2).all(|pair| pair[0] == pair[1]),
            "{owners:?}"
        );
    }
}
