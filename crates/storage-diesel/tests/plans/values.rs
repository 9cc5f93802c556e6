//! Values of a recorded statement: parsed from their Rust form, and written as PostgreSQL literals.

/// Returns the values of a statement as literals, for `EXECUTE`.
pub(crate) fn literals(values: &str) -> String {
    let mut rest = LiteralReader(values.trim());
    let all = rest.list();
    assert_eq!(rest.0, "", "{values}");
    let all: Vec<String> = all.iter().map(LiteralValue::literal).collect();
    if all.is_empty() {
        String::new()
    } else {
        format!("({})", all.join(", "))
    }
}

enum LiteralValue {
    Null,
    Text(String),
    List(Vec<LiteralValue>),
}

impl LiteralValue {
    fn literal(&self) -> String {
        match self {
            Self::Null => "NULL".to_owned(),
            Self::Text(text) => format!("'{}'", text.replace('\'', "''")),
            Self::List(values) => {
                let element = |value: &Self| match value {
                    Self::Null => "NULL".to_owned(),
                    Self::Text(text) => format!("\"{text}\""),
                    Self::List(_) => panic!("a list in a list"),
                };
                let all: Vec<String> = values.iter().map(element).collect();
                format!("'{{{}}}'", all.join(","))
            }
        }
    }
}

struct LiteralReader<'t>(&'t str);

impl LiteralReader<'_> {
    fn takes(&mut self, mark: &str) -> bool {
        let rest = self.0.trim_start().strip_prefix(mark);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn list(&mut self) -> Vec<LiteralValue> {
        assert!(self.takes("["), "{}", self.0);
        let mut all = Vec::new();
        while !self.takes("]") {
            all.push(self.value());
            self.takes(",");
        }
        all
    }

    fn value(&mut self) -> LiteralValue {
        if self.0.trim_start().starts_with('[') {
            return LiteralValue::List(self.list());
        }
        if self.takes("Some(") {
            let value = self.value();
            assert!(self.takes(")"), "{}", self.0);
            return value;
        }
        if self.takes("None") {
            return LiteralValue::Null;
        }
        if self.takes("\"") {
            let (text, rest) = self.0.split_once('"').unwrap();
            assert!(!text.contains('\\'), "{text}");
            self.0 = rest;
            return LiteralValue::Text(text.to_owned());
        }
        let rest = self.0.trim_start();
        let end = rest.find([',', ']', ')']).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        self.0 = rest;
        LiteralValue::Text(word.trim().to_owned())
    }
}

#[test]
fn values_are_read_as_they_are_recorded() {
    let values = r#"[1, [2, 3], "it's", None, Some(-4), true]"#;
    assert_eq!(
        literals(values),
        r#"('1', '{"2","3"}', 'it''s', NULL, '-4', 'true')"#
    );
    assert_eq!(literals("[]"), "");
}
