//! Validation of records that people send, by the `validator` crate. Behind the feature `validator`.
//!
//! A record derives [`Validate`]; this module alone turns its failures into [`ValidationFailures`], so that every
//! record is refused in the same format and the same words (`API-12`).
//!
//! ```
//! use api_conventions::validation::{check, not_blank};
//! use validator::Validate;
//!
//! #[derive(Validate)]
//! struct NewLabel {
//!     #[validate(custom(function = "not_blank"), length(max = 255))]
//!     title: String,
//! }
//!
//! let failures = check(&NewLabel { title: " ".to_owned() });
//! assert_eq!(failures.to_string(), "title can't be blank");
//! ```

use std::borrow::Cow;
use std::fmt::Display;

use serde_json::Value;
use validator::{Validate, ValidationError, ValidationErrors, ValidationErrorsKind};

use crate::error::ValidationFailures;
use crate::reference::is_slug;

/// Name under which the library reports failures of a record as a whole.
const WHOLE: &str = "__all__";
/// Parameter in which [`failure_of`] stores the attribute of a failure.
const ATTRIBUTE: &str = "attribute";

/// Returns all failures of a record; empty if it is valid.
pub fn check<R: Validate>(record: &R) -> ValidationFailures {
    record
        .validate()
        .err()
        .map(ValidationFailures::from)
        .unwrap_or_default()
}

/// Creates a failure with this text, which follows the name of the attribute: for functions of custom rules.
pub fn failure(text: impl Into<Cow<'static, str>>) -> ValidationError {
    ValidationError::new("invalid").with_message(text.into())
}

/// Creates a failure of `attribute`, found by a rule over the whole record (`#[validate(schema(…))]`).
pub fn failure_of(attribute: &'static str, text: impl Into<Cow<'static, str>>) -> ValidationError {
    let mut error = failure(text);
    error.add_param(Cow::Borrowed(ATTRIBUTE), &attribute);
    error
}

/// Validates that the text is not only white space.
///
/// # Errors
/// `can't be blank`.
pub fn not_blank(text: &str) -> Result<(), ValidationError> {
    if text.trim().is_empty() {
        return Err(failure("can't be blank"));
    }
    Ok(())
}

/// Longest display name in characters, without surrounding white space.
pub const MAX_DISPLAY_NAME: usize = 255;

/// Validates the display name of a person or a place. Without surrounding white space it must have 1 to
/// [`MAX_DISPLAY_NAME`] characters, none of which may be a control character, such as a line break.
///
/// # Errors
/// The first of `can't be blank`, `is too long (maximum is 255 characters)` and `can't contain control characters`.
pub fn display_name(text: &str) -> Result<(), ValidationError> {
    not_blank(text)?;
    let name = text.trim();
    if name.chars().count() > MAX_DISPLAY_NAME {
        return Err(failure(too_long(MAX_DISPLAY_NAME)));
    }
    if name.chars().any(char::is_control) {
        return Err(failure("can't contain control characters"));
    }
    Ok(())
}

/// Validates a segment of a full path (see [`is_slug`]).
///
/// # Errors
/// The rule for a segment.
pub fn slug(text: &str) -> Result<(), ValidationError> {
    if is_slug(text) {
        return Ok(());
    }
    Err(failure(SLUG_RULE))
}

/// Rule for a segment of a full path.
pub const SLUG_RULE: &str = "can contain only letters, digits, '_', '-' and '.', cannot start with '-' or '.', and cannot end in '.', '.git' or '.atom'";

impl From<ValidationErrors> for ValidationFailures {
    fn from(errors: ValidationErrors) -> Self {
        let mut failures = Self::default();
        for (name, kind) in errors.0 {
            match kind {
                ValidationErrorsKind::Field(mut found) => {
                    // Custom rules come before those of the library, which lists its own first.
                    found.sort_by_key(|error| error.message.is_none());
                    for error in found {
                        failures.add(attribute(&name, &error), text(&error));
                    }
                }
                ValidationErrorsKind::Struct(inner) => {
                    *failures.embedded(&name) = Self::from(*inner);
                }
                ValidationErrorsKind::List(items) => {
                    for (index, inner) in items {
                        *failures.embedded(&format!("{name}[{index}]")) = Self::from(*inner);
                    }
                }
            }
        }
        failures
    }
}

/// Returns the attribute that a failure belongs to; `base` for the record as a whole.
fn attribute<'e>(name: &'e str, error: &'e ValidationError) -> &'e str {
    if name != WHOLE {
        // A field named like a Rust keyword has the prefix `r#`.
        return name.strip_prefix("r#").unwrap_or(name);
    }
    let named = error.params.get(ATTRIBUTE).and_then(Value::as_str);
    named.unwrap_or("base")
}

/// Returns the text of a failure: its own, or the API's text for a rule of the library.
fn text(error: &ValidationError) -> String {
    if let Some(text) = &error.message {
        return text.clone().into_owned();
    }
    let bound = |name: &str| error.params.get(name).filter(|bound| !bound.is_null());
    match &*error.code {
        "required" => "can't be blank".to_owned(),
        "length" => length(error),
        "range" => match (bound("min"), bound("max")) {
            (Some(min), Some(max)) => format!("must be between {min} and {max}"),
            (Some(min), None) => format!("must be greater than or equal to {min}"),
            (None, Some(max)) => format!("must be less than or equal to {max}"),
            (None, None) => "is invalid".to_owned(),
        },
        _ => "is invalid".to_owned(),
    }
}

