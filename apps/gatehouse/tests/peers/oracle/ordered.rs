//! A JSON object with its keys in the order of the body, which the usual type does not keep.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Keys and values, in order. A duplicate key is kept twice.
#[derive(Debug)]
pub(crate) struct OrderedObject(pub(crate) Vec<(String, Value)>);

impl OrderedObject {
    /// Parses a body as an object.
    pub(crate) fn read(body: &[u8]) -> Option<Self> {
        serde_json::from_slice(body).ok()
    }

    /// The keys, separated by blanks.
    pub(crate) fn keys(&self) -> String {
        let keys: Vec<&str> = self.0.iter().map(|(key, _)| key.as_str()).collect();
        keys.join(" ")
    }

    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        let found = self.0.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value)
    }
}

impl<'de> Deserialize<'de> for OrderedObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PairsVisitor)
    }
}

struct PairsVisitor;

impl<'de> Visitor<'de> for PairsVisitor {
    type Value = OrderedObject;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<OrderedObject, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(OrderedObject(pairs))
    }
}

#[test]
fn keys_stay_in_the_order_of_the_text() {
    let object = OrderedObject::read(br#"{"z":1,"a":{"y":2},"m":3}"#).unwrap();
    assert_eq!(object.keys(), "z a m");
    assert!(OrderedObject::read(b"[1]").is_none());
}
