//! Envelopes: a line of JSON followed by items, each a line of JSON and a payload.

use api_conventions::time::Timestamp;
use serde_json::Value;

use super::dsn::{Dsn, DsnError};
use super::item::ItemKind;
use super::json;
use crate::model::EventId;

/// The longest line of a header, in bytes.
pub const MAX_HEADER: usize = 8 * 1024;
/// Items of an envelope that are processed; those beyond them are only counted.
pub const MAX_ITEMS: usize = 1000;

/// Envelope, which borrows its payloads from the body.
#[derive(Debug, Clone, PartialEq)]
pub struct Envelope<'b> {
    /// Event id in the envelope header.
    /// It takes precedence over the one in the payload.
    pub event_id: Option<EventId>,
    /// DSN with which an envelope authenticates itself, as sent.
    pub dsn: Option<String>,
    /// Time of sending, by the sender's clock.
    pub sent_at: Option<Timestamp>,
    /// The items in their order.
    pub items: Vec<Item<'b>>,
    /// Number of items beyond [`MAX_ITEMS`], of which nothing else is known.
    pub items_beyond: u64,
}

/// Item of an envelope.
#[derive(Debug, Clone, PartialEq)]
pub struct Item<'b> {
    /// Type of the item.
    pub kind: ItemKind,
    /// The header, an object.
    pub header: Value,
    /// The payload.
    pub payload: &'b [u8],
}

/// Reason why a body is not an envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MalformedEnvelope {
    /// The first line is not a JSON object.
    #[error("the first line of the envelope is not a JSON object")]
    Header,
    /// The first line of an item is not a JSON object with a type.
    #[error("the header of item {0} is not a JSON object with a type")]
    ItemHeader(usize),
    /// The length of an item is not a whole number, or exceeds the rest of the body.
    #[error("the length of item {0} is invalid")]
    Length(usize),
}

impl<'b> Envelope<'b> {
    /// Parses a body.
    ///
    /// # Errors
    /// The body is malformed. Items of unknown types are no error.
    pub fn parse(body: &'b [u8]) -> Result<Self, MalformedEnvelope> {
        let (header, mut rest) = line(body);
        let header = object(header).ok_or(MalformedEnvelope::Header)?;
        let mut items = Vec::new();
        let mut items_beyond = 0;
        while let Some((item, after)) = item(rest, items.len() + 1)? {
            rest = after;
            if items.len() < MAX_ITEMS {
                items.push(item);
            } else {
                items_beyond += 1;
            }
        }
        let text = |name| header.get(name).and_then(Value::as_str);
        Ok(Self {
            event_id: text("event_id").and_then(EventId::parse),
            dsn: text("dsn").map(str::to_owned),
            sent_at: text("sent_at").and_then(Timestamp::parse_rfc3339),
            items,
            items_beyond,
        })
    }

    /// Parses the DSN in the header, if there is one.
    ///
    /// # Errors
    /// The text is not a DSN.
    pub fn own_dsn(&self) -> Option<Result<Dsn, DsnError>> {
        self.dsn.as_deref().map(Dsn::parse)
    }
}

impl Item<'_> {
    /// Text value in the header.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.header.get(name).and_then(Value::as_str)
    }

    /// Number of entries in the payload of a container; 1 for any other item.
    pub fn count(&self) -> u64 {
        let count = self.header.get("item_count").and_then(Value::as_u64);
        count.unwrap_or(1)
    }
}

/// Parses the first item of a text, and returns it with the rest.
/// `None` at the end, which empty lines may precede.
fn item(rest: &[u8], number: usize) -> Result<Option<(Item<'_>, &[u8])>, MalformedEnvelope> {
    let blank = rest.iter().take_while(|byte| byte.is_ascii_whitespace());
    let rest = rest.get(blank.count()..).unwrap_or_default();
    if rest.is_empty() {
        return Ok(None);
    }
    let wrong_header = MalformedEnvelope::ItemHeader(number);
    let (header, rest) = line(rest);
    let header = object(header).ok_or(wrong_header)?;
    let kind = header.get("type").and_then(Value::as_str);
    let kind = ItemKind::of(kind.ok_or(wrong_header)?);
    let (payload, rest) = match header.get("length") {
        None | Some(Value::Null) => line(rest),
        Some(length) => {
            let wrong = MalformedEnvelope::Length(number);
            let length = length.as_u64().and_then(|length| length.try_into().ok());
            let (payload, rest) = rest.split_at_checked(length.ok_or(wrong)?).ok_or(wrong)?;
            match rest {
                [] => (payload, rest),
                [b'\n', rest @ ..] => (payload, rest),
                _ => return Err(wrong),
            }
        }
    };
    let item = Item {
        kind,
        header,
        payload,
    };
    Ok(Some((item, rest)))
}

/// Splits at the first line feed.
fn line(bytes: &[u8]) -> (&[u8], &[u8]) {
    match bytes.iter().position(|byte| *byte == b'\n') {
        Some(end) => (
            bytes.get(..end).unwrap_or_default(),
            bytes.get(end + 1..).unwrap_or_default(),
        ),
        None => (bytes, &[]),
    }
}

