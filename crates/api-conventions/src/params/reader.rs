//! Typed parsing of parameters.

use std::ops::RangeInclusive;

use serde_json::{Map, Number, Value};

use super::{DeclaredNames, look_up};
use crate::error::ApiError;
use crate::time::{CalendarDate, Timestamp};

/// Reader that parses typed values and collects all faults, so that the client learns all of them at once.
///
/// A missing name reads as `None`, as does an empty text for any other type than text. JSON's `null` counts as missing,
/// except for booleans, where it is a fault (`API-18`).
#[derive(Debug)]
pub struct ParamReader<'p> {
    params: &'p Map<String, Value>,
    declared: Option<&'p DeclaredNames>,
    faults: Vec<String>,
    missing: Option<&'static str>,
}

impl<'p> ParamReader<'p> {
    pub(super) fn new(params: &'p Map<String, Value>, declared: Option<&'p DeclaredNames>) -> Self {
        Self {
            params,
            declared,
            faults: Vec::new(),
            missing: None,
        }
    }

    /// Adds a fault, reported as `<name> <problem>`.
    pub fn fault(&mut self, name: &str, problem: &str) {
        let text = format!("{name} {problem}");
        if !self.faults.contains(&text) {
            self.faults.push(text);
        }
    }

    /// Finishes reading.
    ///
    /// # Errors
    /// 400 that names the first missing attribute in the specification's words, or otherwise all invalid ones.
    pub fn finish(self) -> Result<(), ApiError> {
        match self.missing {
            Some(name) => Err(ApiError::missing_attribute(name)),
            None if self.faults.is_empty() => Ok(()),
            None => Err(ApiError::invalid_parameters(&self.faults)),
        }
    }

