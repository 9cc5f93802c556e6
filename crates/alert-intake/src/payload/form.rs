//! Forms: a JSON object in a field, or plain fields as an object of strings.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::PayloadError;

/// Format of a body, from the media type of the request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeliveryFormat {
    /// JSON, whatever the media type says: JSON types, plain text, or no type.
    #[default]
    Json,
    /// `application/x-www-form-urlencoded`.
    Form,
    /// `multipart/form-data` with this boundary.
    Multipart(String),
    /// A list of alerts, as Alertmanager's API takes it.
    PostedAlerts,
}

impl DeliveryFormat {
    /// Returns the format of a media type other than JSON: plain text, which must be JSON, or a form. `None` for any other
    /// type. `content_type` is the header with its parameters.
    pub fn of_content_type(content_type: &str) -> Option<Self> {
        let mut parts = content_type.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default().to_ascii_lowercase();
        match name.as_str() {
            "text/plain" => Some(Self::Json),
            "application/x-www-form-urlencoded" => Some(Self::Form),
            "multipart/form-data" => {
                let value = |part: &str| {
                    let (name, value) = part.split_once('=')?;
                    let value = value.trim().trim_matches('"');
                    (name.trim().eq_ignore_ascii_case("boundary") && is_boundary(value))
                        .then(|| value.to_owned())
                };
                parts.find_map(value).map(Self::Multipart)
            }
            _ => None,
        }
    }
}

/// True for a boundary of 1 to 70 visible characters (RFC 2046, section 5.1.1).
fn is_boundary(text: &str) -> bool {
    (1..=70).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_graphic() || byte == b' ')
}

/// Fields that hold the whole payload as JSON.
const PAYLOADS: [&str; 6] = ["payload", "data", "json", "body", "alert", "message"];

/// Most fields of a form.
const MAX_FIELDS: usize = 1_000;

/// Returns the JSON text of a body.
///
/// # Errors
/// Fails for a form that has no fields, or too many, or control characters in a name.
pub(super) fn json_of<'b>(
    text: &'b str,
    format: &DeliveryFormat,
) -> Result<Cow<'b, str>, PayloadError> {
    let fields: Vec<(Cow<'b, str>, Cow<'b, str>)> = match format {
        DeliveryFormat::Json | DeliveryFormat::PostedAlerts => return Ok(Cow::Borrowed(text)),
        // Programs that send JSON without saying so are common: curl calls every body a form.
        DeliveryFormat::Form if is_object(text) => return Ok(Cow::Borrowed(text)),
        DeliveryFormat::Form => url::form_urlencoded::parse(text.trim().as_bytes())
            .take(MAX_FIELDS + 1)
            .collect(),
        DeliveryFormat::Multipart(boundary) => parts(text, boundary),
    };
    let has_value = fields
        .iter()
        .any(|(name, value)| !name.is_empty() && !value.is_empty());
    // Lines in a name come from a body of another type, such as the parts of a form that is said to have none.
    let is_other = fields
        .iter()
        .any(|(name, _)| name.contains(char::is_control));
    if fields.len() > MAX_FIELDS || !has_value || is_other {
        return Err(PayloadError::NoFields);
    }
    let payload = PAYLOADS.iter().find_map(|name| {
        let mut named = fields.iter().filter(|(field, _)| field == name);
        named
            .find(|(_, value)| is_object(value))
            .map(|(_, value)| value.clone().into_owned())
    });
    Ok(Cow::Owned(payload.unwrap_or_else(|| object_of(fields))))
}

fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

fn object_of(fields: Vec<(Cow<'_, str>, Cow<'_, str>)>) -> String {
    let strings = fields
        .into_iter()
        .map(|(name, value)| (name.into_owned(), Value::String(value.into_owned())));
    Value::Object(strings.collect::<Map<_, _>>()).to_string()
}

/// Returns the fields of a multipart body, without files. A body that does not end as it should yields what it has.
fn parts<'b>(text: &'b str, boundary: &str) -> Vec<(Cow<'b, str>, Cow<'b, str>)> {
    let delimiter = format!("--{boundary}");
    let sections = text
        .split(delimiter.as_str())
        .skip(1)
        .take_while(|section| !section.starts_with("--"));
    sections.filter_map(field).take(MAX_FIELDS + 1).collect()
}