fn object(line: &[u8]) -> Option<Value> {
    let line = Some(line).filter(|line| line.len() <= MAX_HEADER)?;
    let read = json::read(line).ok()?;
    Some(read.value).filter(Value::is_object)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ID: &str = "fc6d8c0c43fc4630ad850ee518f1b9d0";

    fn payloads<'b>(envelope: &Envelope<'b>) -> Vec<(ItemKind, &'b str)> {
        let items = envelope.items.iter();
        items
            .map(|item| (item.kind, std::str::from_utf8(item.payload).unwrap()))
            .collect()
    }

    #[test]
    fn items_come_with_and_without_a_length() {
        let body = format!(
            "{{\"event_id\":\"{ID}\",\"sent_at\":\"2026-11-20T10:00:00.5Z\"}}\n\
             {{\"type\":\"event\",\"length\":14}}\n{{\"a\":\"one\\nx\"}}\n\
             {{\"type\":\"session\"}}\n{{\"sid\":1}}\n\
             {{\"type\":\"attachment\",\"length\":0}}\n\n\
             {{\"type\":\"odd\"}}\nlast"
        );
        let envelope = Envelope::parse(body.as_bytes()).unwrap();
        assert_eq!(envelope.event_id.unwrap().to_string(), ID);
        assert_eq!(envelope.sent_at.unwrap().as_micros() % 1_000_000, 500_000);
        assert_eq!(
            payloads(&envelope),
            [
                (ItemKind::Event, "{\"a\":\"one\\nx\"}"),
                (ItemKind::Session, "{\"sid\":1}"),
                (ItemKind::Attachment, ""),
                (ItemKind::Unknown, "last"),
            ]
        );
    }

    #[test]
    fn a_header_alone_is_an_envelope() {
        for body in ["{}", "{}\n", "{}\n\n\n"] {
            let envelope = Envelope::parse(body.as_bytes()).unwrap();
            assert!(envelope.items.is_empty(), "{body:?}");
            assert_eq!((envelope.event_id, envelope.sent_at), (None, None));
        }
    }

    #[test]
    fn a_payload_may_hold_line_feeds_and_keeps_its_carriage_return() {
        let body =
            b"{}\n{\"type\":\"attachment\",\"length\":5}\na\nb\nc\n{\"type\":\"event\"}\nx\r\n";
        let envelope = Envelope::parse(body).unwrap();
        assert_eq!(
            payloads(&envelope),
            [(ItemKind::Attachment, "a\nb\nc"), (ItemKind::Event, "x\r")]
        );
    }

    #[test]
    fn malformed_envelopes_are_rejected_with_the_faulty_part() {
        use MalformedEnvelope as Wrong;
        for (body, expected) in [
            ("", Wrong::Header),
            ("no", Wrong::Header),
            ("[]", Wrong::Header),
            ("{}\nno", Wrong::ItemHeader(1)),
            ("{}\n{}", Wrong::ItemHeader(1)),
            ("{}\n{\"type\":7}\n{}", Wrong::ItemHeader(1)),
            ("{}\n{\"type\":\"event\"}\n{}\n[]", Wrong::ItemHeader(2)),
            (
                "{}\n{\"type\":\"event\",\"length\":3}\n{}",
                Wrong::Length(1),
            ),
            (
                "{}\n{\"type\":\"event\",\"length\":1}\n{}",
                Wrong::Length(1),
            ),
            (
                "{}\n{\"type\":\"event\",\"length\":-1}\n{}",
                Wrong::Length(1),
            ),
            (
                "{}\n{\"type\":\"event\",\"length\":1.5}\n{}",
                Wrong::Length(1),
            ),
            (
                "{}\n{\"type\":\"event\",\"length\":18446744073709551615}\n{}",
                Wrong::Length(1),
            ),
            (
                "{}\n{\"type\":\"event\",\"length\":99999999999999999999}\n{}",
                Wrong::Length(1),
            ),
        ] {
            assert_eq!(Envelope::parse(body.as_bytes()), Err(expected), "{body}");
        }
        let long = format!("{{\"x\":\"{}\"}}", "y".repeat(MAX_HEADER));
        assert_eq!(Envelope::parse(long.as_bytes()), Err(Wrong::Header));
    }

    #[test]
    fn items_beyond_the_limit_are_counted_and_not_read() {
        let body = format!("{{}}\n{}", "{\"type\":\"session\"}\n{}\n".repeat(1500));
        let envelope = Envelope::parse(body.as_bytes()).unwrap();
        assert_eq!(
            (envelope.items.len(), envelope.items_beyond),
            (MAX_ITEMS, 500)
        );
    }

    proptest! {
        #[test]
        fn no_body_is_a_panic(body in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = Envelope::parse(&body);
        }

        #[test]
        fn any_payload_of_a_known_length_comes_through(
            payload in proptest::collection::vec(any::<u8>(), 0..300),
        ) {
            let mut body = format!("{{}}\n{{\"type\":\"attachment\",\"length\":{}}}\n", payload.len())
                .into_bytes();
            body.extend_from_slice(&payload);
            let envelope = Envelope::parse(&body).unwrap();
            prop_assert_eq!(envelope.items[0].payload, payload.as_slice());
        }
    }
}
