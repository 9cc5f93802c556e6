//! Stores behind `dyn`: a host holds the store of each crate and knows no adapter.

use std::sync::Arc;

use accounts::{AccountStore, NewUser, UserKind, Username};
use alert_intake::flow::create_integration::create_integration;
use alert_intake::model::{IntegrationSettings, NewIntegration, Source};
use alert_intake::store::AlertStore;
use api_conventions::access::Visibility;
use api_conventions::ids::{ProjectId, UserId};
use api_conventions::page::OffsetPage;
use api_conventions::reference::FullPath;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use error_tracking::flow::keys::create_client_key;
use error_tracking::store::ErrorStore;
use events::{Action, Audience, EventFilter, EventRepository, EventStore, FeedRights, NewEvent};
use oauth_provider::{NewSigningKey, OauthStore, SigningAlgorithm};
use projects::{NamespaceKind, NewNamespace, ProjectStore};
use storage::{Capabilities, Store, StoreError, StoreErrorKind, StoreExt as _};
use storage_diesel::SqliteStore;

const NOW: Timestamp = Timestamp::MIN;

#[test]
fn users() {
    let store: Arc<dyn AccountStore> = Arc::new(SqliteStore::in_memory().unwrap());
    let ann = NewUser {
        username: Username::parse("ann").unwrap(),
        name: "Ann".to_owned(),
        email: "ann@example.org".to_owned(),
        kind: UserKind::Human,
        is_admin: false,
        password: None,
        created_at: NOW,
    };
    store.change(move |tx| tx.insert_user(&ann)).wait().unwrap();
    let found = store.query(|tx| tx.find_user_by_username("ann"));
    assert_eq!(found.wait().unwrap().unwrap().email, "ann@example.org");
}

#[test]
fn projects() {
    let store: Arc<dyn ProjectStore> = Arc::new(SqliteStore::in_memory().unwrap());
    let group = NewNamespace {
        kind: NamespaceKind::Group,
        name: "The shop".to_owned(),
        path: "shop".to_owned(),
        parent: None,
        visibility: Visibility::Private,
        owner: UserId::new(1),
        created_at: NOW,
    };
    let inserted = store.change(move |tx| tx.insert_namespace(&group));
    inserted.wait().unwrap();
    let path = FullPath::parse("shop").unwrap();
    let found = store.query(move |tx| tx.find_namespace(&path));
    assert_eq!(found.wait().unwrap().unwrap().name, "The shop");
}

#[test]
fn alerts() {
    let store: Arc<dyn AlertStore> = Arc::new(SqliteStore::in_memory().unwrap());
    let project = ProjectId::new(1);
    let endpoint = NewIntegration {
        project_id: project,
        source: Source::Generic,
        name: "Disks".to_owned(),
        endpoint_identifier: "disks".to_owned(),
        active: true,
        key: SecretDigest::of("the key"),
        settings: IntegrationSettings::default(),
        created_at: NOW,
    };
    // A flow takes the transaction behind `dyn` like any other.
    let made = store.change(move |tx| create_integration(tx, &endpoint));
    made.wait().unwrap();
    let found = store.query(move |tx| tx.find_integration(project, "disks"));
    assert_eq!(found.wait().unwrap().unwrap().name, "Disks");
}

#[test]
fn errors() {
    let store: Arc<dyn ErrorStore> = Arc::new(SqliteStore::in_memory().unwrap());
    let project = ProjectId::new(1);
    let made = store.change(move |tx| create_client_key(tx, project, [7; 16], NOW));
    let made = made.wait().unwrap();
    let key = made.public_key.clone();
    let found = store.query(move |tx| tx.find_client_key(&key));
    assert_eq!(found.wait().unwrap(), Some(made));
    let counted = store.query(move |tx| tx.count_errors(project));
    assert_eq!(counted.wait().unwrap(), [0; 3]);
}

#[test]
fn the_feed() {
    let store: Arc<dyn EventStore> = Arc::new(SqliteStore::in_memory().unwrap());
    let entry = entry();
    let filter = EventFilter::new(entry.project_id, FeedRights::LEAST);
    let written = store.change(move |tx| tx.insert_events(std::slice::from_ref(&entry)));
    written.wait().unwrap();
    let page = store.query(move |tx| tx.list_project_events(&filter, OffsetPage::new(1, 20)));
    assert_eq!(page.wait().unwrap().items.len(), 1);
}

#[test]
fn signing_keys() {
    let store: Arc<dyn OauthStore> = Arc::new(SqliteStore::in_memory().unwrap());
    let key = NewSigningKey {
        kid: "one".to_owned(),
        algorithm: SigningAlgorithm::Rs256,
        generation: 1,
        public_jwk: "{}".to_owned(),
        sealed: vec![1],
        created_at: NOW,
        signs_from: NOW,
    };
    store
        .change(move |tx| tx.insert_signing_key(&key))
        .wait()
        .unwrap();
    let kept = store.query(|tx| tx.list_signing_keys()).wait().unwrap();
    assert_eq!(kept.len(), 1);
}

/// A host with an error type of its own.
#[derive(Debug)]
enum HostError {
    Refused(&'static str),
    Store(StoreError),
}

impl From<StoreError> for HostError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

#[test]
fn an_error_of_the_host_undoes_the_write_and_comes_back_as_it_was() {
    let store: Arc<dyn EventStore> = Arc::new(SqliteStore::in_memory().unwrap());
    let filter = EventFilter::new(entry().project_id, FeedRights::LEAST);
    let refused = store.write(|tx| {
        tx.insert_events(&[entry()])?;
        Err::<(), _>(HostError::Refused("no"))
    });
    assert!(matches!(refused.wait(), Err(HostError::Refused("no"))));
    let page = store.query(move |tx| tx.list_project_events(&filter, OffsetPage::new(1, 20)));
    assert!(page.wait().unwrap().items.is_empty());
}

#[test]
fn an_error_of_the_store_becomes_one_of_the_host() {
    let store: Arc<dyn EventStore> = Arc::new(SqliteStore::in_memory().unwrap());
    let panicked = store.read(|_| -> Result<(), HostError> { panic!("expected") });
    let Err(HostError::Store(error)) = panicked.wait() else {
        unreachable!("the closure panicked");
    };
    assert_eq!(error.kind(), StoreErrorKind::Internal);
}

/// Writes to a store of the feed, of any type.
fn record<S>(store: &S) -> Result<Capabilities, StoreError>
where
    S: Store + ?Sized,
    for<'t> S::WriteTx<'t>: EventRepository,
{
    store.change(|tx| tx.insert_events(&[entry()])).wait()?;
    Ok(store.capabilities())
}

#[test]
fn generic_functions_accept_a_store_behind_dyn() {
    let adapter = Arc::new(SqliteStore::in_memory().unwrap());
    let of_adapter = record(&*adapter).unwrap();
    let store: Arc<dyn EventStore> = adapter;
    assert_eq!(record(&*store).unwrap(), of_adapter);
    assert_eq!(format!("{store:?}"), "EventStore { .. }");
}

fn entry() -> NewEvent {
    NewEvent {
        project_id: ProjectId::new(1),
        author_id: UserId::new(1),
        action: Action::Created,
        target: None,
        audience: Audience::Everyone,
        push: None,
        created_at: NOW,
    }
}
