//! Parameters in the declaration of an operation.

use serde_json::{Value, json};

use super::object_field::{ObjectField, list_schema};

/// Location of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Location {
    /// Path.
    Path,
    /// Query. Operations with a body accept it there, too.
    Query,
    /// Header.
    Header,
    /// Body, as a field of a JSON object or of a form.
    Body,
    /// Body, as a field of a form (`application/x-www-form-urlencoded`) only.
    Form,
}

/// Values that a parameter accepts.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum ParameterKind {
    /// Integer within inclusive bounds.
    Integer {
        /// Minimum.
        min: i64,
        /// Maximum.
        max: i64,
    },
    /// Text within inclusive bounds on its length.
    Text {
        /// Minimum number of characters.
        min: u32,
        /// Maximum number of characters.
        max: u32,
    },
    /// A boolean.
    Boolean,
    /// Boolean that cannot be true here.
    False,
    /// Boolean that cannot be false here.
    True,
    /// Time (RFC 3339) or date.
    Timestamp,
    /// Date.
    Date,
    /// Integer from this list.
    Number(&'static [i64]),
    /// Word from this list.
    Word(&'static [&'static str]),
    /// Any number of these words, as an array or separated by commas.
    Words(&'static [&'static str]),
    /// Any number of texts.
    Texts,
    /// Any number of texts, as a name that is repeated without brackets.
    Repeated,
    /// Any number of whole numbers.
    Numbers,
    /// A text that matches a regular expression.
    Matching(&'static str),
    /// Any number of objects, each with texts under some of these names.
    Objects(&'static [&'static str]),
    /// At least one object, and at most `max`, each with these fields.
    ObjectList {
        /// Fields.
        fields: &'static [ObjectField],
        /// Maximum number of objects.
        max: u32,
    },
    /// Page size: any integer except 0.
    PageSize,
    /// Some of these words, separated by white space.
    SpacedWords(&'static [&'static str]),
    /// Any of these words, separated by spaces only, as the scope of a token (RFC 6749, section 3.3). An empty text
    /// counts as absent.
    Scope(&'static [&'static str]),
    /// URIs, separated by white space.
    Addresses,
    /// Id of a project or group, or its path, percent-encoded.
    IdOrPath,
    /// File in a form, as `multipart/form-data` only. The operation then accepts no other body.
    File,
}

/// A parameter of an operation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter {
    /// Name.
    pub name: &'static str,
    /// Location.
    pub location: Location,
    /// Accepted values.
    pub kind: ParameterKind,
    /// True if the operation is refused without it.
    pub is_required: bool,
    /// Description, as a sentence.
    pub about: &'static str,
    /// Example as clients write it, if the kind does not say enough.
    pub example: Option<&'static str>,
}

/// Greatest database id.
pub const MAX_ID: i64 = i64::MAX;

impl Parameter {
    const fn new(
        location: Location,
        name: &'static str,
        kind: ParameterKind,
        about: &'static str,
    ) -> Self {
        Self {
            name,
            location,
            kind,
            is_required: false,
            about,
            example: None,
        }
    }

    /// Creates a path parameter. Path parameters are always required.
    pub const fn path(name: &'static str, kind: ParameterKind, about: &'static str) -> Self {
        Self::new(Location::Path, name, kind, about).required()
    }

    /// Creates an optional query parameter.
    pub const fn query(name: &'static str, kind: ParameterKind, about: &'static str) -> Self {
        Self::new(Location::Query, name, kind, about)
    }

    /// Creates an optional field of the body.
    pub const fn body(name: &'static str, kind: ParameterKind, about: &'static str) -> Self {
        Self::new(Location::Body, name, kind, about)
    }

    /// Creates an optional header.
    pub const fn header(name: &'static str, kind: ParameterKind, about: &'static str) -> Self {
        Self::new(Location::Header, name, kind, about)
    }

    /// Creates an optional field of a form.
    pub const fn form(name: &'static str, kind: ParameterKind, about: &'static str) -> Self {
        Self::new(Location::Form, name, kind, about)
    }

