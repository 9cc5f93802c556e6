//! JSON Schema of the enums of the model. They are separate from it, because the build script uses the model without
//! schemas.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::model::{RecordStatus, SubjectKind};

macro_rules! words {
    ($($name:ident as $schema_name:literal: $about:literal, $words:expr;)*) => {$(
        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                $schema_name.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({"type": "string", "description": $about, "enum": $words})
            }
        }
    )*};
}

words! {
    SubjectKind as "DeprecationKind": "Kind of the affected feature.", SubjectKind::ALL.map(SubjectKind::as_str);
    RecordStatus as "DeprecationStatus": "Status in the requested release.", ["current", "deprecated", "removed", "absent"];
}
