//! Lenient parsing of values of any type.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// A value of any type. Text without escapes is borrowed from the body; objects are skipped.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) enum LenientValue<'b> {
    /// `null`, `false`, an object, or a missing value: nothing that can be shown.
    #[default]
    Absent,
    /// A string, or a number or `true` as text.
    Text(Cow<'b, str>),
    /// A list.
    List(Vec<LenientValue<'b>>),
}

impl LenientValue<'_> {
    /// Returns the text, unless it is blank.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text.trim()).filter(|text| !text.is_empty()),
            Self::Absent | Self::List(_) => None,
        }
    }

    /// Returns all texts that are not blank, in order, including those in nested lists.
    pub(super) fn texts(&self) -> Vec<&str> {
        match self {
            Self::List(items) => items.iter().flat_map(LenientValue::texts).collect(),
            Self::Text(_) | Self::Absent => self.text().into_iter().collect(),
        }
    }
}

impl<'de> Deserialize<'de> for LenientValue<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LenientVisitor)
    }
}

struct LenientVisitor;

impl<'de> Visitor<'de> for LenientVisitor {
    type Value = LenientValue<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(LenientValue::Absent)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(if value {
            LenientValue::Text(Cow::Borrowed("true"))
        } else {
            LenientValue::Absent
        })
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(LenientValue::Text(Cow::Owned(value.to_string())))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(LenientValue::Text(Cow::Owned(value.to_string())))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(LenientValue::Text(Cow::Owned(value.to_string())))
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(LenientValue::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(LenientValue::Text(Cow::Borrowed(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(LenientValue::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<FieldName<'de>, IgnoredValue>()?.is_some() {}
        Ok(LenientValue::Absent)
    }
}

/// Fields of an object with text values: labels and annotations. The last value of a repeated name wins; a value that
/// is not an object has no fields.
#[derive(Debug, Default)]
pub(super) struct TextMap<'b>(Vec<(Cow<'b, str>, LenientValue<'b>)>);

impl TextMap<'_> {
    /// Returns the value of a name, unless it is blank.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .rev()
            .find(|(candidate, _)| candidate == name)
            .and_then(|(_, value)| value.text())
    }

    /// Returns all names with their values as text, sorted by name, without duplicates.
    pub(super) fn sorted(&self) -> Vec<(&str, &str)> {
        let pairs = self
            .0
            .iter()
            .rev()
            .map(|(name, value)| (name.as_ref(), value.text().unwrap_or("")));
        let mut pairs: Vec<(&str, &str)> = pairs.collect();
        pairs.sort_by_key(|(name, _)| *name);
        pairs.dedup_by_key(|(name, _)| *name);
        pairs
    }
}

impl<'de> Deserialize<'de> for TextMap<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextMapVisitor)
    }
}

struct TextMapVisitor;

impl<'de> Visitor<'de> for TextMapVisitor {
    type Value = TextMap<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(TextMap::default())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(TextMap::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(TextMap::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(TextMap::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(TextMap::default())
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(TextMap::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_element::<IgnoredValue>()?.is_some() {}
        Ok(TextMap::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut pairs = Vec::with_capacity(map.size_hint().unwrap_or(8));
        while let Some(name) = map.next_key::<FieldName<'de>>()? {
            pairs.push((name.0, map.next_value()?));
        }
        Ok(TextMap(pairs))
    }
}

/// A value that is skipped. Unlike with `IgnoredAny`, it is parsed to the end, so that a lone surrogate or an
/// out-of-range number is found now and not when someone opens the payload.
pub(super) struct IgnoredValue;

impl<'de> Deserialize<'de> for IgnoredValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct IgnoredVisitor;

        impl<'de> Visitor<'de> for IgnoredVisitor {
            type Value = IgnoredValue;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any value")
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(IgnoredValue)
            }

            fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
                Ok(IgnoredValue)
            }

            fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
                Ok(IgnoredValue)
            }

            fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
                Ok(IgnoredValue)
            }

            fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
                Ok(IgnoredValue)
            }

            fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
                Ok(IgnoredValue)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
                while items.next_element::<IgnoredValue>()?.is_some() {}
                Ok(IgnoredValue)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                while map.next_entry::<FieldName<'de>, IgnoredValue>()?.is_some() {}
                Ok(IgnoredValue)
            }
        }

        deserializer.deserialize_any(IgnoredVisitor)
    }
}

/// The name of a field, borrowed where it has no escapes.
pub(super) struct FieldName<'b>(pub(super) Cow<'b, str>);

impl<'de> Deserialize<'de> for FieldName<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameVisitor;

        impl<'de> Visitor<'de> for NameVisitor {
            type Value = FieldName<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
                Ok(FieldName(Cow::Borrowed(name)))
            }

            fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
                Ok(FieldName(Cow::Owned(name.to_owned())))
            }
        }

        deserializer.deserialize_str(NameVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(json: &str) -> Vec<String> {
        let value: LenientValue<'_> = serde_json::from_str(json).unwrap();
        value.texts().into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn displayable_values_become_text() {
        let cases = [
            ("\" a\\n\"", vec!["a"]),
            ("12", vec!["12"]),
            ("-1.5", vec!["-1.5"]),
            ("true", vec!["true"]),
            ("false", vec![]),
            ("null", vec![]),
            ("\"  \"", vec![]),
            ("{\"a\":[1]}", vec![]),
            ("[\"a\",[1,[null,\"b\"]]]", vec!["a", "1", "b"]),
        ];
        for (json, expected) in cases {
            assert_eq!(texts(json), expected, "{json}");
        }
    }

    #[test]
    fn a_repeated_name_keeps_its_last_value() {
        let map: TextMap<'_> = serde_json::from_str(r#"{"b":1,"a":"x","b":"y"}"#).unwrap();
        assert_eq!(map.sorted(), [("a", "x"), ("b", "y")]);
        assert_eq!(map.get("b"), Some("y"));
    }

    #[test]
    fn labels_that_are_no_object_are_no_labels() {
        for json in ["null", "[1,{}]", "7", "\"x\"", "true", "1.5", "-3"] {
            let map: TextMap<'_> = serde_json::from_str(json).unwrap();
            assert!(map.sorted().is_empty(), "{json}");
        }
    }
}
