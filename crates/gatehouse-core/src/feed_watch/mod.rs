//! Watch over new events of the feed, for those who follow it.
//!
//! One task of a process looks for new events and wakes the subscribers whom they may concern. The events of a queue
//! would be out of date when they are delivered, and a slow subscriber would have many of them. So a queue has one entry,
//! and each subscriber reads its events from the store, with the access that it has at that time.
//!
//! Without subscribers the task does nothing. With subscribers it looks soon after each commit of this process, and
//! every second for those of others.

mod subscribers;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use api_conventions::ids::EventId;
use api_conventions::page::SortOrder;
use events::rules::horizon::EventHorizon;
use events::{Days, EventIdRange, ProjectSetFilter};
use storage::{Lane, StoreError};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use crate::database::Database;
use crate::jobs::{BackgroundJob, BackgroundJobs};

use self::subscribers::Subscribers;
pub use self::subscribers::{FeedInterest, SubscribeError, SubscribedCaller, SubscriptionLimits};

/// Interval between looks at the counter of this process's commits.
const LOCAL_INTERVAL: Duration = Duration::from_millis(50);

/// Interval between looks into the database, for commits of other processes.
const INTERVAL: Duration = Duration::from_secs(1);

/// Most events that are examined for the projects that they concern. More concern everyone.
const MAX_EXAMINED: usize = 250;

/// New events of the feed, and those who follow it.
#[derive(Debug)]
pub struct FeedWatch {
    state: Mutex<WatchState>,
    limits: SubscriptionLimits,
    arrival: Notify,
}

#[derive(Debug, Default)]
struct WatchState {
    horizon: Option<EventId>,
    restarts: u64,
    subscribers: Subscribers,
}

/// News for a subscriber.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeedNews {
    /// Last id up to which no further event appears; `None` before it is known.
    pub horizon: Option<EventId>,
    /// Number of times that the horizon went back, because the database recovered. Ids after it then come again.
    pub restarts: u64,
    /// True if there may be events that concern the subscriber, since the last call.
    pub is_relevant: bool,
    /// True if the server stops.
    pub is_closed: bool,
}

impl FeedWatch {
    /// Creates a watch without subscribers.
    pub fn new(limits: SubscriptionLimits) -> Self {
        Self {
            state: Mutex::default(),
            limits,
            arrival: Notify::new(),
        }
    }

    /// Subscribes a caller to all events. Dropping the subscription ends it.
    ///
    /// # Errors
    /// See [`SubscribeError`].
    pub fn subscribe(
        self: &Arc<Self>,
        caller: SubscribedCaller,
    ) -> Result<Subscription, SubscribeError> {
        let waker = Arc::<Notify>::default();
        let subscribers = &mut self.state().subscribers;
        let id = subscribers.add(caller, self.limits, Arc::clone(&waker))?;
        self.arrival.notify_one();
        Ok(Subscription {
            feed: Arc::clone(self),
            id,
            waker,
        })
    }

    /// Ends all subscriptions, because the server stops.
    pub fn close(&self) {
        self.state().subscribers.close();
    }

    /// Waits until there are subscribers. Returns true if one has arrived since the last call.
    async fn wait_for_subscribers(&self, at_most: Duration) -> bool {
        let has_arrived = timeout(at_most, self.arrival.notified()).await.is_ok();
        let mut is_new = has_arrived;
        while self.state().subscribers.is_empty() {
            self.arrival.notified().await;
            is_new = true;
        }
        is_new
    }

    fn publish(&self, horizon: &EventHorizon, about: &FeedInterest) {
        let mut state = self.state();
        state.horizon = horizon.confirmed();
        state.restarts = horizon.restarts();
        state.subscribers.publish(about);
    }

