//! What every JSON body must be before anyone parses it: not too deep, and without a NUL.

use crate::error::ApiError;

/// Checks a body in one pass, without building anything.
///
/// An array or object is one level; the root is level 1. An escaped NUL is refused because text with a NUL cannot
/// be stored by every database; a bare one is no JSON anyway. The scan does not judge the grammar: what it lets
/// through may still be malformed.
///
/// # Errors
/// 400 that says which of the two it is.
pub fn check(body: &[u8], max_nesting: usize) -> Result<(), ApiError> {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut bytes = body.iter().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match (in_string, byte) {
            (_, b'"') => in_string = !in_string,
            (true, b'\\') => {
                if body.get(at..at + 6) == Some(b"\\u0000") {
                    return Err(ApiError::malformed_body(
                        "the JSON holds a NUL character (\\u0000)",
                    ));
                }
                bytes.next();
            }
            (false, b'{' | b'[') => {
                depth += 1;
                if depth > max_nesting {
                    let reason = format!("the JSON is nested deeper than {max_nesting} levels");
                    return Err(ApiError::malformed_body(&reason));
                }
            }
            (false, b'}' | b']') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

/// The refusal of a body that is not JSON: where it went wrong, and what was wanted.
pub fn refusal(error: &serde_json::Error) -> ApiError {
    let place = format!("line {}, column {}", error.line(), error.column());
    ApiError::malformed_body(&format!(
        "the body is not valid JSON ({place}); send application/json in UTF-8"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn nested(levels: usize) -> String {
        format!("{}{}", "[".repeat(levels), "]".repeat(levels))
    }

    #[test]
    fn a_hundred_levels_are_accepted_and_one_more_is_not() {
        assert!(check(nested(100).as_bytes(), 100).is_ok());
        assert_eq!(
            check(nested(101).as_bytes(), 100).unwrap_err().status(),
            400
        );
    }

    #[test]
    fn brackets_in_strings_do_not_count() {
        assert!(check(br#"{"a":"[[[\"[[[\\"}"#, 1).is_ok());
    }

    #[test]
    fn a_nul_is_found_and_an_escaped_backslash_before_u0000_is_not_one() {
        assert!(check(br#""\u0000""#, 1).is_err());
        assert!(check(br#""\\u0000""#, 1).is_ok());
        assert!(check(br#""\\\u0000""#, 1).is_err());
        assert!(check(br#""\u0001""#, 1).is_ok());
    }

    fn depth(value: &Value) -> usize {
        match value {
            Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
            Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
            _ => 0,
        }
    }

    fn tree() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            "[\\[\\]{}\"\\\\a]{0,6}".prop_map(Value::String)
        ];
        leaf.prop_recursive(6, 40, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
                proptest::collection::btree_map("[\\[{\"a]{0,3}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_scan_agrees_with_the_tree(value in tree(), limit in 0_usize..8) {
            let accepted = check(value.to_string().as_bytes(), limit).is_ok();
            prop_assert_eq!(accepted, depth(&value) <= limit);
        }

        #[test]
        fn any_bytes_are_judged(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Err(error) = check(&bytes, 3) {
                prop_assert_eq!(error.status(), 400);
            }
        }
    }
}