/// Parses one part: headers, an empty line, the value. Lines may end in a line feed alone.
fn field(section: &str) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
    let section = without_line_end(section, true);
    let (headers, value) = section
        .split_once("\r\n\r\n")
        .or_else(|| section.split_once("\n\n"))?;
    let is_disposition = |line: &&str| {
        line.get(..20)
            .is_some_and(|start| start.eq_ignore_ascii_case("content-disposition:"))
    };
    let disposition = headers.lines().find(is_disposition)?;
    let parameter = |name: &str| {
        let mut pieces = disposition
            .split(';')
            .skip(1)
            .filter_map(|piece| piece.trim().split_once('='));
        pieces
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim().trim_matches('"'))
    };
    let name = parameter("name")?;
    parameter("filename").is_none().then(|| {
        (
            Cow::Borrowed(name),
            Cow::Borrowed(without_line_end(value, false)),
        )
    })
}

/// Returns the text without the one line end at its start or its end.
fn without_line_end(text: &str, at_start: bool) -> &str {
    let strip = |end: &str| {
        if at_start {
            text.strip_prefix(end)
        } else {
            text.strip_suffix(end)
        }
    };
    strip("\r\n").or_else(|| strip("\n")).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn json(text: &str, content_type: &str) -> Option<String> {
        let format = DeliveryFormat::of_content_type(content_type).unwrap();
        json_of(text, &format).ok().map(Cow::into_owned)
    }

    const FORM: &str = "application/x-www-form-urlencoded; charset=utf-8";
    const MULTIPART: &str = "multipart/form-data; boundary=\"x\"";

    #[test]
    fn a_form_is_the_object_in_a_field_or_an_object_of_strings() {
        for (text, expected) in [
            ("payload=%7B%22a%22%3A1%7D&b=2", Some(r#"{"a":1}"#)),
            ("b=2&a=x+y%21", Some(r#"{"a":"x y!","b":"2"}"#)),
            ("message=hello&a=1", Some(r#"{"a":"1","message":"hello"}"#)),
            (" {\"a\":1}", Some(" {\"a\":1}")),
            ("", None),
            ("&&=", None),
            ("a=", None),
            (
                "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1",
                None,
            ),
        ] {
            assert_eq!(json(text, FORM).as_deref(), expected, "{text}");
        }
        let many = "a=1&".repeat(MAX_FIELDS + 1);
        assert_eq!(json(&many, FORM), None);
    }

    #[test]
    fn a_multipart_form_is_read_without_its_files() {
        let part = |name: &str, value: &str| {
            format!("--x\r\nContent-Disposition: form-data; {name}\r\n\r\n{value}\r\n")
        };
        let field = part("name=\"data\"", "{\"a\":1}");
        let file = part("name=\"f\"; filename=\"f.txt\"", "text");
        assert_eq!(
            json(&format!("{file}{field}--x--\r\n"), MULTIPART).as_deref(),
            Some("{\"a\":1}")
        );
        assert_eq!(
            json(&field.replace("\r\n", "\n"), MULTIPART).as_deref(),
            Some("{\"a\":1}")
        );
        let plain = part("name=status", "down");
        assert_eq!(
            json(&plain, MULTIPART).as_deref(),
            Some("{\"status\":\"down\"}")
        );
        for nothing in ["", "--x--", "--x\r\n\r\n", &file] {
            assert_eq!(json(nothing, MULTIPART), None, "{nothing}");
        }
    }

    #[test]
    fn other_media_types_have_no_format() {
        assert_eq!(
            DeliveryFormat::of_content_type("text/plain; charset=UTF-8"),
            Some(DeliveryFormat::Json)
        );
        for other in [
            "application/xml",
            "multipart/form-data",
            "multipart/form-data; boundary=",
            "text/plainer",
            "",
        ] {
            assert_eq!(DeliveryFormat::of_content_type(other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn any_form_is_json_or_refused(text in "[-x&=%{}\"a0-9\\r\\n: ;nam]{0,80}") {
            for format in [DeliveryFormat::Form, DeliveryFormat::Multipart("x".to_owned())] {
                if let Ok(json) = json_of(&text, &format) {
                    prop_assert!(is_object(&json));
                }
            }
        }
    }
}
