//! Answers that are kept under the key of a sender, so that a retry is known as one.

use std::fmt;

use api_conventions::ids::{AlertIid, IntegrationId};
use api_conventions::time::Timestamp;
use sha2::{Digest as _, Sha256};

/// The SHA-256 of something that a sender sent: its key, or its body.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(transparent)
)]
pub struct ContentDigest([u8; 32]);

impl ContentDigest {
    /// The digest of `content`.
    pub fn of(content: &[u8]) -> Self {
        Self(Sha256::digest(content).into())
    }

    /// The digest with these bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes to store.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for ContentDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .take(8)
            .try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// What a sender calls a POST (its `Idempotency-Key`), and what was in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DeliveryKey {
    /// The digest of the key.
    pub key: ContentDigest,
    /// The digest of the body: the same key with another body is a mistake of the sender.
    pub body: ContentDigest,
}

/// The answer to a POST that had a key. A retry gets it again.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct KeptAnswer {
    /// The endpoint that received the POST. Keys of different endpoints have nothing to do with each other.
    pub integration_id: IntegrationId,
    /// The key and the body.
    pub key: DeliveryKey,
    /// The alerts that the POST touched, with their titles, in the order of the answer.
    pub alerts: Vec<(AlertIid, String)>,
    /// When the POST came.
    #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
    pub received_at: Timestamp,
}

impl KeptAnswer {
    /// How long an answer counts, in seconds: a day. Senders that retry for longer make new keys.
    pub const KEPT_SECONDS: i64 = 86_400;
}
