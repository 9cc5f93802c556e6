//! Truncation of texts and free-form values: a verbose event is cut, never refused.

use serde_json::{Map, Value};

/// End of a truncated text.
pub const CUT: &str = "…";

/// Nesting levels of free-form values that are kept.
const DEPTH: usize = 8;
/// Entries of one list or object of free-form values that are kept.
const ENTRIES: usize = 100;
/// Longest text within free-form values, in characters.
const MAX_LENGTH: usize = 2048;
/// Longest name within free-form values, in characters.
const MAX_NAME_LENGTH: usize = 200;

/// Truncates a text to `max` characters.
/// Replaces NUL, which cannot be stored. A truncated text ends in [`CUT`], which counts.
pub fn cut(text: &str, max: usize) -> String {
    // A text of at most `max` bytes has at most as many characters; most texts are that short and hold no NUL.
    let end = if text.len() <= max {
        None
    } else {
        let mut ends = text.char_indices().skip(max.saturating_sub(1));
        let last = ends.next();
        last.filter(|_| ends.next().is_some()).map(|(end, _)| end)
    };
    let mut kept = text
        .get(..end.unwrap_or(text.len()))
        .unwrap_or(text)
        .to_owned();
    if kept.contains('\0') {
        kept = kept.replace('\0', "\u{fffd}");
    }
    if end.is_some() {
        kept.push_str(CUT);
    }
    kept
}

/// Truncates a text to `max` characters, as [`cut`] does, without copying one that may stay unchanged.
pub(super) fn cut_owned(text: String, max: usize) -> String {
    if text.len() <= max && !text.contains('\0') {
        text
    } else {
        cut(&text, max)
    }
}

/// Budget for free-form values, in bytes.
#[derive(Debug)]
pub(super) struct Budget {
    left: usize,
    /// True if anything was left out.
    pub(super) is_spent: bool,
}

impl Budget {
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            left: bytes,
            is_spent: false,
        }
    }

    fn spend(&mut self, bytes: usize) -> bool {
        let is_there = bytes <= self.left;
        self.left = self.left.saturating_sub(bytes);
        self.is_spent |= !is_there;
        is_there
    }

    /// Truncates a value to the budget.
    pub(super) fn value(&mut self, value: Value) -> Value {
        self.at_depth(value, 0)
    }

    /// Truncates an object to the budget.
    pub(super) fn object(&mut self, object: Map<String, Value>) -> Map<String, Value> {
        self.entries(object, 0)
    }

    fn at_depth(&mut self, value: Value, depth: usize) -> Value {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => {
                if self.spend(8) {
                    value
                } else {
                    Value::Null
                }
            }
            Value::String(text) => {
                let text = cut_owned(text, MAX_LENGTH.min(self.left.max(1)));
                if self.spend(text.len() + 2) {
                    Value::String(text)
                } else {
                    Value::String(CUT.to_owned())
                }
            }
            Value::Array(_) | Value::Object(_) if depth == DEPTH => {
                self.is_spent = true;
                Value::String(CUT.to_owned())
            }
            Value::Array(items) => {
                self.is_spent |= items.len() > ENTRIES;
                let mut kept = Vec::new();
                for item in items.into_iter().take(ENTRIES) {
                    if !self.spend(1) {
                        break;
                    }
                    kept.push(self.at_depth(item, depth + 1));
                }
                Value::Array(kept)
            }
            Value::Object(object) => Value::Object(self.entries(object, depth)),
        }
    }

    fn entries(&mut self, object: Map<String, Value>, depth: usize) -> Map<String, Value> {
        self.is_spent |= object.len() > ENTRIES;
        let mut kept = Map::new();
        for (name, value) in object.into_iter().take(ENTRIES) {
            let name = cut_owned(name, MAX_NAME_LENGTH);
            if !self.spend(name.len() + 4) {
                break;
            }
            kept.insert(name, self.at_depth(value, depth + 1));
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn truncated_texts_end_in_an_ellipsis_and_contain_no_nul() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "ab…");
        assert_eq!(cut("ääää", 3), "ää…");
        assert_eq!(cut("a\0b", 3), "a\u{fffd}b");
    }

    #[test]
    fn a_value_keeps_its_shape_as_far_as_there_is_room() {
        let value = json!({"a": [1, true, null], "b": {"c": "text"}});
        let mut budget = Budget::new(1000);
        assert_eq!(budget.value(value.clone()), value);
        assert!(!budget.is_spent);
        let mut budget = Budget::new(20);
        let kept = budget.value(json!({"a": "x".repeat(5000), "b": 1}));
        assert!(budget.is_spent && kept.to_string().len() < 60, "{kept}");
    }

    #[test]
    fn deep_and_long_values_are_truncated() {
        let mut deep = json!("end");
        for _ in 0..20 {
            deep = json!([deep]);
        }
        let mut budget = Budget::new(1000);
        assert!(!budget.value(deep).to_string().contains("end"));
        let long: Vec<u32> = (0..1000).collect();
        let kept = Budget::new(100_000).value(json!(long));
        assert_eq!(kept.as_array().unwrap().len(), ENTRIES);
    }

    proptest! {
        #[test]
        fn values_stay_within_their_budget(texts in proptest::collection::vec("\\PC{0,60}", 0..40), bytes in 0_usize..500) {
            let kept = Budget::new(bytes).value(json!(texts));
            let text: usize = kept.as_array().unwrap().iter().map(|text| text.as_str().unwrap().len()).sum();
            // The placeholder of a text that has no room takes a few bytes itself.
            prop_assert!(text <= bytes + CUT.len());
        }
    }
}
