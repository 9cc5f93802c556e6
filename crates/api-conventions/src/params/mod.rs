//! Request parameters: one tree of values, whether from a query string, a form or JSON (`API-02`, `API-04`, `API-05`).
//!
//! `labels[]=a`, `position[line]=3` and `files[0][path]=x` become arrays, objects and arrays of objects, as in JSON.
//! The leaves of a query are strings, so a [`ParamReader`] decides on their type.

mod declared;
mod pairs;
mod reader;

use serde_json::{Map, Value};

use crate::error::ApiError;
use crate::json;

pub use declared::DeclaredNames;
pub use reader::{ParamReader, RequiredValue};

/// Deepest nesting of a parameter's name or of a JSON body; the root is level 1.
pub const MAX_NESTING: usize = 32;
/// Most pairs in a query string or form.
pub const MAX_PAIRS: usize = 10_000;

/// Decoded parameters of a request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Params {
    values: Map<String, Value>,
    declared: Option<DeclaredNames>,
}

impl Params {
    /// Decodes a query string, without its `?`.
    ///
    /// # Errors
    /// 400 for text that is not UTF-8, a NUL, a name that is nested too deeply or used in two conflicting ways, or too
    /// many pairs.
    pub fn from_query(query: &str) -> Result<Self, ApiError> {
        pairs::decode(query).map(Self::from_map)
    }

    /// Decodes an `application/x-www-form-urlencoded` body.
    ///
    /// # Errors
    /// The same as those of [`Self::from_query`].
    pub fn from_form(body: &[u8]) -> Result<Self, ApiError> {
        let text = std::str::from_utf8(body)
            .map_err(|_| ApiError::malformed_body("the form is not UTF-8"))?;
        Self::from_query(text)
    }

    /// Collects the fields of a `multipart/form-data` body, whose names and values are not escaped.
    ///
    /// # Errors
    /// The same as those of [`Self::from_query`].
    pub fn from_fields(fields: &[(String, String)]) -> Result<Self, ApiError> {
        pairs::of_fields(fields).map(Self::from_map)
    }

    /// Decodes a JSON body. An empty body and `null` have no parameters.
    ///
    /// # Errors
    /// 400 for text that is not JSON or not an object, and for bodies that [`json::check`] refuses with
    /// [`MAX_NESTING`].
    pub fn from_json(body: &[u8]) -> Result<Self, ApiError> {
        if body.iter().all(u8::is_ascii_whitespace) {
            return Ok(Self::default());
        }
        json::check(body, MAX_NESTING)?;
        match serde_json::from_slice(body) {
            Ok(Value::Object(map)) => Ok(Self::from_map(map)),
            // Clients send `null` if they have no options.
            Ok(Value::Null) => Ok(Self::default()),
            Ok(_) => Err(ApiError::malformed_body("the body is not a JSON object")),
            Err(error) => Err(json::refusal(&error)),
        }
    }

    /// Merges `stronger` parameters into these; the stronger ones win for names in both.
    #[must_use]
    pub fn merged(mut self, stronger: Self) -> Self {
        self.values.extend(stronger.values);
        self
    }

    /// Limits reads to declared names.
    ///
    /// Reading any other name is a bug: it panics with debug assertions, and finds nothing without them.
    #[must_use]
    pub fn of_declared(mut self, names: DeclaredNames) -> Self {
        self.declared = Some(names);
        self
    }

    /// Returns a reader that parses typed values and collects all faults.
    pub fn reader(&self) -> ParamReader<'_> {
        ParamReader::new(&self.values, self.declared.as_ref())
    }

    /// Returns the parameters inside a hash, such as `not[labels]=bug`.
    ///
    /// # Errors
    /// 400 if the value of the name is not a hash.
    pub fn nested(&self, name: &str) -> Result<Option<Self>, ApiError> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(map)) => Ok(Some(Self {
                values: map.clone(),
                declared: self.declared.as_ref().and_then(|all| all.inside(name)),
            })),
            Some(_) => Err(ApiError::invalid_parameters(&[format!(
                "{name} is invalid"
            )])),
        }
    }

    /// Returns the values by name.
    pub fn into_map(self) -> Map<String, Value> {
        self.values
    }

    /// Creates parameters with these values.
    pub fn from_map(values: Map<String, Value>) -> Self {
        Self {
            values,
            declared: None,
        }
    }

    /// Returns all names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }

    /// Returns the decoded value of a name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        look_up(&self.values, self.declared.as_ref(), name)
    }
}

