//! Names in GraphQL queries (GraphQL, October 2021, section 2.1).

use std::collections::BTreeSet;

use serde_json::Value;

use super::call::RecordedCall;

/// Collects all names in a call: those in its queries, those of its variables, and variable values that may be enum
/// values.
pub(super) fn names_of(call: &RecordedCall<'_>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    if let Some(Value::String(query)) = call.parameters.get("query") {
        add_names(query, &mut names);
    }
    match call.parameters.get("variables") {
        // In a query string, the variables are JSON in a string.
        Some(Value::String(text)) => {
            if let Ok(variables) = serde_json::from_str(text) {
                add_variables(&variables, &mut names);
            }
        }
        Some(variables) => add_variables(variables, &mut names),
        None => {}
    }
    if let Some(body) = call.body {
        match serde_json::from_str(body) {
            Ok(Value::Array(requests)) => {
                for request in &requests {
                    add_request(request, &mut names);
                }
            }
            Ok(request) => add_request(&request, &mut names),
            // A body of type `application/graphql` is the query alone.
            Err(_) => add_names(body, &mut names),
        }
    }
    names
}

fn add_request(request: &Value, names: &mut BTreeSet<String>) {
    if let Some(query) = request.get("query").and_then(Value::as_str) {
        add_names(query, names);
    }
    if let Some(variables) = request.get("variables") {
        add_variables(variables, names);
    }
}

/// Adds the names in variables. Parsers bound how deeply they are nested.
fn add_variables(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if is_constant(text) => {
            names.insert(text.clone());
        }
        Value::Array(items) => {
            for item in items {
                add_variables(item, names);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                names.insert(name.clone());
                add_variables(value, names);
            }
        }
        _ => {}
    }
}

/// True if a text is written like an enum value.
fn is_constant(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    !text.is_empty() && text.len() <= 80 && text.bytes().all(is_plain)
}

/// Adds the names in a query, except those in strings and comments.
fn add_names(query: &str, names: &mut BTreeSet<String>) {
    let mut rest = query;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '#' => rest.find(['\n', '\r']).unwrap_or(rest.len()),
            '"' => text_length(rest),
            _ if is_of_name(first) => {
                let length = rest.find(|it| !is_of_name(it)).unwrap_or(rest.len());
                names.extend(rest.get(..length).map(str::to_owned));
                length
            }
            other => other.len_utf8(),
        };
        rest = rest.get(length..).unwrap_or_default();
    }
}

fn is_of_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// Length of the string at the start of a query, including its quotes.
fn text_length(query: &str) -> usize {
    if let Some(inside) = query.strip_prefix(r#"""""#) {
        let mut from = 0;
        while let Some(found) = inside.get(from..).and_then(|rest| rest.find(r#"""""#)) {
            let end = from + found;
            if !inside.get(..end).is_some_and(|text| text.ends_with('\\')) {
                return end + 6;
            }
            from = end + 3;
        }
        return query.len();
    }
    let mut is_escaped = false;
    for (at, character) in query.char_indices().skip(1) {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' | '\n' => return at + 1,
            _ => {}
        }
    }
    query.len()
}

/// True if these names may be a use of what a record names.
/// For `Note.confidential` that is the field, for `CiRunner.status(legacyMode)` the field and the argument, for a
/// single name that name, or a field of that name (`CiCdSettingsUpdate`, `ciCdSettingsUpdate`).
pub(super) fn may_use(names: &BTreeSet<String>, name: &str) -> bool {
    if let Some((_, member)) = name.split_once('.') {
        let parts = member.split(['.', '(', ')']);
        let mut parts = parts.filter(|part| !part.is_empty());
        return parts.all(|part| names.contains(part));
    }
    let mut characters = name.chars();
    let first = characters.next().unwrap_or_default().to_ascii_lowercase();
    let field = format!("{first}{}", characters.as_str());
    let forms = [
        name,
        &field,
        &format!("{name}Input"),
        &format!("{name}Payload"),
    ];
    forms.into_iter().any(|form| names.contains(form))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(query: &str) -> Vec<String> {
        let mut names = BTreeSet::new();
        add_names(query, &mut names);
        names.into_iter().collect()
    }

    #[test]
    fn texts_and_comments_have_no_names() {
        let query = r#"{ a(b: "c \" d", e: """f " \""" g""") # h
            i }"#;
        assert_eq!(names(query), ["a", "b", "e", "i"]);
        for broken in ["\"", "\"\"\"", "\"\\", "\"\"\" \\\"\"\"", "#", "é\"ü"] {
            assert!(names(broken).is_empty(), "{broken}");
        }
    }

    #[test]
    fn a_member_needs_its_arguments_and_not_its_type() {
        let has = |name| {
            may_use(
                &names("{ runner { status(legacyMode: null) } }")
                    .into_iter()
                    .collect(),
                name,
            )
        };
        assert!(has("CiRunner.status(legacyMode)") && has("CiRunner.status"));
        assert!(!has("CiRunner.paused(legacyMode)") && has("Runner"));
    }
}
