//! Subscribers of the feed, each with a queue of one entry.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::Arc;

use api_conventions::ids::{ProjectId, UserId};
use tokio::sync::Notify;

/// Most projects of one subscriber that are distinguished. A subscriber of more is woken by all events.
const MAX_OF_ONE: usize = 1000;

/// Most projects of all subscribers that are distinguished. If there are more, all events wake all subscribers.
const MAX_OF_ALL: usize = 4000;

/// Projects whose events concern a subscriber, or a reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FeedInterest {
    /// All projects.
    All,
    /// Only some projects.
    Projects(BTreeSet<ProjectId>),
}

impl FeedInterest {
    /// Interest in these projects, or in all if there are too many to tell them apart.
    pub fn of(projects: impl IntoIterator<Item = ProjectId>) -> Self {
        let some: BTreeSet<ProjectId> = projects.into_iter().take(MAX_OF_ONE + 1).collect();
        if some.len() > MAX_OF_ONE {
            Self::All
        } else {
            Self::Projects(some)
        }
    }

    fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Projects(own), Self::Projects(others)) => !own.is_disjoint(others),
            _ => true,
        }
    }
}

/// Caller whose subscriptions are limited together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubscribedCaller {
    /// User, with any of their credentials.
    User(UserId),
    /// Address of callers without credentials; `None` if it is not known.
    Address(Option<IpAddr>),
}

/// Limits of simultaneous subscriptions.
#[derive(Debug, Clone, Copy)]
pub struct SubscriptionLimits {
    /// Most subscriptions in this process.
    pub total: usize,
    /// Most subscriptions of one caller in this process.
    pub per_caller: usize,
}

/// Reason why a caller cannot subscribe now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SubscribeError {
    /// The caller has as many subscriptions as one caller may have.
    #[error("too many streams of one caller")]
    TooManyOfCaller,
    /// This process has as many subscriptions as it may have.
    #[error("too many streams")]
    TooMany,
    /// The server stops.
    #[error("the server stops")]
    Closed,
}

/// Subscriber, with its queue: news of any number are one mark, because the events themselves are read from the store.
#[derive(Debug)]
struct Subscriber {
    caller: SubscribedCaller,
    interest: FeedInterest,
    has_news: bool,
    waker: Arc<Notify>,
}

/// All subscribers of a process.
#[derive(Debug, Default)]
pub(super) struct Subscribers {
    by_id: BTreeMap<u64, Subscriber>,
    last_id: u64,
    is_closed: bool,
}

impl Subscribers {
    /// Adds a subscriber who is interested in all events until it says otherwise. Returns its id.
    pub(super) fn add(
        &mut self,
        caller: SubscribedCaller,
        limits: SubscriptionLimits,
        waker: Arc<Notify>,
    ) -> Result<u64, SubscribeError> {
        if self.is_closed {
            return Err(SubscribeError::Closed);
        }
        let own = self.by_id.values().filter(|other| other.caller == caller);
        if own.count() >= limits.per_caller {
            return Err(SubscribeError::TooManyOfCaller);
        }
        if self.by_id.len() >= limits.total {
            return Err(SubscribeError::TooMany);
        }
        self.last_id += 1;
        let subscriber = Subscriber {
            caller,
            interest: FeedInterest::All,
            has_news: true,
            waker,
        };
        self.by_id.insert(self.last_id, subscriber);
        Ok(self.last_id)
    }

    pub(super) fn remove(&mut self, id: u64) {
        self.by_id.remove(&id);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    pub(super) fn set_interest(&mut self, id: u64, interest: FeedInterest) {
        if let Some(subscriber) = self.by_id.get_mut(&id) {
            subscriber.interest = interest;
        }
    }

    /// Returns the projects of all subscribers together.
    pub(super) fn interest(&self) -> FeedInterest {
        let mut all = BTreeSet::new();
        for subscriber in self.by_id.values() {
            // The news of a subscriber of everything need no search, and those of others do not depend on it.
            if let FeedInterest::Projects(projects) = &subscriber.interest {
                all.extend(projects);
            }
            if all.len() > MAX_OF_ALL {
                return FeedInterest::All;
            }
        }
        FeedInterest::Projects(all)
    }

    /// Puts news about these projects into the queues of those whom they concern, and wakes them.
    pub(super) fn publish(&mut self, about: &FeedInterest) {
        for subscriber in self.by_id.values_mut() {
            if subscriber.interest.overlaps(about) && !subscriber.has_news {
                subscriber.has_news = true;
                subscriber.waker.notify_one();
            }
        }
    }

    /// Takes the news from the queue of a subscriber; false if it is empty.
    pub(super) fn take_news(&mut self, id: u64) -> bool {
        let subscriber = self.by_id.get_mut(&id);
        subscriber.is_some_and(|subscriber| std::mem::take(&mut subscriber.has_news))
    }

    /// Ends all subscriptions, and accepts no others.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
        for subscriber in self.by_id.values() {
            subscriber.waker.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: SubscriptionLimits = SubscriptionLimits {
        total: 3,
        per_caller: 2,
    };

    fn add(subscribers: &mut Subscribers, user: i64) -> Result<u64, SubscribeError> {
        let caller = SubscribedCaller::User(UserId::new(user));
        subscribers.add(caller, LIMITS, Arc::default())
    }

    fn projects(ids: std::ops::Range<i64>) -> FeedInterest {
        FeedInterest::of(ids.map(ProjectId::new))
    }

    #[test]
    fn a_caller_and_all_callers_together_have_limits() {
        let mut all = Subscribers::default();
        let first = add(&mut all, 1).unwrap();
        add(&mut all, 1).unwrap();
        assert_eq!(add(&mut all, 1), Err(SubscribeError::TooManyOfCaller));
        add(&mut all, 2).unwrap();
        assert_eq!(add(&mut all, 3), Err(SubscribeError::TooMany));
        all.remove(first);
        add(&mut all, 1).unwrap();
        all.close();
        assert_eq!(add(&mut all, 3), Err(SubscribeError::Closed));
    }

    #[test]
    fn news_concern_subscribers_of_their_projects_and_take_one_place() {
        let mut all = Subscribers::default();
        let [one, two] = [1, 2].map(|user| add(&mut all, user).unwrap());
        // A new subscriber has everything to read.
        assert!(all.take_news(one) && all.take_news(two));
        all.set_interest(one, projects(1..3));
        all.set_interest(two, projects(3..5));
        assert_eq!(all.interest(), projects(1..5));
        for _ in 0..2 {
            all.publish(&projects(4..9));
        }
        assert!(!all.take_news(one));
        assert!(all.take_news(two) && !all.take_news(two));
        all.publish(&FeedInterest::All);
        assert!(all.take_news(one) && all.take_news(two));
    }

    #[test]
    fn too_many_projects_are_not_told_apart() {
        assert_eq!(projects(0..1001), FeedInterest::All);
        assert_ne!(projects(0..1000), FeedInterest::All);
        let limits = SubscriptionLimits {
            total: 10,
            per_caller: 10,
        };
        let mut all = Subscribers::default();
        for number in 0..5 {
            let caller = SubscribedCaller::Address(None);
            let id = all.add(caller, limits, Arc::default()).unwrap();
            all.set_interest(id, projects(number * 1000..number * 1000 + 999));
        }
        assert_eq!(all.interest(), FeedInterest::All);
    }
}
