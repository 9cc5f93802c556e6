//! JSON Schema of the enums of the model. They are separate from it, because the build script uses the model without
//! schemas.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::model::{Kind, Status};

macro_rules! words {
    ($($name:ident: $about:literal, $words:expr;)*) => {$(
        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                concat!("Deprecation", stringify!($name)).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({"type": "string", "description": $about, "enum": $words})
            }
        }
    )*};
}

words! {
    Kind: "What kind of thing it is.", Kind::ALL.map(Kind::as_str);
    Status: "What it means at a release.", ["current", "deprecated", "removed", "absent"];
}