/// Returns the value of a name if it may be read.
fn look_up<'p>(
    values: &'p Map<String, Value>,
    declared: Option<&DeclaredNames>,
    name: &str,
) -> Option<&'p Value> {
    let is_declared = declared.is_none_or(|names| names.has(name));
    debug_assert!(
        is_declared,
        "{name} is read, but the operation does not declare it"
    );
    values.get(name).filter(|_| is_declared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn query(text: &str) -> Value {
        Value::Object(Params::from_query(text).unwrap().values)
    }

    #[test]
    fn conflicting_sudo_and_token_parameters_are_rejected() {
        for name in ["sudo", "private_token", "access_token", "job_token"] {
            let twice = Params::from_query(&format!("{name}=2&a=1&a=2&{name}=3"));
            assert_eq!(twice.unwrap_err().status(), 400, "{name}");
            let mixed = Params::from_query(&format!("{name}=2&{name}[]=2"));
            assert_eq!(mixed.unwrap_err().status(), 400, "{name}");
            assert!(Params::from_query(&format!("{name}=2&{name}=2")).is_ok());
        }
    }

    #[test]
    fn field_values_are_kept_verbatim() {
        let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let fields = [field("a", "x+y%20&"), field("l[]", "1"), field("l[]", "2")];
        let read = Params::from_fields(&fields).unwrap();
        assert_eq!(
            Value::Object(read.values),
            json!({"a": "x+y%20&", "l": ["1", "2"]})
        );
        for wrong in [field("a", "\0"), field("a\0", "1")] {
            assert_eq!(Params::from_fields(&[wrong]).unwrap_err().status(), 400);
        }
    }

    #[test]
    fn the_same_data_decodes_alike_in_every_form() {
        let cases = [
            ("a=1&b=x+y&c=%2B", json!({"a": "1", "b": "x y", "c": "+"})),
            ("l[]=1&l[]=2", json!({"l": ["1", "2"]})),
            (
                "h[k]=v&h[m][n]=w",
                json!({"h": {"k": "v", "m": {"n": "w"}}}),
            ),
            (
                "v[0][key]=a&v[0][value]=b&v[1][key]=c",
                json!({"v": [{"key": "a", "value": "b"}, {"key": "c"}]}),
            ),
            (
                "v[][key]=a&v[][value]=b&v[][key]=c",
                json!({"v": [{"key": "a", "value": "b"}, {"key": "c"}]}),
            ),
            (
                "v[10][k]=z&v[2][k]=y",
                json!({"v": [{"k": "y"}, {"k": "z"}]}),
            ),
            ("a=1&a=2&&flag&=x", json!({"a": "2", "flag": ""})),
            ("a%5B%5D=1", json!({"a": ["1"]})),
            ("", json!({})),
        ];
        for (text, expected) in cases {
            assert_eq!(query(text), expected, "{text}");
            let body = expected.to_string();
            assert_eq!(
                Value::Object(Params::from_json(body.as_bytes()).unwrap().values),
                expected
            );
        }
    }

    #[test]
    fn names_used_in_two_ways_and_hostile_input_are_refused() {
        let deep = format!("a{}=1", "[x]".repeat(MAX_NESTING + 1));
        let many = "a[]=1&".repeat(MAX_PAIRS + 1);
        for text in [
            "a=1&a[b]=2",
            "a[b]=1&a[]=2",
            "a[]=1&a=2",
            "a=%FF",
            "a=%00",
            &deep,
            &many,
        ] {
            assert_eq!(
                Params::from_query(text).unwrap_err().status(),
                400,
                "{text:.40}"
            );
        }
    }

    #[test]
    fn a_body_wins_over_the_query() {
        let params = Params::from_query("a=1&b=2")
            .unwrap()
            .merged(Params::from_json(b"{\"b\":3}").unwrap());
        assert_eq!(Value::Object(params.values), json!({"a": "1", "b": 3}));
    }

    #[test]
    fn a_json_body_is_an_object_or_nothing() {
        for nothing in [&b" \n"[..], b"null", b" null "] {
            assert_eq!(Params::from_json(nothing).unwrap(), Params::default());
        }
        for body in [
            &b"[1]"[..],
            b"1",
            b"{",
            b"{\"a\":\"\\u0000\"}",
            b"{\"a\":\"\\ud800\"}",
            b"\xff",
        ] {
            assert_eq!(
                Params::from_json(body).unwrap_err().status(),
                400,
                "{body:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn any_text_is_decoded_or_refused(text in "[a-c\\[\\]=&%0-9+]{0,60}") {
            if let Err(error) = Params::from_query(&text) {
                prop_assert_eq!(error.status(), 400);
            }
        }

        #[test]
        fn any_bytes_are_a_form_and_json_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            for outcome in [Params::from_form(&bytes), Params::from_json(&bytes)] {
                if let Err(error) = outcome {
                    prop_assert_eq!(error.status(), 400);
                }
            }
        }

        #[test]
        fn encoded_text_comes_back(name in "[a-z]{1,8}", value in "[^\\x00]{0,40}") {
            let encoded = percent_encoding::utf8_percent_encode(&value, percent_encoding::NON_ALPHANUMERIC);
            let params = Params::from_query(&format!("{name}={encoded}")).unwrap();
            prop_assert_eq!(params.get(&name), Some(&Value::String(value)));
        }
    }
}
