//! Body of a stream: reads the next events when the client has taken the previous ones, and waits for news.

use std::convert::Infallible;
use std::time::Duration;

use actix_web::web::Bytes;
use api_conventions::ids::EventId;
use events::rules::cursor::FeedCursor;
use futures_util::Stream;
use futures_util::stream::unfold;
use gatehouse_core::feed_watch::{FeedNews, Subscription};
use tokio::time::{Instant, timeout_at};
use web_conventions::event_stream::{StreamChunk, StreamClient};
use web_conventions::failure::Failure;

use super::batch::{IdsToRead, StreamBatch, StreamRead, StreamScope};
use super::reader::StreamReader;
use crate::frame::followed_caller::FollowedCaller;

/// Type of the messages.
const MESSAGE: &str = "activity";

/// Time after which a client reconnects.
const RETRY: Duration = Duration::from_secs(3);

/// Longest silence of a stream. Proxies close connections that are silent for longer, often after a minute.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Interval between checks of the credentials, and between looks for events in projects that the caller joined.
const CHECK: Duration = Duration::from_secs(2);

/// Pause after a failure of the store.
const PAUSE: Duration = Duration::from_secs(1);

/// Reason for the end of a stream whose caller was signed out, blocked, or has revoked the token.
const NOT_ADMITTED: &str = "the credentials are no longer valid";

/// Plan of a stream: what it has, from where on, and for how long.
pub(super) struct StreamPlan {
    /// Events of the stream.
    pub(super) scope: StreamScope,
    /// Position of the client.
    pub(super) cursor: FeedCursor,
    /// Event with which the stream ends if it only sends what is known already.
    pub(super) ends_with: Option<EventId>,
    /// Longest duration.
    pub(super) duration: Duration,
}

/// Outcome of a step of a stream.
enum StreamStep {
    /// Part to send.
    Send(StreamChunk),
    /// End, with its reason.
    End(&'static str),
    /// Nothing to send before this time, unless there are news.
    Wait(Instant),
}

/// Reader of the feed for one client.
pub(super) struct FeedFollower {
    caller: FollowedCaller,
    plan: StreamPlan,
    subscription: Subscription,
    client: StreamClient,
    reader: StreamReader,
    restarts: u64,
    has_begun: bool,
    has_ended: bool,
    /// True if events may be unread that concern the stream.
    has_news: bool,
    ends_at: Instant,
    sent_at: Instant,
    checked_at: Instant,
    paused_until: Instant,
}

/// Returns the messages of a stream.
pub(super) fn messages(
    follower: FeedFollower,
) -> impl Stream<Item = Result<Bytes, Infallible>> + 'static {
    unfold(follower, |mut follower| async move {
        let chunk = follower.next_chunk().await?;
        Some((Ok(chunk.into()), follower))
    })
}

impl FeedFollower {
    /// Creates a reader for a caller who has subscribed.
    pub(super) fn new(
        caller: FollowedCaller,
        plan: StreamPlan,
        subscription: Subscription,
    ) -> Self {
        let now = Instant::now();
        Self {
            client: StreamClient::of(caller.request()),
            reader: caller.request().app_data().cloned().unwrap_or_default(),
            restarts: subscription.take_news().restarts,
            has_begun: false,
            has_ended: false,
            has_news: true,
            ends_at: now + plan.duration,
            sent_at: now,
            checked_at: now,
            paused_until: now,
            caller,
            plan,
            subscription,
        }
    }

    /// Returns the next part of the stream; `None` at its end.
    async fn next_chunk(&mut self) -> Option<StreamChunk> {
        while !self.has_ended {
            match self.step().await {
                StreamStep::Send(chunk) => {
                    self.sent_at = Instant::now();
                    return Some(chunk);
                }
                StreamStep::End(reason) => {
                    self.has_ended = true;
                    return Some(self.last_chunk(reason));
                }
                StreamStep::Wait(until) => {
                    self.has_ended = tokio::select! {
                        _ = timeout_at(until, self.subscription.changed()) => false,
                        () = self.client.left() => true,
                    };
                }
            }
        }
        None
    }

