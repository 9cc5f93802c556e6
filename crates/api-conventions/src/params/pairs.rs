//! Parsing of `name[key]=value` pairs in query strings and forms.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use super::{MAX_NESTING, MAX_PAIRS};
use crate::error::ApiError;

/// Step of a name: `[key]` or `[]`.
enum KeyStep<'n> {
    Key(&'n str),
    Append,
}

pub(super) fn decode(text: &str) -> Result<Map<String, Value>, ApiError> {
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    gather(pairs.map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Ok((unescape(name)?, unescape(value)?))
    }))
}

/// Collects pairs that were not escaped.
pub(super) fn of_fields(fields: &[(String, String)]) -> Result<Map<String, Value>, ApiError> {
    gather(fields.iter().map(|(name, value)| {
        let texts = [name, value].map(|text| Cow::Borrowed(text.as_str()));
        if texts.iter().any(|text| text.contains('\0')) {
            return Err(not_text());
        }
        let [name, value] = texts;
        Ok((name, value))
    }))
}

type DecodedPair<'t> = Result<(Cow<'t, str>, Cow<'t, str>), ApiError>;

fn gather<'t>(
    pairs: impl Iterator<Item = DecodedPair<'t>>,
) -> Result<Map<String, Value>, ApiError> {
    let mut root = Map::new();
    for (count, pair) in pairs.enumerate() {
        if count >= MAX_PAIRS {
            let reason = format!("more than {MAX_PAIRS} parameters");
            return Err(ApiError::bad_request(&reason));
        }
        let (name, value) = pair?;
        let (first, steps) = split_name(&name)?;
        if !first.is_empty() {
            if SINGLE.contains(&first) && root.get(first).is_some_and(|earlier| *earlier != *value)
            {
                return Err(sent_twice(first));
            }
            let slot = root.entry(first).or_insert(Value::Null);
            insert(slot, &steps, value.into_owned()).ok_or_else(|| used_in_two_ways(first))?;
        }
    }
    Ok(root
        .into_iter()
        .map(|(name, value)| (name, numbered_to_list(value)))
        .collect())
}

/// Parameters that identify the caller or the acting user. With two different values, any choice could be wrong.
const SINGLE: [&str; 4] = ["access_token", "job_token", "private_token", "sudo"];

fn sent_twice(name: &str) -> ApiError {
    let reason = format!("send {name} once: it has two different values");
    if name == "access_token" {
        // RFC 6750, section 3.1, defines an error code for this.
        ApiError::invalid_token_request(&reason)
    } else {
        ApiError::bad_request(&reason)
    }
}

fn not_text() -> ApiError {
    ApiError::bad_request("a parameter is not UTF-8 text or contains a NUL character")
}

fn used_in_two_ways(name: &str) -> ApiError {
    ApiError::invalid_parameters(&[format!("{name} is invalid")])
}

/// Decodes `+` and the percent escapes, once.
fn unescape(text: &str) -> Result<Cow<'_, str>, ApiError> {
    let spaced: Cow<'_, str> = if text.contains('+') {
        Cow::Owned(text.replace('+', " "))
    } else {
        Cow::Borrowed(text)
    };
    let decoded = match percent_decode_str(&spaced)
        .decode_utf8()
        .map_err(|_| not_text())?
    {
        Cow::Owned(decoded) => Cow::Owned(decoded),
        // Nothing was percent-encoded, so the text is unchanged.
        Cow::Borrowed(_) => spaced,
    };
    if decoded.contains('\0') {
        Err(not_text())
    } else {
        Ok(decoded)
    }
}

/// Splits `name[a][]` into `name` and its steps. An unclosed bracket is part of the name.
fn split_name(name: &str) -> Result<(&str, Vec<KeyStep<'_>>), ApiError> {
    let well_formed = name.ends_with(']') && !name.starts_with('[');
    let Some((first, rest)) = name.split_once('[').filter(|_| well_formed) else {
        return Ok((name, Vec::new()));
    };
    let inside = rest.strip_suffix(']').unwrap_or(rest);
    let steps: Vec<KeyStep<'_>> = inside
        .split("][")
        .take(MAX_NESTING + 1)
        .map(|key| {
            if key.is_empty() {
                KeyStep::Append
            } else {
                KeyStep::Key(key)
            }
        })
        .collect();
    if steps.len() >= MAX_NESTING {
        let reason = format!("a parameter is nested deeper than {MAX_NESTING} levels");
        return Err(ApiError::bad_request(&reason));
    }
    Ok((first, steps))
}

/// Stores `text` at the path of steps. Returns `None` if a value on the path has another type.
fn insert(slot: &mut Value, steps: &[KeyStep<'_>], text: String) -> Option<()> {
    let Some((step, rest)) = steps.split_first() else {
        return match slot {
            Value::Null | Value::String(_) => {
                *slot = Value::String(text);
                Some(())
            }
            _ => None,
        };
    };
    match step {
        KeyStep::Key(key) => {
            if slot.is_null() {
                *slot = Value::Object(Map::new());
            }
            insert(
                slot.as_object_mut()?.entry(*key).or_insert(Value::Null),
                rest,
                text,
            )
        }
        KeyStep::Append => {
            if slot.is_null() {
                *slot = Value::Array(Vec::new());
            }
            let list = slot.as_array_mut()?;
            // A key that the last element lacks belongs to that element; a repeated key starts a new element.
            let continues = matches!((rest.first(), list.last()),
                (Some(KeyStep::Key(next)), Some(Value::Object(object))) if !object.contains_key(*next));
            if !continues {
                list.push(Value::Null);
            }
            insert(list.last_mut()?, rest, text)
        }
    }
}

/// Parses a key that consists of digits only. `parse` alone would also accept a sign.
fn position(key: &str) -> Option<u32> {
    let digits = key.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| key.parse().ok())?
}

/// Converts an object whose keys are all numbers to a list in the order of the numbers.
fn numbered_to_list(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let numbers: Option<Vec<u32>> = map.keys().map(|key| position(key)).collect();
            match numbers {
                Some(numbers) if !numbers.is_empty() => {
                    let mut items: Vec<(u32, Value)> = numbers
                        .into_iter()
                        .zip(map)
                        .map(|(number, (_, item))| (number, item))
                        .collect();
                    items.sort_by_key(|(number, _)| *number);
                    Value::Array(
                        items
                            .into_iter()
                            .map(|(_, item)| numbered_to_list(item))
                            .collect(),
                    )
                }
                _ => Value::Object(
                    map.into_iter()
                        .map(|(key, item)| (key, numbered_to_list(item)))
                        .collect(),
                ),
            }
        }
        Value::Array(items) => Value::Array(items.into_iter().map(numbered_to_list).collect()),
        leaf => leaf,
    }
}