    /// Locks the state. No panic can leave it inconsistent, because nothing that can panic runs in the middle of a
    /// change.
    fn state(&self) -> MutexGuard<'_, WatchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Subscription to the feed.
#[derive(Debug)]
pub struct Subscription {
    feed: Arc<FeedWatch>,
    id: u64,
    waker: Arc<Notify>,
}

impl Subscription {
    /// Replaces the projects whose events wake the subscriber.
    /// Events of other projects are news as well, but do not wake it: a subscriber whose projects may have changed
    /// looks at the horizon from time to time.
    pub fn set_interest(&self, interest: FeedInterest) {
        let mut state = self.feed.state();
        state.subscribers.set_interest(self.id, interest);
    }

    /// Takes the news so far.
    pub fn take_news(&self) -> FeedNews {
        let mut state = self.feed.state();
        FeedNews {
            horizon: state.horizon,
            restarts: state.restarts,
            is_relevant: state.subscribers.take_news(self.id),
            is_closed: state.subscribers.is_closed(),
        }
    }

    /// Waits for news that concern the subscriber, or for the end of the server.
    pub async fn changed(&self) {
        self.waker.notified().await;
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.feed.state().subscribers.remove(self.id);
    }
}

/// Looks for new events while there are subscribers, until the task is dropped.
pub async fn watch(jobs: BackgroundJobs, database: Arc<Database>, feed: Arc<FeedWatch>) {
    let mut watcher = HorizonWatcher::default();
    loop {
        let is_new = feed.wait_for_subscribers(LOCAL_INTERVAL).await;
        if !is_new && !watcher.is_due(&database) {
            continue;
        }
        let looked = watcher.look(&database, &feed).await;
        jobs.record(BackgroundJob::WatchFeed, &looked);
    }
}

/// Reader of new events.
#[derive(Debug, Default)]
struct HorizonWatcher {
    horizon: EventHorizon,
    last_look: Option<(Instant, u64)>,
}

impl HorizonWatcher {
    /// True if there may be new events.
    fn is_due(&self, database: &Database) -> bool {
        let commits = database.writer_stats().commits;
        let recent = |(at, known): (Instant, u64)| known == commits && at.elapsed() < INTERVAL;
        self.horizon.is_pending() || !self.last_look.is_some_and(recent)
    }

    /// Looks for new events and publishes them.
    async fn look(&mut self, database: &Database, feed: &FeedWatch) -> Result<(), StoreError> {
        // A commit during the look may be missing in it, so the count from before is kept.
        self.last_look = Some((Instant::now(), database.writer_stats().commits));
        let state = database.read(Lane::Shared, |tx| tx.event_id_state());
        let before = self.horizon.confirmed();
        let now = self.horizon.observe(state.await?);
        if now == before && feed.state().restarts == self.horizon.restarts() {
            return Ok(());
        }
        let interest = feed.state().subscribers.interest();
        let about = match (before, now, interest) {
            (Some(before), Some(now), FeedInterest::Projects(projects)) if before < now => {
                concerned(database, projects.into_iter().collect(), before, now).await
            }
            _ => Ok(FeedInterest::All),
        };
        // Subscribers also learn of events whose projects cannot be read.
        feed.publish(&self.horizon, about.as_ref().unwrap_or(&FeedInterest::All));
        about.map(drop)
    }
}

/// Returns those of the projects that have events between two horizons. This read begins after the later one was
/// confirmed, so it sees all of them.
async fn concerned(
    database: &Database,
    project_ids: Vec<api_conventions::ids::ProjectId>,
    before: EventId,
    now: EventId,
) -> Result<FeedInterest, StoreError> {
    let filter = ProjectSetFilter {
        project_ids,
        days: Days::default(),
        ids: EventIdRange {
            first: None,
            end: Some(EventId::new(now.get().saturating_add(1))),
        },
        sort: SortOrder::Ascending,
        after_id: Some(before),
    };
    let found = database.read(Lane::Shared, move |tx| {
        tx.list_events_of_projects(&filter, MAX_EXAMINED)
    });
    let found: Vec<_> = found.await?;
    Ok(if found.len() < MAX_EXAMINED {
        FeedInterest::of(found.into_iter().map(|found| found.event.project_id))
    } else {
        FeedInterest::All
    })
}
