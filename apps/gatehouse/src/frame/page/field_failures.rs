//! Errors of form fields, in the words of the API.

use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::time::CalendarDate;
use records::RecordError;
use serde_json::Value;
use web_conventions::failure::Failure;

use super::failure::PageFailure;

/// Collects the errors of a record's fields.
/// A refusal without a field, such as a name conflict, is assigned to `main`.
///
/// # Errors
/// Errors that concern no field: an unknown record, or a failure of the store.
pub fn of_record(error: RecordError, main: &str) -> Result<ValidationFailures, PageFailure> {
    match error {
        RecordError::Invalid(failures) => Ok(failures),
        RecordError::Conflict(refusal) => Ok(of_refusal(&refusal, main)),
        other => Err(Failure::from(other).into()),
    }
}

/// Fields that a refusal names, with its messages.
fn of_refusal(refusal: &ApiError, main: &str) -> ValidationFailures {
    let mut failures = ValidationFailures::default();
    let Some(Value::Object(fields)) = refusal.body().get("message") else {
        failures.add(main, refusal.sentence());
        return failures;
    };
    for (field, texts) in fields {
        let texts = texts.as_array().map_or(&[][..], Vec::as_slice);
        for text in texts.iter().filter_map(Value::as_str) {
            failures.add(field, text);
        }
    }
    failures
}

/// Adds an error for each of these fields whose text is not a calendar day.
pub fn check_days(failures: &mut ValidationFailures, fields: &[(&str, &str)]) {
    for (name, text) in fields {
        if !text.is_empty() && CalendarDate::parse(text).is_none() {
            failures.add(name, "is invalid");
        }
    }
}

/// Checks the name that a form must repeat before an irreversible deletion.
pub fn check_name(failures: &mut ValidationFailures, typed: &str, name: &str) {
    if typed.trim() != name.trim() {
        failures.add("confirm", "does not match: enter it exactly as shown above");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_belongs_to_the_fields_that_it_names() {
        let mut named = ValidationFailures::default();
        named.add("title", "is taken");
        let taken = RecordError::Conflict(ApiError::validation(&named));
        assert_eq!(of_record(taken, "title").unwrap().of("title"), ["is taken"]);
        let exists = RecordError::Conflict(ApiError::already_exists("Label"));
        let found = of_record(exists, "name").unwrap();
        assert_eq!(found.of("name"), ["Label already exists"]);
        assert!(of_record(RecordError::Unknown("Label"), "name").is_err());
    }

    #[test]
    fn days_and_names_are_checked() {
        let mut failures = ValidationFailures::default();
        check_days(
            &mut failures,
            &[("a", "2024-02-30"), ("b", ""), ("c", "2024-02-29")],
        );
        check_name(&mut failures, " v1 ", "v1");
        assert_eq!(
            (
                failures.of("a").len(),
                failures.of("b").len(),
                failures.of("c").len()
            ),
            (1, 0, 0)
        );
        assert!(failures.of("confirm").is_empty());
        check_name(&mut failures, "v2", "v1");
        assert_eq!(failures.of("confirm").len(), 1);
    }
}
