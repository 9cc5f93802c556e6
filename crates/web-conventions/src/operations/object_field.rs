//! Fields of the objects in a list parameter.

use serde_json::{Map, Value, json};

use super::parameter::ParameterKind;

/// Field of the objects in a list parameter ([`ParameterKind::ObjectList`]).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ObjectField {
    /// Name.
    pub name: &'static str,
    /// Accepted values.
    pub kind: ParameterKind,
    /// True if every object must have it.
    pub is_required: bool,
    /// Description, as a sentence.
    pub about: &'static str,
}

impl ObjectField {
    /// Creates an optional field.
    pub const fn new(name: &'static str, kind: ParameterKind, about: &'static str) -> Self {
        Self {
            name,
            kind,
            is_required: false,
            about,
        }
    }

    /// Returns the same field, but required.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.is_required = true;
        self
    }
}

/// Returns the JSON Schema of a list of objects with these fields.
pub(super) fn list_schema(fields: &[ObjectField], max: u32) -> Value {
    let property = |field: &ObjectField| {
        let mut schema = field.kind.schema();
        if let Some(members) = schema.as_object_mut() {
            members.insert("description".to_owned(), json!(field.about));
        }
        (field.name.to_owned(), schema)
    };
    let properties: Map<String, Value> = fields.iter().map(property).collect();
    let required = fields.iter().filter(|field| field.is_required);
    let required: Vec<&str> = required.map(|field| field.name).collect();
    json!({
        "type": "array",
        "minItems": 1,
        "maxItems": max,
        "items": {"type": "object", "properties": properties, "required": required},
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_lists_the_fields_and_their_bounds() {
        let name = ParameterKind::Text { min: 1, max: 9 };
        let fields = [
            ObjectField::new("name", name, "Name.").required(),
            ObjectField::new("size", ParameterKind::Number(&[1, 2]), "Size."),
        ];
        let expected = json!({
            "type": "array", "minItems": 1, "maxItems": 3,
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "minLength": 1, "maxLength": 9, "description": "Name."},
                    "size": {"type": "integer", "enum": [1, 2], "description": "Size."},
                },
                "required": ["name"],
            },
        });
        assert_eq!(list_schema(&fields, 3), expected);
    }
}
