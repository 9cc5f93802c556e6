//! Parsing of oversized events.
//! Texts and lists are cut while they are parsed, ever shorter until the rest fits, so that a body of any size takes
//! little memory and an event is never lost because one of its fields is long.

use std::cell::Cell;
use std::collections::VecDeque;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::json::{self, JsonError};
use crate::event::CUT;

/// Bounds of one attempt.
struct Bounds {
    /// Longest text, in bytes.
    text: usize,
    /// Entries of a list: a quarter of them from its beginning, the others from its end, where the newest are.
    entries: usize,
}

/// Attempts, in order.
/// Nearly every large event has a few long texts, which the first attempt cuts.
const ATTEMPTS: [Bounds; 4] = [
    Bounds {
        text: 32 * 1024,
        entries: 400,
    },
    Bounds {
        text: 4 * 1024,
        entries: 200,
    },
    Bounds {
        text: 512,
        entries: 100,
    },
    Bounds {
        text: 64,
        entries: 40,
    },
];
/// Names of one object that are kept.
const MAX_NAMES: usize = 500;
/// The longest name, in bytes.
const MAX_NAME_LENGTH: usize = 200;
/// Overhead of a value besides its text, in bytes.
const VALUE: usize = 32;
/// Divisor of the whole size that gives the limit of each field.
/// Fields share no room, so a large one takes nothing from those after it.
const FIELDS: usize = 4;

/// Parses a JSON text, keeping about `most` bytes of it, and returns true if something was left out.
/// A text that is no longer than that is parsed as [`json::read`] does.
///
/// # Errors
/// The text is not JSON.
pub fn read_within(bytes: &[u8], most: usize) -> Result<(Value, bool), JsonError> {
    if bytes.len() <= most {
        return Ok((json::read(bytes)?.value, false));
    }
    let (value, _) = json::parse_with(bytes, |text| {
        let [attempts @ .., last] = &ATTEMPTS;
        for bounds in attempts {
            if let Some(value) = attempt(text, bounds, most, OnOverflow::Attempt)? {
                return Ok(value);
            }
        }
        Ok(attempt(text, last, most, OnOverflow::Field)?.unwrap_or_default())
    })?;
    Ok((value, true))
}

/// Consequence of a field that has no room left.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OnOverflow {
    /// The attempt ends: the next one keeps less of everything.
    Attempt,
    /// Only the field ends.
    Field,
}

/// Parses the value; `None` if this attempt keeps too much.
fn attempt(
    text: &str,
    bounds: &Bounds,
    most: usize,
    ends: OnOverflow,
) -> Result<Option<Value>, serde_json::Error> {
    let of_field = most / FIELDS;
    let (left, is_over) = (Cell::new(of_field), Cell::new(false));
    let part = ValueSeed {
        bounds,
        of_field,
        left: &left,
        is_over: (ends == OnOverflow::Attempt).then_some(&is_over),
        is_top: true,
    };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = part.deserialize(&mut deserializer);
    if is_over.get() {
        return Ok(None);
    }
    let value = value?;
    deserializer.end()?;
    Ok(Some(value))
}

/// Value within the text, and the limits on what is kept of it.
#[derive(Clone, Copy)]
struct ValueSeed<'p> {
    bounds: &'p Bounds,
    of_field: usize,
    left: &'p Cell<usize>,
    /// Flag that is set when a field exceeds its room, if that ends the attempt.
    is_over: Option<&'p Cell<bool>>,
    /// True for the whole value, or for an entry of a list that is the whole value.
    is_top: bool,
}

impl ValueSeed<'_> {
    fn inner(self) -> Self {
        Self {
            is_top: false,
            ..self
        }
    }

    fn is_spent(self) -> bool {
        self.left.get() == 0
    }

    /// Takes room; false if there is too little.
    /// Fails if that ends the attempt.
    fn take<E: Error>(self, bytes: usize) -> Result<bool, E> {
        let is_room = bytes < self.left.get();
        self.left.set(self.left.get().saturating_sub(bytes));
        match self.is_over {
            Some(is_over) if !is_room => {
                is_over.set(true);
                Err(E::custom("a field is too large"))
            }
            _ => Ok(is_room),
        }
    }

    fn scalar<E: Error>(self, value: Value) -> Result<Value, E> {
        Ok(if self.take(VALUE)? {
            value
        } else {
            Value::Null
        })
    }
}

