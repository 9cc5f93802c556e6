//! Ids that SDKs give to events.

use std::fmt;

/// Event id: 16 bytes that an SDK generated.
/// It is chosen by the sender, so two projects may have the same one, and it identifies nothing on this server by
/// itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId([u8; 16]);

impl EventId {
    /// Creates an id from its bytes; `None` for zeros, which some SDKs send if there is no id.
    pub fn from_bytes(bytes: [u8; 16]) -> Option<Self> {
        (bytes != [0; 16]).then_some(Self(bytes))
    }

    /// Generates an id from the bytes that `random` returns.
    /// Calls it again if they are all zero, which is no id.
    pub fn from_random(mut random: impl FnMut() -> [u8; 16]) -> Self {
        loop {
            if let Some(id) = Self::from_bytes(random()) {
                return id;
            }
        }
    }

    /// Parses 32 hexadecimal digits in either case, plain or with the dashes of a UUID.
    pub fn parse(text: &str) -> Option<Self> {
        let has_dashes = text.len() == 36;
        let dashes_are_right =
            |(place, byte): (usize, u8)| matches!(place, 8 | 13 | 18 | 23) == (byte == b'-');
        if has_dashes && !text.bytes().enumerate().all(dashes_are_right) {
            return None;
        }
        let mut digits = text.chars().filter(|c| !(has_dashes && *c == '-'));
        let mut bytes = [0; 16];
        for byte in &mut bytes {
            let high = digits.next()?.to_digit(16)?;
            let low = digits.next()?.to_digit(16)?;
            *byte = u8::try_from(high * 16 + low).ok()?;
        }
        if digits.next().is_some() {
            return None;
        }
        Self::from_bytes(bytes)
    }

    /// Bytes of the id, as stored.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for EventId {
    /// Writes 32 lower-case hexadecimal digits, the format of responses.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for EventId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "EventId({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_that_sdks_send_is_the_same_id() {
        let canonical = "fc6d8c0c43fc4630ad850ee518f1b9d0";
        for form in [
            canonical,
            "fc6d8c0c-43fc-4630-ad85-0ee518f1b9d0",
            "FC6D8C0C43FC4630AD850EE518F1B9D0",
            "FC6D8C0C-43FC-4630-AD85-0EE518F1B9D0",
        ] {
            assert_eq!(EventId::parse(form).unwrap().to_string(), canonical);
        }
    }

    #[test]
    fn malformed_event_ids_are_rejected() {
        for form in [
            "",
            "fc6d8c0c43fc4630ad850ee518f1b9d",
            "fc6d8c0c43fc4630ad850ee518f1b9d00",
            "gc6d8c0c43fc4630ad850ee518f1b9d0",
            "fc6d8c0c43fc-4630-ad85-0ee518f1b9d0-",
            "00000000000000000000000000000000",
            "fc6d8c0c43fc4630ad850ee518f1b9dä",
        ] {
            assert_eq!(EventId::parse(form), None, "{form}");
        }
    }
}
