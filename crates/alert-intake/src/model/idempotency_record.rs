//! Responses kept under the sender's idempotency key, by which retries are recognized.

use std::fmt;

use api_conventions::ids::{AlertIid, IntegrationId};
use api_conventions::time::Timestamp;
use sha2::{Digest as _, Sha256};

/// SHA-256 of a key or body that a sender sent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(transparent)
)]
pub struct ContentDigest([u8; 32]);

impl ContentDigest {
    /// Computes the digest of `content`.
    pub fn of(content: &[u8]) -> Self {
        Self(Sha256::digest(content).into())
    }

    /// Creates a digest from its bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Bytes to store.
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

/// Idempotency key of a POST and the digest of its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DeliveryKey {
    /// Digest of the `Idempotency-Key`.
    pub key: ContentDigest,
    /// Digest of the body: the same key with a different body is an error by the sender.
    pub body: ContentDigest,
}

/// Response to a POST that had a key. A retry gets it again.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct IdempotencyRecord {
    /// Endpoint that received the POST. Keys are separate for each endpoint.
    pub integration_id: IntegrationId,
    /// Key and body.
    pub key: DeliveryKey,
    /// Alerts that the POST touched, with their titles, in the order of the response.
    pub alerts: Vec<(AlertIid, String)>,
    /// Time at which the POST was received.
    #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
    pub received_at: Timestamp,
}

impl IdempotencyRecord {
    /// Lifetime of a kept response in seconds: one day. Senders that retry for longer must use a new key.
    pub const RETENTION_SECONDS: i64 = 86_400;
}
