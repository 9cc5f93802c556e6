//! The JSON of settings.

use std::marker::PhantomData;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::model::{SettingTable, SettingValues};

/// All settings of a place, with defaults for those that are not set.
#[derive(Debug, Clone)]
pub(super) struct SettingValuesJson<T> {
    values: Map<String, Value>,
    table: PhantomData<T>,
}

impl<T: SettingTable> SettingValuesJson<T> {
    pub(super) fn new(settings: &SettingValues<T>) -> Self {
        Self {
            values: settings.response_values(),
            table: PhantomData,
        }
    }
}

impl<T> Serialize for SettingValuesJson<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.values.serialize(serializer)
    }
}

#[cfg(feature = "schema")]
impl<T: SettingTable> schemars::JsonSchema for SettingValuesJson<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Settings".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut properties: Map<String, Value> = SettingValues::<T>::response_settings()
            .map(|setting| (setting.name.to_owned(), schema::of(setting)))
            .collect();
        for (switch, _) in T::SWITCHES {
            properties.insert((*switch).to_owned(), serde_json::json!({"type": "boolean"}));
        }
        let required: Vec<&String> = properties.keys().collect();
        schemars::json_schema!({
            "type": "object",
            "required": required,
            "properties": properties,
        })
    }
}

#[cfg(feature = "schema")]
mod schema {
    use serde_json::{Value, json};

    use crate::model::{Setting, SettingDefault, SettingKind};

    pub(super) fn of(setting: &Setting) -> Value {
        let may_be_null = setting.default == SettingDefault::Nothing;
        let word = |name: &'static str| {
            if may_be_null {
                json!([name, "null"])
            } else {
                json!(name)
            }
        };
        let mut schema = match setting.kind {
            SettingKind::Flag => json!({"type": word("boolean")}),
            SettingKind::Word(words) => json!({"type": "string", "enum": words}),
            SettingKind::Number(numbers) => json!({"type": "integer", "enum": numbers}),
            SettingKind::Within(min, max) => {
                json!({"type": "integer", "format": "int64", "minimum": min, "maximum": max})
            }
            SettingKind::Text(_) => json!({"type": word("string")}),
        };
        if let Some(members) = schema.as_object_mut() {
            members.insert("description".to_owned(), setting.about.into());
        }
        schema
    }
}
