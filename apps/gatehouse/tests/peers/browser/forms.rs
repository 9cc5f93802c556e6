//! The forms of a page, as needed by a browser without scripts.

use std::fmt::Write as _;

/// A form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HtmlForm {
    /// The URL or path of the form's target.
    pub(crate) action: String,
    /// The method, in lower case.
    pub(crate) method: String,
    /// The names and values of its fields, including named buttons.
    pub(crate) fields: Vec<(String, String)>,
}

impl HtmlForm {
    /// All forms of a page.
    pub(crate) fn all(html: &str) -> Vec<Self> {
        let mut forms: Vec<Self> = Vec::new();
        let mut is_open = false;
        for tag in html.split('<').skip(1) {
            let tag = tag.split('>').next().unwrap_or_default();
            let name = tag.split([' ', '\n']).next().unwrap_or_default();
            match (name, forms.last_mut()) {
                ("form", _) => {
                    forms.push(Self::opened(tag));
                    is_open = true;
                }
                ("/form", _) => is_open = false,
                ("input" | "button" | "textarea", Some(form)) if is_open => form.read_field(tag),
                _ => {}
            }
        }
        forms
    }

    /// True if there is a field with this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// Initial value of a field.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        let mut found = self.fields.iter().filter(|(field, _)| field == name);
        found.next().map(|(_, value)| value.as_str())
    }

    /// The fields with some of them filled in. Panics on fields that the form does not have.
    #[track_caller]
    pub(crate) fn filled(&self, filled: &[(&str, &str)]) -> Vec<(String, String)> {
        for (name, _) in filled {
            assert!(self.has(name), "the form has no {name}: {self:?}");
        }
        let value_of = |name: &str| filled.iter().find(|(field, _)| *field == name);
        let fields = self.fields.iter().map(|(name, value)| {
            let value = value_of(name).map_or(value.as_str(), |(_, value)| value);
            (name.clone(), value.to_owned())
        });
        fields.collect()
    }

    fn opened(tag: &str) -> Self {
        Self {
            action: attribute(tag, "action").unwrap_or_default(),
            method: attribute(tag, "method")
                .unwrap_or_default()
                .to_ascii_lowercase(),
            fields: Vec::new(),
        }
    }

    fn read_field(&mut self, tag: &str) {
        if let Some(name) = attribute(tag, "name") {
            let value = attribute(tag, "value").unwrap_or_default();
            self.fields.push((name, value));
        }
    }
}

/// The value of an attribute in double quotes. Pages escape the quotes and brackets within.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    let value = rest.split('"').next()?;
    let plain = [
        ("&quot;", "\""),
        ("&#34;", "\""),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&lt;", "<"),
        ("&#60;", "<"),
        ("&gt;", ">"),
        ("&#62;", ">"),
        ("&#38;", "&"),
        ("&amp;", "&"),
    ];
    let unescape = |text: String, (escaped, plain): &(&str, &str)| text.replace(escaped, plain);
    Some(plain.iter().fold(value.to_owned(), unescape))
}

/// Names and values, URL-encoded.
pub(crate) fn encode<'a>(fields: impl IntoIterator<Item = &'a (String, String)>) -> String {
    let pairs = fields
        .into_iter()
        .map(|(name, value)| format!("{}={}", escape(name), escape(value)));
    pairs.collect::<Vec<_>>().join("&")
}

fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

#[test]
fn forms_are_read_with_their_hidden_fields_and_unescaped() {
    let html = "<input name=\"outside\"><form class=\"a\" action=\"/x?a=1&amp;b=2\" method=\"POST\">\
                <input type=\"hidden\" name=\"t\" value=\"&quot;&amp;lt;\"><button name=\"go\" value=\"1\">Go</button></form>";
    let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let expected = HtmlForm {
        action: "/x?a=1&b=2".to_owned(),
        method: "post".to_owned(),
        fields: vec![field("t", "\"&lt;"), field("go", "1")],
    };
    let forms = HtmlForm::all(html);
    assert_eq!(forms.len(), 1);
    assert_eq!(forms[0], expected);
    assert_eq!(
        encode(&expected.filled(&[("t", "é &")])),
        "t=%C3%A9%20%26&go=1"
    );
}