    /// Decides what is next, and reads the next events if there may be some.
    async fn step(&mut self) -> StreamStep {
        let (news, now) = (self.subscription.take_news(), Instant::now());
        self.has_news |= news.is_relevant;
        if news.is_closed {
            return StreamStep::End("the server stops");
        }
        if now >= self.ends_at {
            return StreamStep::End("the time is over");
        }
        let is_check_due = now >= self.checked_at + CHECK;
        if is_check_due {
            self.checked_at = now;
            if !self.caller.is_admitted().await {
                return StreamStep::End(NOT_ADMITTED);
            }
        }
        let Some(horizon) = self.open_horizon(news) else {
            return self.idle(now);
        };
        if !self.has_begun {
            self.has_begun = true;
            return StreamStep::Send(self.first_chunk());
        }
        let ends_with = self.plan.ends_with;
        if ends_with.is_some_and(|last| self.plan.cursor.has_read_through(last)) {
            return StreamStep::End("all known events were sent");
        }
        let is_read_due = self.has_news || is_check_due || ends_with.is_some();
        if is_read_due && self.plan.cursor.is_behind(horizon) && now >= self.paused_until {
            return self.read(horizon).await;
        }
        self.idle(now)
    }

    /// Returns the horizon once the stream can begin.
    fn open_horizon(&mut self, news: FeedNews) -> Option<EventId> {
        let horizon = news.horizon?;
        if news.restarts != self.restarts {
            self.restarts = news.restarts;
            self.plan.cursor.go_back(horizon);
        }
        self.plan.cursor.is_open(horizon).then_some(horizon)
    }

    /// Waits, and sends a comment if the stream was silent for long.
    fn idle(&self, now: Instant) -> StreamStep {
        let heartbeat_at = self.sent_at + HEARTBEAT;
        if now >= heartbeat_at {
            let mut chunk = StreamChunk::default();
            chunk.comment("still here");
            return StreamStep::Send(chunk);
        }
        let mut until = heartbeat_at.min(self.ends_at).min(self.checked_at + CHECK);
        if self.paused_until > now {
            until = until.min(self.paused_until);
        }
        StreamStep::Wait(until)
    }

    /// Reads the next events up to the horizon.
    async fn read(&mut self, horizon: EventId) -> StreamStep {
        let ids = IdsToRead {
            after: self.plan.cursor.position(),
            through: horizon,
        };
        match self.next_batch(ids).await {
            Ok(Some(Some(batch))) => self.send(batch, horizon),
            Ok(Some(None)) => StreamStep::End("the project is no longer visible"),
            Ok(None) => StreamStep::End(NOT_ADMITTED),
            Err(_) => {
                self.has_news = true;
                self.paused_until = Instant::now() + PAUSE;
                StreamStep::Wait(self.paused_until)
            }
        }
    }

    /// Reads the next events in a range. Returns `None` if the credentials are no longer valid.
    async fn next_batch(&self, ids: IdsToRead) -> Result<Option<Option<StreamBatch>>, Failure> {
        let now = self.caller.now();
        let Some(viewer) = self.caller.viewer(now).await? else {
            return Ok(None);
        };
        let read = StreamRead {
            scope: self.plan.scope,
            ids,
            viewer,
            now,
        };
        let batch = self.reader.read(self.caller.database(), read).await?;
        // The credentials may have ended while the read waited.
        Ok(self.caller.is_admitted().await.then_some(batch))
    }

    /// Advances behind a batch of events, and returns their messages.
    fn send(&mut self, batch: StreamBatch, horizon: EventId) -> StreamStep {
        self.plan
            .cursor
            .advance(batch.found.last, batch.found.has_more, horizon);
        self.has_news = batch.found.has_more;
        self.subscription.set_interest(batch.found.interest.clone());
        let mut chunk = StreamChunk::default();
        for event in batch.events {
            let id = event.id.get();
            let shown = batch.found.context.show(event, self.caller.base_url());
            let shown = match self.plan.scope {
                StreamScope::Project(_) => shown,
                StreamScope::ProjectsOf(_) => shown.for_user_feed(),
            };
            match serde_json::to_string(&shown) {
                Ok(json) => chunk.message(id, MESSAGE, &json),
                Err(_) => return StreamStep::End("an event cannot be shown"),
            }
        }
        if chunk.is_empty() {
            return StreamStep::Wait(Instant::now());
        }
        StreamStep::Send(chunk)
    }

    /// Sends the position at which a client continues that gets no message before it reconnects.
    fn first_chunk(&self) -> StreamChunk {
        let mut chunk = StreamChunk::default();
        chunk.retry(RETRY);
        chunk.position(self.plan.cursor.position().get());
        chunk
    }

    fn last_chunk(&self, reason: &str) -> StreamChunk {
        let mut chunk = StreamChunk::default();
        if self.has_begun {
            chunk.position(self.plan.cursor.position().get());
        }
        chunk.comment(&format!("end: {reason}"));
        chunk
    }
}
