//! Reading of lists with a limit on their items.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// Creates a reader for lists of at most this many items.
pub(super) fn up_to(most: usize) -> ListReader {
    ListReader { most }
}

/// Reader for the raw texts of a list's items. Items beyond the limit are not kept, so that a list of millions costs no
/// memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct ListReader {
    most: usize,
}

impl ListReader {
    /// Returns the items; `None` if there are more than the limit. A value that is not a list is an error.
    pub(super) fn read(self, list: &RawValue) -> Result<Option<Vec<&RawValue>>, serde_json::Error> {
        self.deserialize(&mut serde_json::Deserializer::from_str(list.get()))
    }
}

impl<'de> DeserializeSeed<'de> for ListReader {
    type Value = Option<Vec<&'de RawValue>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for ListReader {
    type Value = Option<Vec<&'de RawValue>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while items.len() < self.most {
            match list.next_element()? {
                Some(item) => items.push(item),
                None => return Ok(Some(items)),
            }
        }
        let mut is_longer = false;
        while list.next_element::<IgnoredAny>()?.is_some() {
            is_longer = true;
        }
        Ok((!is_longer).then_some(items))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(list: &str, most: usize) -> Result<Option<usize>, serde_json::Error> {
        let raw: &RawValue = serde_json::from_str(list)?;
        Ok(up_to(most).read(raw)?.map(|items| items.len()))
    }

    #[test]
    fn a_list_is_read_up_to_its_limit() {
        for (list, most, expected) in [
            ("[]", 0, Some(0)),
            ("[1]", 0, None),
            ("[{},[2],3]", 3, Some(3)),
            ("[{},[2],3,4]", 3, None),
        ] {
            assert_eq!(count(list, most).unwrap(), expected, "{list}");
        }
        for other in ["{}", "null", "7", "\"[]\""] {
            assert!(count(other, 3).is_err(), "{other}");
        }
    }
}
