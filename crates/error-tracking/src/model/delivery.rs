//! Content of a request, ready to be written.

use api_conventions::ids::{ClientKeyId, ProjectId};
use api_conventions::time::Timestamp;
use sha2::{Digest as _, Sha256};

use super::{ErrorFacts, EventId, Options, Outcome};
use crate::collector::{Attachment, CollectedCheckIn, CollectedEvent, RequestContent};
use crate::event::{EventUser, SharedPart};
use crate::grouping::{GroupKey, Grouping};
use crate::protocol::feedback::Comment;
use crate::protocol::item::Category;
use crate::protocol::sessions::SessionCount;
use crate::rules::tags::tags_of;

/// Content of a request, ready to be written: parsing, scrubbing, grouping and compression are done.
#[derive(Debug, Clone)]
pub struct EventDelivery {
    /// The project.
    pub project_id: ProjectId,
    /// Client key of the request.
    pub key_id: ClientKeyId,
    /// Time of receipt.
    pub received_at: Timestamp,
    /// Size of the body after decompression, in bytes.
    pub body_bytes: usize,
    /// The events.
    pub events: Vec<ArrivingEvent>,
    /// The attachments.
    pub attachments: Vec<Attachment>,
    /// User feedback.
    pub comments: Vec<Comment>,
    /// The sessions.
    pub sessions: Vec<SessionCount>,
    /// Check-ins of jobs.
    pub check_ins: Vec<CollectedCheckIn>,
    /// Counts of items that are not stored, and of items that the SDK discarded.
    pub losses: Vec<(Category, Outcome, i64)>,
    /// Storage limits of the project.
    pub limits: StorageLimits,
}

/// Storage limits of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StorageLimits {
    /// Events stored per day; `None` for no limit.
    pub events_per_day: Option<u64>,
    /// Events kept per grouping key.
    pub events_per_error: u32,
}

impl From<&Options> for StorageLimits {
    fn from(options: &Options) -> Self {
        Self {
            events_per_day: options.events_per_day,
            events_per_error: options.events_per_error,
        }
    }
}

impl EventDelivery {
    /// Creates the delivery from the parsed body of a request.
    pub fn of(
        collected: RequestContent,
        project_id: ProjectId,
        key_id: ClientKeyId,
        received_at: Timestamp,
        body_bytes: usize,
        limits: StorageLimits,
    ) -> Self {
        let dropped = collected
            .dropped
            .iter()
            .map(|one| (one.category, one.reason.into(), count(one.quantity)));
        let discarded = collected.discarded.iter().map(|one| {
            (
                one.category,
                Outcome::of_sdk(&one.reason),
                count(one.quantity),
            )
        });
        let losses = dropped.chain(discarded).collect();
        let events = collected.events.into_iter();
        Self {
            project_id,
            key_id,
            received_at,
            body_bytes,
            events: events.map(ArrivingEvent::of).collect(),
            attachments: collected.attachments,
            comments: collected.comments,
            sessions: collected.sessions,
            check_ins: collected.check_ins,
            losses,
            limits,
        }
    }

    /// Compresses the shared parts of events, except for those that are stored already.
    /// `is_known` returns true for these, by grouping key and digest. A store compresses such a part itself in the rare
    /// case that it does not have it.
    pub fn pack(&mut self, mut is_known: impl FnMut(GroupKey, &[u8; 16]) -> bool) {
        for event in &mut self.events {
            let key = event.grouping.key;
            if let Some(shared) = &mut event.shared
                && !is_known(key, shared.digest())
            {
                shared.pack();
            }
        }
    }

    /// True if there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
            && self.attachments.is_empty()
            && self.comments.is_empty()
            && self.sessions.is_empty()
            && self.check_ins.is_empty()
            && self.losses.is_empty()
    }

    /// Approximate size in memory, in bytes.
    pub fn weight(&self) -> usize {
        let events = self.events.iter().map(ArrivingEvent::weight).sum::<usize>();
        let files = self.attachments.iter().map(|file| file.bytes.len());
        let comments = self.comments.iter().map(|comment| comment.text.len());
        let few = self.sessions.len() * 300 + self.check_ins.len() * 1_000 + self.losses.len() * 32;
        size_of::<Self>() + events + files.chain(comments).sum::<usize>() + few
    }
}

fn count(quantity: u64) -> i64 {
    i64::try_from(quantity).unwrap_or(i64::MAX)
}

/// Event, ready to be written.
#[derive(Debug, Clone)]
pub struct ArrivingEvent {
    /// Id given by the SDK.
    pub id: EventId,
    /// Time of receipt, by the server's clock.
    pub received_at: Timestamp,
    /// Time of the event.
    pub occurred_at: Timestamp,
    /// Grouping key, with its explanation.
    pub grouping: Grouping,
    /// Title, culprit and other facts for lists.
    pub facts: ErrorFacts,
    /// The release.
    pub release: Option<String>,
    /// The environment.
    pub environment: Option<String>,
    /// User who was affected.
    pub user: Option<UserMark>,
    /// The tags that are counted, each name once.
    pub tags: Vec<(String, String)>,
    /// The event in its storage format.
    pub kept: Vec<u8>,
    /// Part that it shares with other events of its key, if that is split off.
    pub shared: Option<SharedPart>,
}

impl ArrivingEvent {
    /// Prepares an event, and compresses the part that is its own.
    pub fn of(collected: CollectedEvent) -> Self {
        let CollectedEvent { event, grouping } = collected;
        let report = event.report;
        let facts = ErrorFacts {
            title: report.title(),
            culprit: report.culprit(),
            location: report.location(),
            level: report.level,
            platform: report.platform.clone(),
        };
        let (release, environment) = (report.release.clone(), report.environment.clone());
        let user = report.user.as_ref().and_then(UserMark::of);
        let tags = tags_of(&report);
        let (kept, shared) = report.encode_shared();
        Self {
            id: event.id,
            received_at: event.received_at,
            occurred_at: event.occurred_at,
            grouping,
            facts,
            release,
            environment,
            user,
            tags,
            kept,
            shared,
        }
    }

    fn weight(&self) -> usize {
        let tags = self.tags.iter();
        let tags = tags.map(|(name, value)| name.len() + value.len() + 48);
        let inputs = self.grouping.explanation.inputs.iter();
        let inputs = inputs.map(|input| input.text.len() + 32);
        let shared = self.shared.as_ref().map_or(0, SharedPart::weight);
        size_of::<Self>() + self.kept.len() + shared + tags.chain(inputs).sum::<usize>() + 1024
    }
}

/// Digest by which users are counted, so that counting needs no names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserMark([u8; 16]);

impl UserMark {
    /// Creates the mark of a user; `None` if nothing distinguishes the user from others.
    pub fn of(user: &EventUser) -> Option<Self> {
        let digest = Sha256::digest(user.identity()?);
        let mut bytes = [0; 16];
        for (byte, of_digest) in bytes.iter_mut().zip(digest) {
            *byte = of_digest;
        }
        Some(Self(bytes))
    }

    /// Creates a mark from its stored bytes.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Bytes of the mark, as stored.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}
