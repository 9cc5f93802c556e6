//! Cursors: the position in a list as one opaque text.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

/// Last row of a page of a list sorted by name and id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameCursor {
    /// Name of the row.
    pub name: String,
    /// Id of the row.
    pub id: i64,
}

impl NameCursor {
    /// Parses the `cursor` of a link; returns `None` for an invalid cursor.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()?;
        let value: Value = serde_json::from_slice(&bytes).ok()?;
        let name = value.get("name")?.as_str()?.to_owned();
        let id = value.get("id")?.as_i64()?;
        (!name.contains('\0')).then_some(Self { name, id })
    }
}

/// Text in a link: JSON in URL-safe base64.
impl fmt::Display for NameCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let json = json!({ "name": self.name, "id": self.id, "_kd": "n" });
        f.write_str(&URL_SAFE_NO_PAD.encode(json.to_string()))
    }
}

/// Last row of a page of a list sorted by id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdCursor(i64);

impl IdCursor {
    /// Creates the cursor of the row with this id.
    pub const fn new(id: i64) -> Self {
        Self(id)
    }

    /// Id of the row.
    pub const fn id(self) -> i64 {
        self.0
    }

    /// Parses the `cursor` of a link; returns `None` for an invalid cursor.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()?;
        let value: Value = serde_json::from_slice(&bytes).ok()?;
        let id = value.get("id")?.as_i64()?;
        (id > 0).then_some(Self(id))
    }
}

/// Text in a link: JSON in URL-safe base64.
impl fmt::Display for IdCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let json = json!({ "id": self.0, "_kd": "n" });
        f.write_str(&URL_SAFE_NO_PAD.encode(json.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cursor_of_an_id_comes_back_and_nothing_else_is_one() {
        for id in [1, 42, i64::MAX] {
            let text = IdCursor::new(id).to_string();
            assert_eq!(IdCursor::parse(&text).map(IdCursor::id), Some(id));
        }
        let encoded = |json: &str| URL_SAFE_NO_PAD.encode(json);
        for bad in [
            "",
            "42",
            &encoded("42"),
            &encoded(r#"{"id": "42"}"#),
            &encoded(r#"{"id": 0}"#),
        ] {
            assert_eq!(IdCursor::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_cursor_comes_back_and_nothing_else_is_one() {
        let cursor = NameCursor {
            name: "Ünïcode / \"quoted\" &".to_owned(),
            id: i64::MAX,
        };
        let text = cursor.to_string();
        let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        assert!(text.bytes().all(is_safe), "{text}");
        assert_eq!(NameCursor::parse(&text), Some(cursor));
        let encoded = |json: &str| URL_SAFE_NO_PAD.encode(json);
        for bad in [
            "",
            "x",
            "%%",
            &encoded("[]"),
            &encoded(r#"{"name": "a"}"#),
            &encoded(r#"{"name": 3, "id": 4}"#),
            &encoded(r#"{"name": "a\u0000", "id": 4}"#),
        ] {
            assert_eq!(NameCursor::parse(bad), None, "{bad}");
        }
    }
}
