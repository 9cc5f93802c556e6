//! Submissions to publish, and the log of those that are held as spam (specification, Status codes).

use std::fmt;

use api_conventions::ids::{IssueIid, ProjectId, SnippetId, SpamLogId, UserId};
use api_conventions::time::Timestamp;
use sha2::{Digest as _, Sha256};

/// Maximum length of a title in the spam log, in characters: the limit for titles of issues.
pub const MAX_SPAM_TITLE: usize = 255;
/// Maximum length of a description in the spam log, in characters.
pub const MAX_SPAM_EXCERPT: usize = 1000;
/// Maximum number of spam log entries per user.
/// Only the latest are kept, so that no user can fill the log.
pub const MAX_SPAM_LOGS: usize = 100;
/// Maximum of the counter of holds, 2^48.
pub const MAX_HELD: u64 = 1 << 48;

api_conventions::named! {
    /// Reason why a text looks like spam.
    pub enum SpamReason {
        /// A pattern of the operator matches the text.
        Pattern = 0, "pattern";
        /// The text has more links than the operator permits.
        Links = 1, "links";
        /// A spam check service reports the text.
        Service = 2, "service";
    }
}

/// Resource that a submission is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SubmissionTarget {
    /// Issue with this number in its project; `None` for a new one.
    Issue(Option<IssueIid>),
    /// Snippet with this id; `None` for a new one.
    Snippet(Option<SnippetId>),
}

/// An issue or a snippet as it would be read if it were published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    /// Author.
    pub user_id: UserId,
    /// Project; `None` for a personal snippet.
    pub project_id: Option<ProjectId>,
    /// Issue or snippet.
    pub target: SubmissionTarget,
    /// Title.
    pub title: String,
    /// Description, with the files of a snippet; empty if there is none.
    pub description: String,
}

impl Submission {
    /// Digest that distinguishes the submission from all others of the same user.
    pub fn digest(&self) -> SubmissionDigest {
        let mut hash = Sha256::new();
        // Ids are greater than 0.
        let project = self.project_id.map_or(0, ProjectId::get);
        hash.update(project.to_be_bytes());
        match self.target {
            SubmissionTarget::Issue(iid) => {
                hash.update(iid.map_or(0, IssueIid::get).to_be_bytes());
            }
            SubmissionTarget::Snippet(id) => {
                hash.update(b"snippet");
                hash.update(id.map_or(0, SnippetId::get).to_be_bytes());
            }
        }
        // The length keeps the title and the description apart.
        let length = u64::try_from(self.title.len()).unwrap_or(u64::MAX);
        hash.update(length.to_be_bytes());
        hash.update(&self.title);
        hash.update(&self.description);
        SubmissionDigest(hash.finalize().into())
    }

    /// Spam log entry for the submission.
    pub fn to_spam_log(&self, reason: SpamReason, now: Timestamp) -> NewSpamLog {
        NewSpamLog {
            user_id: self.user_id,
            project_id: self.project_id,
            target: self.target,
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

/// A submission to be held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSpamLog {
    /// Author.
    pub user_id: UserId,
    /// Project; `None` for a personal snippet.
    pub project_id: Option<ProjectId>,
    /// Issue or snippet.
    pub target: SubmissionTarget,
    /// Digest that distinguishes the submission from all others of the user.
    pub digest: SubmissionDigest,
    /// Beginning of the title, at most [`MAX_SPAM_TITLE`] characters.
    pub title: String,
    /// Beginning of the description, at most [`MAX_SPAM_EXCERPT`] characters.
    pub excerpt: String,
    /// Reason why it looks like spam.
    pub reason: SpamReason,
    /// Current time.
    pub now: Timestamp,
}

impl NewSpamLog {
    /// The entry as stored under an id when the submission is held for the first time.
    pub fn stored(&self, id: SpamLogId) -> SpamLog {
        SpamLog {
            id,
            user_id: self.user_id,
            project_id: self.project_id,
            target: self.target,
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

/// Spam log entry: a submission that was held, once or repeatedly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpamLog {
    /// Id.
    pub id: SpamLogId,
    /// Author.
    pub user_id: UserId,
    /// Project; `None` for a personal snippet.
    pub project_id: Option<ProjectId>,
    /// Issue or snippet.
    pub target: SubmissionTarget,
    /// Digest that distinguishes the submission from all others of the user.
    pub digest: SubmissionDigest,
    /// Beginning of the title.
    pub title: String,
    /// Beginning of the description.
    pub excerpt: String,
    /// Reason of the last hold.
    pub reason: SpamReason,
    /// Number of holds, at most [`MAX_HELD`].
    pub held: u64,
    /// Time of the first hold.
    pub first_at: Timestamp,
    /// Time of the last hold.
    pub last_at: Timestamp,
    /// Time at which a user last solved a CAPTCHA to publish it.
    pub solved_at: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn submission(issue: Option<i64>, title: &str, description: &str) -> Submission {
        Submission {
            user_id: UserId::new(1),
            project_id: Some(ProjectId::new(2)),
            target: SubmissionTarget::Issue(issue.map(IssueIid::new)),
            title: title.to_owned(),
            description: description.to_owned(),
        }
    }

    #[test]
    fn a_digest_is_of_the_place_and_of_all_words() {
        let digest = submission(None, "ab", "c").digest();
        assert_eq!(digest, submission(None, "ab", "c").digest());
        let same_text = || submission(None, "ab", "c");
        for other in [
            Submission {
                project_id: Some(ProjectId::new(3)),
                ..same_text()
            },
            Submission {
                project_id: None,
                ..same_text()
            },
            Submission {
                target: SubmissionTarget::Snippet(None),
                ..same_text()
            },
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
        let entry = long
            .to_spam_log(SpamReason::Links, now)
            .stored(SpamLogId::new(1));
        assert_eq!(entry.excerpt.chars().count(), MAX_SPAM_EXCERPT);
        assert_eq!(entry.title.chars().count(), MAX_SPAM_TITLE);
        assert_eq!(
            (entry.held, entry.first_at, entry.solved_at),
            (1, now, None)
        );
        assert_eq!(entry.digest, long.digest());
    }
}