    /// Returns the value of a name, even if it is `null`.
    fn given(&self, name: &str) -> Option<&'p Value> {
        look_up(self.params, self.declared, name)
    }

    fn present(&self, name: &str) -> Option<&'p Value> {
        self.given(name).filter(|value| !value.is_null())
    }

    /// True if the name has any value, even `null`.
    pub fn is_given(&self, name: &str) -> bool {
        self.given(name).is_some()
    }

    /// Requires a value other than blank text for each of these names.
    pub fn demand(&mut self, names: &[&'static str]) {
        if let Some(name) = names.iter().find(|name| self.is_blank(name)) {
            self.missing.get_or_insert(name);
        }
    }

    /// Requires at least one of these names to be given, even as `null`.
    pub fn demand_one_of(&mut self, names: &[&'static str]) {
        if !names.iter().any(|name| self.is_given(name)) {
            let problem = "are missing, at least one parameter must be provided";
            self.fault(&names.join(", "), problem);
        }
    }

    /// True if the name is missing or its text is blank.
    fn is_blank(&self, name: &str) -> bool {
        self.present(name)
            .is_none_or(|value| value.as_str().is_some_and(|text| text.trim().is_empty()))
    }

    /// Requires `value`, which was parsed from `name`, to be present. Blank text counts as missing, whatever was
    /// parsed.
    pub fn required<T>(&mut self, name: &'static str, value: Option<T>) -> RequiredValue<T> {
        if self.is_blank(name) {
            self.missing.get_or_insert(name);
            return RequiredValue(Err(ApiError::missing_attribute(name)));
        }
        RequiredValue(value.ok_or_else(|| self.refuse(name)))
    }

    /// Returns the refusal of an invalid value. The method that parsed it has usually added the fault already.
    fn refuse(&mut self, name: &str) -> ApiError {
        let start = format!("{name} ");
        if !self.faults.iter().any(|fault| fault.starts_with(&start)) {
            self.fault(name, "is invalid");
        }
        ApiError::invalid_parameters(&self.faults)
    }

    /// Parses a text. Numbers and booleans become text.
    pub fn text(&mut self, name: &str) -> Option<String> {
        let value = self.present(name)?;
        let text = scalar(value);
        if text.is_none() {
            self.fault(name, "is invalid");
        }
        text
    }

    fn filled_text(&mut self, name: &str) -> Option<String> {
        self.text(name).filter(|text| !text.is_empty())
    }

    fn parsed<T>(&mut self, name: &str, parse: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let text = self.filled_text(name)?;
        let value = parse(text.trim());
        if value.is_none() {
            self.fault(name, "is invalid");
        }
        value
    }

    /// Parses an integer in base ten.
    pub fn integer(&mut self, name: &str) -> Option<i64> {
        self.parsed(name, |text| text.parse().ok())
    }

    /// Parses an integer in base ten within bounds, both included.
    pub fn integer_within(&mut self, name: &str, bounds: RangeInclusive<i64>) -> Option<i64> {
        let number = self.integer(name)?;
        if !bounds.contains(&number) {
            self.fault(name, "does not have a valid value");
            return None;
        }
        Some(number)
    }

    /// Parses an integer like [`Self::integer_within`], or returns `Some(None)` if `null` or an empty text clears the
    /// value.
    pub fn clearable_integer(
        &mut self,
        name: &str,
        bounds: RangeInclusive<i64>,
    ) -> Option<Option<i64>> {
        let given = self.given(name)?;
        if given.is_null() || given.as_str() == Some("") {
            return Some(None);
        }
        self.integer_within(name, bounds).map(Some)
    }

    /// Parses a boolean in any of the spellings that clients use. `null` is a fault.
    pub fn boolean(&mut self, name: &str) -> Option<bool> {
        if self.given(name).is_some_and(Value::is_null) {
            self.fault(name, "is invalid");
            return None;
        }
        self.parsed(name, |text| match text.to_ascii_lowercase().as_str() {
            "true" | "t" | "1" | "on" | "y" | "yes" => Some(true),
            "false" | "f" | "0" | "off" | "n" | "no" => Some(false),
            _ => None,
        })
    }

    /// Parses a date. For an RFC 3339 time it returns the date part as written.
    pub fn date(&mut self, name: &str) -> Option<CalendarDate> {
        self.parsed(name, |text| {
            let day = Timestamp::parse_rfc3339(text).and_then(|_| text.get(..10));
            CalendarDate::parse(day.unwrap_or(text))
        })
    }

    /// Parses an RFC 3339 time; a date alone is its first instant in UTC.
    pub fn timestamp(&mut self, name: &str) -> Option<Timestamp> {
        self.parsed(name, |text| {
            Timestamp::parse_rfc3339(text)
                .or_else(|| CalendarDate::parse(text).map(CalendarDate::start))
        })
    }

    /// Parses one of the words that `parse` accepts. Case-sensitive.
    pub fn word<T>(&mut self, name: &str, parse: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let text = self.filled_text(name)?;
        let value = parse(&text);
        if value.is_none() {
            self.fault(name, "does not have a valid value");
        }
        value
    }

    /// Parses words that `parse` accepts, from an array or separated by commas. Missing is the same as empty.
    pub fn words<T>(&mut self, name: &str, mut parse: impl FnMut(&str) -> Option<T>) -> Vec<T> {
        let texts = self.texts(name);
        let words = texts
            .iter()
            .flat_map(|text| text.split(','))
            .map(str::trim)
            .filter(|word| !word.is_empty());
        let parsed: Option<Vec<T>> = words.map(&mut parse).collect();
        if parsed.is_none() {
            self.fault(name, "does not have a valid value");
        }
        parsed.unwrap_or_default()
    }

    /// Parses an array of texts; a single text is an array of one.
    pub fn texts(&mut self, name: &str) -> Vec<String> {
        let texts: Option<Vec<String>> = match self.present(name) {
            None => Some(Vec::new()),
            Some(Value::Array(items)) => items.iter().map(scalar).collect(),
            Some(single) => scalar(single).map(|text| vec![text]),
        };
        if texts.is_none() {
            self.fault(name, "is invalid");
        }
        texts.unwrap_or_default()
    }
}

/// A required value. The caller cannot get at it without handling a missing one: there is no default.
#[derive(Debug)]
#[must_use = "without the value the request must be rejected"]
pub struct RequiredValue<T>(Result<T, ApiError>);

impl<T> RequiredValue<T> {
    /// Returns the value. Call [`ParamReader::finish`] first, which reports all other faults too.
    ///
    /// # Errors
    /// 400 if the value is missing or invalid.
    pub fn value(self) -> Result<T, ApiError> {
        self.0
    }
}

/// Returns a number as text. A fraction of zero is left out: in JSON, `7.0` is the integer 7.
fn number_text(number: &Number) -> String {
    let text = number.to_string();
    match text.strip_suffix(".0") {
        Some(integer) if number.is_f64() => integer.to_owned(),
        _ => text,
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number_text(number)),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Params;
    use super::*;

    fn body(reader: ParamReader<'_>) -> String {
        reader
            .finish()
            .map_or_else(|error| error.body().to_string(), |()| "fine".to_owned())
    }

    #[test]
    fn an_integer_may_have_a_fraction_of_zero() {
        for (json, expected) in [
            ("7", Some(7)),
            ("7.0", Some(7)),
            ("-7.0", Some(-7)),
            ("7.5", None),
            ("\"7.0\"", None),
        ] {
            let params = Params::from_json(format!("{{\"page\":{json}}}").as_bytes()).unwrap();
            assert_eq!(params.reader().integer("page"), expected, "{json}");
        }
    }

    #[test]
    fn all_faults_are_reported_at_once() {
        let params = Params::from_query("page=abc&sort=up&before=yesterday&labels[a]=1").unwrap();
        let mut reader = params.reader();
        assert_eq!(reader.integer("page"), None);
        assert_eq!(reader.word("sort", crate::page::SortOrder::parse), None);
        assert_eq!(reader.date("before"), None);
        assert!(reader.texts("labels").is_empty());
        assert_eq!(
            body(reader),
            r#"{"error":"page is invalid, sort does not have a valid value, before is invalid, labels is invalid"}"#
        );
    }

    #[test]
    fn a_missing_attribute_is_named_in_the_specifications_words() {
        let response = r#"{"message":"400 (Bad request) \"name\" not given"}"#;
        for json in [
            r"{}",
            r#"{"name":null}"#,
            r#"{"name":""}"#,
            r#"{"name":" "}"#,
        ] {
            let params = Params::from_json(json.as_bytes()).unwrap();
            let mut reader = params.reader();
            let name = reader.text("name");
            let name = reader.required("name", name);
            let word = reader.word("name", crate::page::SortOrder::parse);
            let word = reader.required("name", word);
            assert_eq!(body(reader), response, "{json}");
            assert_eq!(name.value().unwrap_err().body().to_string(), response);
            assert_eq!(word.value().unwrap_err().body().to_string(), response);
        }
    }

    #[test]
    fn an_invalid_required_value_has_no_fallback() {
        let params = Params::from_query("sort=up&page=2").unwrap();
        let mut reader = params.reader();
        let sort = reader.word("sort", crate::page::SortOrder::parse);
        let sort = reader.required("sort", sort);
        let odd = reader.integer("page").filter(|page| page % 2 == 1);
        let odd = reader.required("page", odd);
        assert_eq!(
            body(reader),
            r#"{"error":"sort does not have a valid value, page is invalid"}"#
        );
        assert_eq!(sort.value().unwrap_err().status(), 400);
        assert_eq!(odd.value().unwrap_err().status(), 400);
    }

    #[test]
    fn a_required_value_that_is_there_is_given() {
        let params = Params::from_json(br#"{"page":0}"#).unwrap();
        let mut reader = params.reader();
        let page = reader.integer("page");
        let page = reader.required("page", page);
        assert_eq!(body(reader), "fine");
        assert_eq!(page.value(), Ok(0));
    }

    #[test]
    fn names_that_must_be_given_are_demanded_together() {
        let params = Params::from_json(br#"{"a":" ","b":null,"c":0}"#).unwrap();
        let mut reader = params.reader();
        reader.demand(&["c"]);
        reader.demand_one_of(&["x", "b"]);
        assert_eq!(body(reader), "fine");
        let mut reader = params.reader();
        reader.demand_one_of(&["x", "y"]);
        assert_eq!(
            body(reader),
            r#"{"error":"x, y are missing, at least one parameter must be provided"}"#
        );
        let mut reader = params.reader();
        reader.demand(&["c", "b", "a"]);
        assert_eq!(
            body(reader),
            r#"{"message":"400 (Bad request) \"b\" not given"}"#
        );
    }

    #[test]
    fn booleans_have_many_spellings_and_null_is_none_of_them() {
        for (text, expected) in [
            ("true", Some(true)),
            ("ON", Some(true)),
            ("0", Some(false)),
            ("", None),
        ] {
            let params = Params::from_query(&format!("flag={text}")).unwrap();
            let mut reader = params.reader();
            assert_eq!(reader.boolean("flag"), expected, "{text}");
            assert_eq!(body(reader), "fine");
        }
        for json in [r#"{"flag":null}"#, r#"{"flag":"maybe"}"#, r#"{"flag":2}"#] {
            let params = Params::from_json(json.as_bytes()).unwrap();
            let mut reader = params.reader();
            assert_eq!(reader.boolean("flag"), None);
            assert_eq!(body(reader), r#"{"error":"flag is invalid"}"#);
        }
    }

    #[test]
    fn a_time_of_day_is_no_part_of_a_day() {
        for (text, expected) in [
            ("2024-02-29", Some("2024-02-29")),
            ("2024-02-29T23:59:59Z", Some("2024-02-29")),
            ("2024-02-29T23:30:00.5-05:00", Some("2024-02-29")),
            ("2024-02-29T25:00:00Z", None),
            ("2024-02-30", None),
            ("2024-02-29x", None),
        ] {
            let params = Params::from_map(Map::from_iter([("day".to_owned(), text.into())]));
            let day = params.reader().date("day");
            assert_eq!(day, expected.and_then(CalendarDate::parse), "{text}");
        }
    }

    #[test]
    fn numbers_are_base_ten_whole_and_may_be_json_numbers() {
        for (json, expected) in [
            ("12", Some(12)),
            ("\"-3\"", Some(-3)),
            ("1.5", None),
            ("\"0x1f\"", None),
        ] {
            let params = Params::from_json(format!(r#"{{"n":{json}}}"#).as_bytes()).unwrap();
            let mut reader = params.reader();
            assert_eq!(reader.integer("n"), expected, "{json}");
            assert_eq!(reader.finish().is_ok(), expected.is_some());
        }
    }

    #[test]
    fn words_come_as_an_array_or_with_commas() {
        for query in ["v[]=private&v[]=public", "v=private,public"] {
            let params = Params::from_query(query).unwrap();
            let mut reader = params.reader();
            assert_eq!(reader.words("v", crate::access::Visibility::parse).len(), 2);
            assert_eq!(body(reader), "fine");
        }
    }
}
