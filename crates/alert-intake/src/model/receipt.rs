//! Receipt of one POST: what was received and its outcome, or the reason for its refusal.

// An address as a value only: `core` makes no network connections.
use core::net::IpAddr;

use api_conventions::ids::{IntegrationId, ProjectId, ReceiptId};
use api_conventions::time::Timestamp;

use super::SenderContext;
use crate::rules::text::cut;

/// Counts of a POST's alerts by outcome. Each alert is counted exactly once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ReceiptCounts {
    /// New alerts.
    pub created: i64,
    /// Occurrences counted on an open alert.
    pub counted: i64,
    /// Resolved alerts, including those stored as already resolved.
    pub resolved: i64,
    /// Deliveries without news: retries, repeats and late reports.
    pub repeated: i64,
}

impl ReceiptCounts {
    /// Returns the number of all alerts of the POST.
    pub const fn total(self) -> i64 {
        self.created + self.counted + self.resolved + self.repeated
    }
}

/// Stored receipt of one POST.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Receipt {
    /// Id.
    pub id: ReceiptId,
    /// Content of the receipt.
    pub receipt: NewReceipt,
}

/// Receipt of one POST, written together with its alerts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NewReceipt {
    /// The project.
    pub project_id: ProjectId,
    /// The endpoint that received it.
    pub integration_id: IntegrationId,
    /// Time of receipt.
    #[cfg_attr(feature = "serde", serde(with = "api_conventions::stored::timestamp"))]
    pub received_at: Timestamp,
    /// Length of the body in bytes, after decompression; for a body refused unread, the announced length.
    pub body_bytes: i64,
    /// Counts of its alerts by outcome.
    pub counts: ReceiptCounts,
    /// Information from the sender about the POST as a whole.
    pub context: SenderContext,
    /// Refusal of the POST; `None` if it was stored. For a refused POST, nothing but this receipt is stored.
    pub refusal: Option<DeliveryRefusal>,
}

/// Refusal of one POST, as kept in its receipt.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DeliveryRefusal {
    /// HTTP status of the response.
    pub status: u16,
    /// Reason given to the sender, at most [`Self::MAX_REASON`] characters.
    pub reason: String,
    /// First characters of the body, at most [`Self::MAX_BODY_START`]; `None` if it was not read or is not text.
    pub body_start: Option<String>,
    /// Network that the POST came from.
    pub sender: SenderNetwork,
    /// Number of later refusals at the same endpoint that have no receipt of their own.
    pub further: i64,
}

impl DeliveryRefusal {
    /// Longest reason, in characters.
    pub const MAX_REASON: usize = 500;
    /// Longest start of a body, in characters.
    pub const MAX_BODY_START: usize = 200;

    /// Creates the record of a refusal; truncates the reason and the start of the body to their bounds. Replaces
    /// control characters by U+FFFD, because people read the record. A body that does not begin with UTF-8 text has no
    /// start.
    pub fn new(status: u16, reason: &str, body: Option<&[u8]>, sender: SenderNetwork) -> Self {
        Self {
            status,
            reason: cut(&printable(reason), Self::MAX_REASON),
            body_start: body.and_then(start_of),
            sender,
            further: 0,
        }
    }
}

/// Returns the first characters of a body. A character has at most four bytes, and the last one may be cut off in the
/// middle.
fn start_of(body: &[u8]) -> Option<String> {
    let most = DeliveryRefusal::MAX_BODY_START;
    let head = body.get(..body.len().min(most * 4))?;
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() && head.len() < body.len() => {
            std::str::from_utf8(head.get(..error.valid_up_to())?).ok()?
        }
        Err(_) => return None,
    };
    let start: String = text.chars().take(most).collect();
    Some(printable(&start)).filter(|start| !start.is_empty())
}

fn printable(text: &str) -> String {
    let shown = |c: char| {
        if c.is_control() && !matches!(c, '\n' | '\t') {
            '\u{fffd}'
        } else {
            c
        }
    };
    text.chars().map(shown).collect()
}

/// Network of a sender. A receipt keeps no address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
pub enum SenderNetwork {
    /// The machine of the server.
    Loopback,
    /// A private network.
    Private,
    /// The internet.
    Public,
    /// Unknown, as for a request without a connection.
    Unknown,
}

impl SenderNetwork {
    /// All networks with their names in JSON.
    const ALL: [(&str, Self); 4] = [
        ("loopback", Self::Loopback),
        ("private", Self::Private),
        ("public", Self::Public),
        ("unknown", Self::Unknown),
    ];

    /// Returns the network of an address.
    pub fn of(address: IpAddr) -> Self {
        let address = address.to_canonical();
        let is_private = match address {
            IpAddr::V4(address) => address.is_private() || address.is_link_local(),
            IpAddr::V6(address) => address.is_unique_local() || address.is_unicast_link_local(),
        };
        match (address.is_loopback(), is_private) {
            (true, _) => Self::Loopback,
            (false, true) => Self::Private,
            (false, false) => Self::Public,
        }
    }

    /// Returns the name in JSON and in stores.
    pub fn as_str(self) -> &'static str {
        let found = Self::ALL.into_iter().find(|(_, network)| *network == self);
        found.map_or("unknown", |(name, _)| name)
    }

    /// Parses the name of a network.
    pub fn parse(name: &str) -> Option<Self> {
        let found = Self::ALL.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, network)| network)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(body: &[u8]) -> Option<String> {
        DeliveryRefusal::new(400, "", Some(body), SenderNetwork::Unknown).body_start
    }

    #[test]
    fn the_start_of_a_body_is_text_without_control_characters_and_within_its_bound() {
        assert_eq!(start(b"{\"a\":\n"), Some("{\"a\":\n".to_owned()));
        assert_eq!(
            start(b"a\x1b[31m\0"),
            Some("a\u{fffd}[31m\u{fffd}".to_owned())
        );
        for not_text in [&b""[..], b"\xff\xfe", b"ab\xe2\x82"] {
            assert_eq!(start(not_text), None, "{not_text:?}");
        }
        let long = "\u{20ac}".repeat(1000);
        let kept = start(long.as_bytes()).unwrap();
        assert_eq!(kept.chars().count(), DeliveryRefusal::MAX_BODY_START);
    }

    #[test]
    fn an_address_is_kept_as_its_network_alone() {
        for (address, network) in [
            ("127.0.0.1", "loopback"),
            ("::1", "loopback"),
            ("::ffff:127.0.0.1", "loopback"),
            ("10.1.2.3", "private"),
            ("169.254.0.1", "private"),
            ("fd00::1", "private"),
            ("fe80::1", "private"),
            ("8.8.8.8", "public"),
            ("2001:db8::1", "public"),
        ] {
            let found = SenderNetwork::of(address.parse().unwrap());
            assert_eq!(found.as_str(), network, "{address}");
            assert_eq!(SenderNetwork::parse(network), Some(found));
        }
        assert_eq!(SenderNetwork::parse("Public"), None);
    }
}
