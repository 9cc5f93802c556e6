//! Reading of record fields from request parameters.

use api_conventions::access::Visibility;
use api_conventions::params::ParamReader;
use api_conventions::time::{CalendarDate, Timestamp};

/// Type of a field that users write.
pub trait FieldValue: Sized {
    /// Reads the value of a parameter.
    /// Returns `None` if it is absent or invalid; the reader records the error.
    fn read(reader: &mut ParamReader<'_>, name: &str) -> Option<Self>;

    /// Reads an optional value.
    /// An empty value and `null` clear the field.
    fn read_optional(reader: &mut ParamReader<'_>, name: &str) -> Option<Option<Self>> {
        let is_given = reader.is_given(name);
        is_given.then(|| Self::read(reader, name))
    }

    /// Value of the field after a change from `before` to this value.
    /// Returns this value, except for types that change only parts of `before`.
    #[must_use]
    fn replacing(self, before: Self) -> Self {
        let _ = before;
        self
    }
}

impl FieldValue for String {
    fn read(reader: &mut ParamReader<'_>, name: &str) -> Option<Self> {
        reader.text(name)
    }

    fn read_optional(reader: &mut ParamReader<'_>, name: &str) -> Option<Option<Self>> {
        let is_given = reader.is_given(name);
        is_given.then(|| reader.text(name).filter(|text| !text.is_empty()))
    }
}

macro_rules! values {
    ($($ty:ty: $method:ident),+ $(,)?) => {
        $(impl FieldValue for $ty {
            fn read(reader: &mut ParamReader<'_>, name: &str) -> Option<Self> {
                reader.$method(name)
            }
        })+
    };
}

values! {
    i64: integer,
    bool: boolean,
    CalendarDate: date,
    Timestamp: timestamp,
}

impl FieldValue for Visibility {
    fn read(reader: &mut ParamReader<'_>, name: &str) -> Option<Self> {
        reader.word(name, Self::parse)
    }
}

/// Strings from an array or a comma-separated list, trimmed.
/// Blank ones are dropped.
impl FieldValue for Vec<String> {
    fn read(reader: &mut ParamReader<'_>, name: &str) -> Option<Self> {
        let is_given = reader.is_given(name);
        let texts = reader.texts(name);
        let parts = texts.iter().flat_map(|text| text.split(','));
        let parts = parts.map(str::trim).filter(|part| !part.is_empty());
        is_given.then(|| parts.map(str::to_owned).collect())
    }
}

impl<T: FieldValue> FieldValue for Option<T> {
    fn read(reader: &mut ParamReader<'_>, name: &str) -> Option<Self> {
        T::read_optional(reader, name)
    }
}

/// Differences between the parameter names of an operation and the field names of a record.
/// Each entry has a field and its parameter, or `None` if the operation does not accept the field. All other parameters
/// are named like their fields.
pub type ParamNames = &'static [(&'static str, Option<&'static str>)];

/// Edit that is read field by field.
pub trait EditFields: Default {
    /// Reads the fields that the request contains.
    fn read(reader: &mut ParamReader<'_>, renamed: ParamNames) -> Self;
}

/// Reads one field.
/// Called by [`content!`](crate::content!).
#[doc(hidden)]
pub fn read_field<T: FieldValue>(
    reader: &mut ParamReader<'_>,
    renamed: ParamNames,
    field: &'static str,
) -> Option<T> {
    let mut others = renamed.iter();
    let parameter = others
        .find(|(renamed, _)| *renamed == field)
        .map_or(Some(field), |(_, parameter)| *parameter)?;
    T::read(reader, parameter)
}

/// Declares the content of a record, and its edit type.
/// The edit has an `Option<T>` for each field of type `T`; `None` leaves the field unchanged. An optional field is
/// itself an `Option`, so `Some(None)` clears it.
///
/// The content derives [`Validate`](validator::Validate) and accepts its attributes.
///
/// ```
/// use api_conventions::params::Params;
/// use records::{EditFields, content};
/// use validator::Validate;
///
/// content! {
///     /// Content of a note.
///     #[derive(Debug, Clone, Default, PartialEq, Validate)]
///     pub struct NoteContent, edited by NoteEdit {
///         /// The title.
///         #[validate(length(max = 255))]
///         title: String,
///         /// Urgency, from 0.
///         priority: Option<i64>,
///     }
/// }
///
/// let params = Params::from_json(br#"{"name": "New", "priority": null}"#).unwrap();
/// let edit = NoteEdit::read(&mut params.reader(), &[("title", Some("name"))]);
/// let note = NoteContent { title: "Old".to_owned(), priority: Some(3) };
/// assert_eq!(edit.apply(note), NoteContent { title: "New".to_owned(), priority: None });
/// ```
#[macro_export]
macro_rules! content {
    (
        $(#[$meta:meta])*
        pub struct $content:ident, edited by $edit:ident {
            $( $(#[$field_meta:meta])* $field:ident: $ty:ty, )+
        }
    ) => {
        $(#[$meta])*
        pub struct $content {
            $( $(#[$field_meta])* pub $field: $ty, )+
        }

        /// Edit of the content.
        /// `None` leaves a field unchanged.
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub struct $edit {
            $(
                #[doc = concat!("The new value of `", stringify!($field), "`.")]
                pub $field: Option<$ty>,
            )+
        }

        impl $edit {
            /// The content after the change.
            #[must_use]
            pub fn apply(&self, content: $content) -> $content {
                $content {
                    $( $field: match &self.$field {
                        Some(value) => $crate::FieldValue::replacing(value.clone(), content.$field),
                        None => content.$field,
                    }, )+
                }
            }
        }

        impl $crate::EditFields for $edit {
            fn read(
                reader: &mut $crate::reexported::ParamReader<'_>,
                renamed: $crate::fields::ParamNames,
            ) -> Self {
                Self {
                    $( $field: $crate::fields::read_field(reader, renamed, stringify!($field)), )+
                }
            }
        }
    };
}

#[cfg(test)]
#[expect(unreachable_pub, reason = "the macro declares public types")]
mod tests {
    use api_conventions::params::Params;
    use api_conventions::time::CalendarDate;
    use validator::Validate;

    use super::EditFields as _;

    content! {
        /// A record with a field of each kind.
        #[derive(Debug, Clone, Default, PartialEq, Eq, Validate)]
        pub struct TaskContent, edited by TaskEdit {
            /// Required text.
            title: String,
            /// Optional text.
            about: Option<String>,
            /// Optional number.
            weight: Option<i64>,
            /// Optional day.
            due: Option<CalendarDate>,
            /// A flag.
            open: bool,
        }
    }

    fn read(json: &str, renamed: super::ParamNames) -> Result<TaskEdit, String> {
        let params = Params::from_json(json.as_bytes()).unwrap();
        let mut reader = params.reader();
        let edit = TaskEdit::read(&mut reader, renamed);
        let read = reader.finish();
        read.map(|()| edit)
            .map_err(|error| error.body()["error"].to_string())
    }

    #[test]
    fn absent_fields_are_kept_and_empty_ones_are_cleared() {
        let task = TaskContent {
            title: "Write".to_owned(),
            about: Some("all of it".to_owned()),
            weight: Some(3),
            due: CalendarDate::parse("2024-02-29"),
            open: true,
        };
        assert_eq!(read("{}", &[]).unwrap().apply(task.clone()), task);
        for nothing in ["null", "\"\""] {
            let json = format!(r#"{{"about": {nothing}, "weight": {nothing}, "due": {nothing}}}"#);
            let emptied = TaskContent {
                about: None,
                weight: None,
                due: None,
                ..task.clone()
            };
            assert_eq!(read(&json, &[]).unwrap().apply(task.clone()), emptied);
        }
        let json =
            r#"{"title": "", "about": " ", "weight": "0", "due": "2024-03-01", "open": "no"}"#;
        let changed = TaskContent {
            title: String::new(),
            about: Some(" ".to_owned()),
            weight: Some(0),
            due: CalendarDate::parse("2024-03-01"),
            open: false,
        };
        assert_eq!(read(json, &[]).unwrap().apply(task), changed);
    }

    #[test]
    fn a_field_is_read_under_the_name_that_the_operation_gives_it_or_not_at_all() {
        let json = r#"{"title": "field", "name": "parameter", "open": true}"#;
        let edit = read(json, &[("title", Some("name")), ("open", None)]).unwrap();
        assert_eq!(
            (edit.title.as_deref(), edit.open),
            (Some("parameter"), None)
        );
    }

    #[test]
    fn everything_that_is_wrong_is_reported_under_its_name() {
        let json = r#"{"name": [1], "weight": "heavy", "due": "soon", "open": null}"#;
        assert_eq!(
            read(json, &[("title", Some("name"))]),
            Err(
                "\"name is invalid, weight is invalid, due is invalid, open is invalid\""
                    .to_owned()
            )
        );
    }
}
