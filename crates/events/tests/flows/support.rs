//! Store of events, with test helpers.

use api_conventions::ids::{ProjectId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::Timestamp;
use events::{
    Action, Audience, CustomAction, CustomTarget, EventFilter, EventQueries as _,
    EventRepository as _, EventTarget, FeedEvent, NewEvent, TargetType, Vocabulary,
};
use storage::{Store as _, StoreError};
use storage_diesel::SqliteStore;

/// The project that most tests use.
pub(crate) const HERE: ProjectId = ProjectId::new(1);

/// An action that the host declares.
pub(crate) const DEPLOYED: CustomAction = CustomAction::new(1000);

/// A target type that the host declares.
/// Actions and target types are numbered separately.
pub(crate) const RELEASE: CustomTarget = CustomTarget::new(1000);

/// The words of the host.
pub(crate) const VOCABULARY: Vocabulary = Vocabulary::new(
    &[DEPLOYED.named("deployed", "deployed to")],
    &[RELEASE.named("release", "Release")],
);

/// Parses an RFC 3339 time.
pub(crate) fn at(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}

/// An event about a target of this type, for everyone.
pub(crate) fn entry(action: Action, kind: Option<TargetType>, timestamp: &str) -> NewEvent {
    let target = |kind| EventTarget {
        kind,
        id: 40,
        iid: 4,
        title: Some("a title".to_owned()),
    };
    NewEvent {
        project_id: HERE,
        author_id: UserId::new(9),
        action,
        target: kind.map(target),
        push: None,
        audience: Audience::Everyone,
        created_at: at(timestamp),
    }
}

/// A store with test helpers.
pub(crate) struct FeedStore(pub(crate) SqliteStore);

impl Default for FeedStore {
    fn default() -> Self {
        Self(SqliteStore::in_memory().unwrap())
    }
}

impl FeedStore {
    /// Inserts events.
    pub(crate) fn insert(&self, entries: Vec<NewEvent>) {
        let done = self.0.write(move |tx| tx.insert_events(&entries));
        let done: Result<(), StoreError> = done.wait();
        done.unwrap();
    }

    /// Page of the matching events.
    pub(crate) fn page(&self, filter: EventFilter, page: OffsetPage) -> Page<FeedEvent> {
        let listed = self.0.read(move |tx| tx.list_project_events(&filter, page));
        let listed: Result<_, StoreError> = listed.wait();
        listed.unwrap()
    }

    /// Ids of the matching events.
    pub(crate) fn ids(&self, filter: EventFilter) -> Vec<i64> {
        let page = self.page(filter, OffsetPage::new(1, 100));
        page.items.iter().map(|event| event.id.get()).collect()
    }
}