    /// Returns the same parameter, but required.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.is_required = true;
        self
    }

    /// Returns the same parameter with an example of its value.
    #[must_use]
    pub const fn example(mut self, value: &'static str) -> Self {
        self.example = Some(value);
        self
    }

    /// Returns the JSON Schema of its values (JSON Schema 2020-12).
    pub fn schema(&self) -> Value {
        let mut schema = self.kind.schema();
        if let (Some(example), Some(members)) = (self.example, schema.as_object_mut()) {
            members.insert("examples".to_owned(), json!([example]));
        }
        schema
    }
}

impl ParameterKind {
    /// Database id.
    pub const ID: Self = Self::Integer {
        min: 1,
        max: MAX_ID,
    };

    /// Text of any length that a request may have.
    pub const ANY_TEXT: Self = Self::Text {
        min: 0,
        max: u32::MAX,
    };

    /// Any integer of 64 bits.
    pub const ANY_INTEGER: Self = Self::Integer {
        min: i64::MIN,
        max: i64::MAX,
    };

    /// True if the parameter accepts several values.
    pub(super) const fn is_list(self) -> bool {
        self.has_brackets() || matches!(self, Self::Repeated)
    }

    /// True if the parameter accepts several values, each under its name with brackets in a query or form.
    pub(super) const fn has_brackets(self) -> bool {
        matches!(self, Self::Words(_) | Self::Texts | Self::Numbers)
    }

    pub(super) fn schema(self) -> Value {
        match self {
            Self::ObjectList { fields, max } => list_schema(fields, max),
            Self::Integer { min, max } => {
                json!({"type": "integer", "format": "int64", "minimum": min, "maximum": max})
            }
            Self::Text {
                min: 0,
                max: u32::MAX,
            } => json!({"type": "string"}),
            Self::Text { min, max: u32::MAX } => json!({"type": "string", "minLength": min}),
            Self::Text { min, max } => {
                json!({"type": "string", "minLength": min, "maxLength": max})
            }
            Self::Boolean => json!({"type": "boolean"}),
            Self::False => json!({"type": "boolean", "const": false}),
            Self::True => json!({"type": "boolean", "const": true}),
            Self::Timestamp => json!({"type": "string", "format": "date-time"}),
            Self::Date => json!({"type": "string", "format": "date"}),
            Self::Number(numbers) => json!({"type": "integer", "enum": numbers}),
            Self::Word(words) => json!({"type": "string", "enum": words}),
            Self::Words(words) => {
                json!({"type": "array", "items": {"type": "string", "enum": words}})
            }
            Self::Texts | Self::Repeated => json!({"type": "array", "items": {"type": "string"}}),
            Self::Numbers => {
                json!({"type": "array", "items": {"type": "integer", "format": "int64"}})
            }
            Self::Objects(names) => {
                let text = |name: &&str| ((*name).to_owned(), json!({"type": "string"}));
                let texts: serde_json::Map<String, Value> = names.iter().map(text).collect();
                json!({"type": "array", "items": {"type": "object", "properties": texts}})
            }
            Self::Matching(pattern) => json!({"type": "string", "pattern": pattern}),
            Self::PageSize => json!({
                "type": "integer", "format": "int64", "minimum": i64::MIN, "maximum": i64::MAX,
                "not": {"const": 0},
            }),
            Self::SpacedWords(words) => {
                let word = words.join("|");
                json!({"type": "string", "pattern": format!(r"^\s*({word})(\s+({word}))*\s*$")})
            }
            Self::Scope(words) => {
                let word = words.join("|");
                json!({"type": "string", "pattern": format!("^( *({word})( +({word}))* *)?$")})
            }
            Self::Addresses => {
                json!({"type": "string", "pattern": r"^\s*[A-Za-z][A-Za-z0-9+.-]*:\S"})
            }
            Self::File => json!({"type": "string", "format": "binary"}),
            Self::IdOrPath => json!({
                "oneOf": [
                    {"type": "integer", "format": "int64", "minimum": 1},
                    {"type": "string", "minLength": 1, "maxLength": 1024},
                ]
            }),
        }
    }
}