impl<'de> DeserializeSeed<'de> for ValueSeed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueSeed<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        self.scalar(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        self.scalar(Value::from(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        self.scalar(Value::from(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        self.scalar(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        self.scalar(Value::Null)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        let text = cut_bytes(text, self.bounds.text);
        Ok(Value::String(if self.take(VALUE + text.len())? {
            text
        } else {
            CUT.to_owned()
        }))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let of_beginning = self.bounds.entries / 4;
        let of_end = self.bounds.entries - of_beginning;
        let part = if self.is_top { self } else { self.inner() };
        let mut kept = Vec::new();
        let mut end: VecDeque<(Value, usize)> = VecDeque::new();
        self.take::<A::Error>(VALUE)?;
        loop {
            if self.is_spent() {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                break;
            }
            let before = self.left.get();
            let Some(value) = list.next_element_seed(part)? else {
                break;
            };
            if kept.len() < of_beginning {
                kept.push(value);
                continue;
            }
            end.push_back((value, before.saturating_sub(self.left.get())));
            if end.len() > of_end
                && let Some((_, cost)) = end.pop_front()
            {
                self.left.set(self.left.get() + cost);
            }
        }
        kept.extend(end.into_iter().map(|(value, _)| value));
        Ok(Value::Array(kept))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut kept = Map::new();
        if !self.is_top {
            self.take::<A::Error>(VALUE)?;
        }
        while let Some(name) = object.next_key::<String>()? {
            if self.is_top {
                self.left.set(self.of_field);
            }
            if self.is_spent() || kept.len() == MAX_NAMES {
                object.next_value::<IgnoredAny>()?;
                continue;
            }
            let name = cut_bytes(&name, MAX_NAME_LENGTH);
            self.take::<A::Error>(name.len())?;
            kept.insert(name, object.next_value_seed(self.inner())?);
        }
        Ok(Value::Object(kept))
    }
}

/// Cuts a text to `most` bytes, or little more: the mark of a cut text is added.
fn cut_bytes(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let mut end = most;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut kept = text.get(..end).unwrap_or_default().to_owned();
    kept.push_str(CUT);
    kept
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const MAX_BYTES: usize = 1 << 20;

    fn shortened(value: &Value) -> Value {
        let text = value.to_string();
        assert!(text.len() > MAX_BYTES, "the test has a large value");
        let (kept, is_cut) = read_within(text.as_bytes(), MAX_BYTES).unwrap();
        assert!(is_cut);
        kept
    }

    #[test]
    fn bodies_within_the_limit_are_read_unchanged() {
        let value = json!({"a": "x".repeat(40_000), "b": (0..1000).collect::<Vec<u32>>()});
        let read = read_within(value.to_string().as_bytes(), MAX_BYTES).unwrap();
        assert_eq!(read, (value, false));
    }

    #[test]
    fn a_long_text_is_truncated_and_other_fields_are_kept() {
        let kept = shortened(&json!({
            "extra": {"log": "ä".repeat(MAX_BYTES), "small": "stays"},
            "exception": {"values": [{"type": "E", "value": "it failed"}]},
        }));
        let log = kept["extra"]["log"].as_str().unwrap();
        assert!(log.len() <= 32 * 1024 + CUT.len() && log.ends_with(CUT));
        assert_eq!(kept["extra"]["small"], "stays");
        assert_eq!(kept["exception"]["values"][0]["value"], "it failed");
    }

    #[test]
    fn many_long_texts_are_cut_shorter() {
        let frames: Vec<Value> = (0..300)
            .map(|number| json!({"lineno": number, "vars": {"data": "y".repeat(20_000)}}))
            .collect();
        let kept =
            shortened(&json!({"exception": {"stacktrace": {"frames": frames}}, "message": "m"}));
        let frames = kept["exception"]["stacktrace"]["frames"]
            .as_array()
            .unwrap();
        assert_eq!(
            frames.last().unwrap()["lineno"],
            299,
            "the newest call stays"
        );
        assert_eq!(frames[0]["lineno"], 0);
        assert!(kept.to_string().len() < MAX_BYTES);
        assert_eq!(kept["message"], "m");
    }

    #[test]
    fn a_flood_of_values_costs_its_own_field_alone() {
        let mut nested = json!(1);
        for _ in 0..4 {
            nested = Value::Array(vec![nested; 24]);
        }
        let kept = shortened(&json!({"a": nested.clone(), "b": nested, "message": "m"}));
        assert_eq!(kept["message"], "m");
        assert!(
            kept.to_string().len() < MAX_BYTES,
            "{}",
            kept.to_string().len()
        );
        let kept = shortened(&json!([{"extra": "x".repeat(2 * MAX_BYTES), "message": "m"}]));
        assert_eq!(kept[0]["message"], "m");
    }

    #[test]
    fn large_bodies_are_parsed_as_leniently_as_small_ones() {
        let text = format!(
            r#"{{"a": NaN, "b": "\ud800", "c": "{}"}}"#,
            "x".repeat(MAX_BYTES)
        );
        let (kept, _) = read_within(text.as_bytes(), MAX_BYTES).unwrap();
        assert_eq!((&kept["a"], &kept["b"]), (&Value::Null, &json!("\u{fffd}")));
        for wrong in [
            format!("{text} 1"),
            format!("[{text}"),
            "x".repeat(MAX_BYTES + 1),
        ] {
            assert!(read_within(wrong.as_bytes(), MAX_BYTES).is_err());
        }
    }
}
