//! What a request brings, ready to be written.

use api_conventions::ids::{ClientKeyId, ProjectId};
use api_conventions::time::Timestamp;
use sha2::{Digest as _, Sha256};

use super::{ErrorFacts, EventId, Options, Outcome};
use crate::collect::{Attachment, Collected, CollectedEvent};
use crate::event::{SharedPart, User};
use crate::grouping::{GroupKey, Grouping};
use crate::protocol::feedback::Comment;
use crate::protocol::item::Category;
use crate::protocol::sessions::SessionCount;
use crate::rules::tags::tags_of;

/// What a request brings, ready to be written: reading, scrubbing, grouping and compressing are done.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// The project.
    pub project_id: ProjectId,
    /// The key that it came with.
    pub key_id: ClientKeyId,
    /// When it came.
    pub received_at: Timestamp,
    /// The bytes of its body after they were unpacked.
    pub body_bytes: usize,
    /// The events.
    pub events: Vec<ArrivingEvent>,
    /// The files.
    pub attachments: Vec<Attachment>,
    /// What users wrote.
    pub comments: Vec<Comment>,
    /// The sessions.
    pub sessions: Vec<SessionCount>,
    /// What is not stored of it, and what the SDK did not send.
    pub losses: Vec<(Category, Outcome, i64)>,
    /// How much of the project is stored.
    pub limits: StorageLimits,
}

/// How much of a project is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StorageLimits {
    /// Events of a day; `None` for any number.
    pub events_per_day: Option<u64>,
    /// Events of one key that are kept.
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

impl Delivery {
    /// What was collected from the body of a request.
    pub fn of(
        collected: Collected,
        (project_id, key_id): (ProjectId, ClientKeyId),
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
            losses,
            limits,
        }
    }

    /// Compresses what events share with others, but for those parts that `is_known` says are stored already, by the key and the
    /// digest of the part: a store then compresses them itself, in the rare case that it does not have them.
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

    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
            && self.attachments.is_empty()
            && self.comments.is_empty()
            && self.sessions.is_empty()
            && self.losses.is_empty()
    }

    /// What it has in memory, in bytes, about.
    pub fn weight(&self) -> usize {
        let events = self.events.iter().map(ArrivingEvent::weight).sum::<usize>();
        let files = self.attachments.iter().map(|file| file.bytes.len());
        let comments = self.comments.iter().map(|comment| comment.text.len());
        let few = self.sessions.len() * 300 + self.losses.len() * 32;
        size_of::<Self>() + events + files.chain(comments).sum::<usize>() + few
    }
}

fn count(quantity: u64) -> i64 {
    i64::try_from(quantity).unwrap_or(i64::MAX)
}

/// An event, ready to be written.
#[derive(Debug, Clone)]
pub struct ArrivingEvent {
    /// The id that its SDK gave it.
    pub id: EventId,
    /// When it came, by our clock.
    pub received_at: Timestamp,
    /// When it happened.
    pub occurred_at: Timestamp,
    /// What it is put to others by, and why.
    pub grouping: Grouping,
    /// What it says in short.
    pub facts: ErrorFacts,
    /// The release.
    pub release: Option<String>,
    /// The environment.
    pub environment: Option<String>,
    /// Whom it happened to.
    pub user: Option<UserMark>,
    /// The tags that are counted, each name once.
    pub tags: Vec<(String, String)>,
    /// The event, in the form in which it is kept.
    pub kept: Vec<u8>,
    /// What it has in common with others of its key, if that is set apart.
    pub shared: Option<SharedPart>,
}

impl ArrivingEvent {
    /// Gets an event ready. What is its own is compressed here.
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
        let (kept, shared) = report.into_kept();
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

/// What users are counted by: a digest of what distinguishes one, so that counting needs no names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserMark([u8; 16]);

impl UserMark {
    /// The mark of a user; none when nothing distinguishes them.
    pub fn of(user: &User) -> Option<Self> {
        let digest = Sha256::digest(user.identity()?);
        let mut bytes = [0; 16];
        for (byte, of_digest) in bytes.iter_mut().zip(digest) {
            *byte = of_digest;
        }
        Some(Self(bytes))
    }

    /// The mark of these bytes.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The bytes, as rows keep them.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}
