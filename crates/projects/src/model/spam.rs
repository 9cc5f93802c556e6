//! What people want to publish, and what is held of it because it looks like spam (specification, Status codes).

use std::fmt;

use api_conventions::ids::{IssueIid, ProjectId, SpamLogId, UserId};
use api_conventions::time::Timestamp;
use sha2::{Digest as _, Sha256};

/// How many characters of a title the log of spam keeps: as many as an issue may have.
pub const MAX_SPAM_TITLE: usize = 255;
/// How many characters of a description the log of spam keeps.
pub const MAX_SPAM_EXCERPT: usize = 1000;
/// How many entries of a user the log of spam keeps: the last ones. So nobody fills it, however much is sent.
pub const MAX_SPAM_LOGS: usize = 100;
/// The greatest count of how often a text was held, 2^48.
pub const MAX_HELD: u64 = 1 << 48;

api_conventions::named! {
    /// Why a text looks like spam.
    pub enum SpamReason {
        /// A pattern of the operator matches it.
        Pattern = 0, "pattern";
        /// It has more links than the operator permits.
        Links = 1, "links";
        /// A service that judges texts says so.
        Service = 2, "service";
    }
}

/// An issue as it would be read if it were published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    /// Who publishes it.
    pub user_id: UserId,
    /// Where.
    pub project_id: ProjectId,
    /// The issue that is changed; `None` for one that is made.
    pub issue: Option<IssueIid>,
    /// Its title.
    pub title: String,
    /// Its description; empty where it has none.
    pub description: String,
}

impl Submission {
    /// What tells it from every other submission of the same user.
    pub fn digest(&self) -> SubmissionDigest {
        let mut hash = Sha256::new();
        hash.update(self.project_id.get().to_be_bytes());
        hash.update(self.issue.map_or(0, IssueIid::get).to_be_bytes());
        // The length keeps the title and the description apart.
        let length = u64::try_from(self.title.len()).unwrap_or(u64::MAX);
        hash.update(length.to_be_bytes());
        hash.update(&self.title);
        hash.update(&self.description);
        SubmissionDigest(hash.finalize().into())
    }

    /// The entry of the log that it becomes.
    pub fn held(&self, reason: SpamReason, now: Timestamp) -> NewSpamLog {
        NewSpamLog {
            user_id: self.user_id,
            project_id: self.project_id,
            issue: self.issue,
            digest: self.digest(),
            title: self.title.chars().take(MAX_SPAM_TITLE).collect(),
            excerpt: self.description.chars().take(MAX_SPAM_EXCERPT).collect(),
            reason,
            now,
        }
    }
}

/// The SHA-256 of a submission.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubmissionDigest([u8; 32]);

impl SubmissionDigest {
    /// The digest with these bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes to store.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for SubmissionDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = self.0.iter().take(8);
        first.try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// What is to be held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSpamLog {
    /// Who sent it.
    pub user_id: UserId,
    /// Where it was to be published.
    pub project_id: ProjectId,
    /// The issue that was to be changed; `None` for one that was to be made.
    pub issue: Option<IssueIid>,
    /// What tells it from every other submission of the user.
    pub digest: SubmissionDigest,
    /// The beginning of its title, at most [`MAX_SPAM_TITLE`] characters.
    pub title: String,
    /// The beginning of its description, at most [`MAX_SPAM_EXCERPT`] characters.
    pub excerpt: String,
    /// Why it looks like spam.
    pub reason: SpamReason,
    /// Now.
    pub now: Timestamp,
}

impl NewSpamLog {
    /// The entry that it becomes under an id when it is held for the first time.
    pub fn stored(&self, id: SpamLogId) -> SpamLog {
        SpamLog {
            id,
            user_id: self.user_id,
            project_id: self.project_id,
            issue: self.issue,
            digest: self.digest,
            title: self.title.clone(),
            excerpt: self.excerpt.clone(),
            reason: self.reason,
            held: 1,
            first_at: self.now,
            last_at: self.now,
            solved_at: None,
        }
    }
}

/// An entry of the log of spam: a submission that was held, once or again and again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpamLog {
    /// Its id.
    pub id: SpamLogId,
    /// Who sent it.
    pub user_id: UserId,
    /// Where it was to be published.
    pub project_id: ProjectId,
    /// The issue that was to be changed; `None` for one that was to be made.
    pub issue: Option<IssueIid>,
    /// What tells it from every other submission of the user.
    pub digest: SubmissionDigest,
    /// Its title.
    pub title: String,
    /// The beginning of its description.
    pub excerpt: String,
    /// Why it looked like spam when it was held last.
    pub reason: SpamReason,
    /// How often it was held, at most [`MAX_HELD`].
    pub held: u64,
    /// When it was held first.
    pub first_at: Timestamp,
    /// When it was held last.
    pub last_at: Timestamp,
    /// When somebody last solved a CAPTCHA to have it published.
    pub solved_at: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn submission(issue: Option<i64>, title: &str, description: &str) -> Submission {
        Submission {
            user_id: UserId::new(1),
            project_id: ProjectId::new(2),
            issue: issue.map(IssueIid::new),
            title: title.to_owned(),
            description: description.to_owned(),
        }
    }

    #[test]
    fn a_digest_is_of_the_place_and_of_all_words() {
        let digest = submission(None, "ab", "c").digest();
        assert_eq!(digest, submission(None, "ab", "c").digest());
        let mut elsewhere = submission(None, "ab", "c");
        elsewhere.project_id = ProjectId::new(3);
        for other in [
            elsewhere,
            submission(Some(1), "ab", "c"),
            submission(None, "a", "bc"),
            submission(None, "ab", "c "),
        ] {
            assert_ne!(digest, other.digest(), "{other:?}");
        }
    }

    #[test]
    fn the_log_keeps_the_beginning_of_long_texts() {
        let long = submission(None, &"ö".repeat(5000), &"ä".repeat(5000));
        let now = Timestamp::from_micros(7).unwrap();
        let entry = long.held(SpamReason::Links, now).stored(SpamLogId::new(1));
        assert_eq!(entry.excerpt.chars().count(), MAX_SPAM_EXCERPT);
        assert_eq!(entry.title.chars().count(), MAX_SPAM_TITLE);
        assert_eq!(
            (entry.held, entry.first_at, entry.solved_at),
            (1, now, None)
        );
        assert_eq!(entry.digest, long.digest());
    }
}