/// Returns the failure text for more than `max` characters.
fn too_long(max: impl Display) -> String {
    format!("is too long (maximum is {max} characters)")
}

/// Returns the failure text for the violated length bound. The library counts characters.
fn length(error: &ValidationError) -> String {
    let number = |name: &str| error.params.get(name).and_then(Value::as_u64);
    let length = match error.params.get("value") {
        Some(Value::String(value)) => value.chars().count(),
        Some(Value::Array(values)) => values.len(),
        _ => 0,
    };
    let length = u64::try_from(length).unwrap_or(u64::MAX);
    match (number("min"), number("max")) {
        (Some(_), _) if length == 0 => "can't be blank".to_owned(),
        (Some(min), _) if length < min => format!("is too short (minimum is {min} characters)"),
        (_, Some(max)) => too_long(max),
        _ => match number("equal") {
            Some(equal) => format!("is the wrong length (should be {equal} characters)"),
            None => "is invalid".to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ApiError;
    use serde_json::json;

    #[derive(Validate)]
    struct NestedRecord {
        #[validate(length(min = 3, max = 5))]
        word: String,
    }

    #[derive(Validate)]
    #[validate(schema(function = "ends_after_start", skip_on_field_errors = false))]
    struct ValidatedRecord {
        #[validate(custom(function = "not_blank"), length(max = 4))]
        title: String,
        #[validate(required)]
        color: Option<String>,
        #[validate(range(min = 1, max = 9))]
        start: i64,
        #[validate(length(max = 2))]
        r#ref: String,
        #[validate(range(min = 1))]
        end: i64,
        #[validate(custom(function = "slug"))]
        path: String,
        #[validate(nested)]
        inner: NestedRecord,
        #[validate(nested)]
        list: Vec<NestedRecord>,
    }

    fn ends_after_start(record: &ValidatedRecord) -> Result<(), ValidationError> {
        if record.end < record.start {
            return Err(failure_of("end", "must be after the start"));
        }
        Ok(())
    }

    fn word(word: &str) -> NestedRecord {
        NestedRecord {
            word: word.to_owned(),
        }
    }

    fn sound() -> ValidatedRecord {
        ValidatedRecord {
            title: "é€ab".to_owned(),
            color: Some("red".to_owned()),
            start: 1,
            r#ref: "v1".to_owned(),
            end: 2,
            path: "web".to_owned(),
            inner: word("one"),
            list: vec![word("two"), word("three")],
        }
    }

    #[test]
    fn a_display_name_is_one_line_of_1_to_255_characters() {
        let longest = "é".repeat(MAX_DISPLAY_NAME);
        for good in [
            "A",
            " Ann\u{a0}B ",
            "\u{5e9}\u{5dc}\u{5d5}\u{5dd}",
            &longest,
            &format!(" {longest}\n"),
        ] {
            assert_eq!(display_name(good), Ok(()), "{good:?}");
        }
        let too_long = format!("{longest}é");
        for (bad, expected) in [
            ("", "can't be blank"),
            (" \t\u{3000}", "can't be blank"),
            (&too_long, "is too long (maximum is 255 characters)"),
            ("Ann\nB", "can't contain control characters"),
            ("Ann\u{0}", "can't contain control characters"),
            ("Ann\u{85}B", "can't contain control characters"),
        ] {
            let refusal = display_name(bad).unwrap_err();
            assert_eq!(refusal.message.as_deref(), Some(expected), "{bad:?}");
        }
    }

    #[test]
    fn a_sound_record_has_no_failures() {
        assert!(check(&sound()).is_empty());
    }

    #[test]
    fn failures_are_reported_in_the_words_and_the_shape_of_the_api() {
        let broken = ValidatedRecord {
            title: " \t   ".to_owned(),
            color: None,
            start: 10,
            r#ref: "main".to_owned(),
            end: 0,
            path: "-web".to_owned(),
            inner: word("a"),
            list: vec![word("two"), word(""), word("longer")],
        };
        let refused_with = ApiError::validation(&check(&broken)).body()["message"].clone();
        assert_eq!(
            refused_with,
            json!({
                "title": ["can't be blank", "is too long (maximum is 4 characters)"],
                "color": ["can't be blank"],
                "start": ["must be between 1 and 9"],
                "ref": ["is too long (maximum is 2 characters)"],
                "end": refused_with["end"],
                "path": [SLUG_RULE],
                "inner": {"word": ["is too short (minimum is 3 characters)"]},
                "list[1]": {"word": ["can't be blank"]},
                "list[2]": {"word": ["is too long (maximum is 5 characters)"]},
            })
        );
        let mut ends: Vec<&str> = refused_with["end"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        ends.sort_unstable();
        assert_eq!(
            ends,
            [
                "must be after the start",
                "must be greater than or equal to 1"
            ]
        );
    }
}
