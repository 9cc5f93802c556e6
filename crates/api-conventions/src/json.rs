//! What every JSON body must be before anyone parses it: not too deep, and nothing in it that is grammatical and
//! still no value.

use std::borrow::Cow;
use std::ops::Range;

use serde::de::IgnoredAny;
use serde_json::Number;

use crate::error::ApiError;

/// A number without an exponent that is no longer than this is in the range of a double.
const SAFE_DIGITS: usize = 300;

/// The escape of U+FFFD, which stands in for what is no character.
const REPLACEMENT: &str = "\\ufffd";

/// Checks a body in one pass, without building anything.
///
/// An array or object is one level; the root is level 1. An escaped NUL is refused because text with a NUL cannot
/// be stored by every database; a bare one is no JSON anyway. Half a surrogate pair is refused because it is no
/// text, and a number beyond the range of a double because there is no value for it: the grammar allows both, and
/// whoever keeps such a body cannot read it later. The scan does not judge the grammar itself: what it lets
/// through may still be malformed, but a text that is not, and is nested no deeper than 127 levels, can be parsed
/// into a [`serde_json::Value`].
///
/// # Errors
/// 400 that says which of these it is.
pub fn check(body: &[u8], max_nesting: usize) -> Result<(), ApiError> {
    scan(body, max_nesting, &mut |flaw, _| Err(flaw.refusal()))
}

/// A body in which nothing is left that [`check`] refuses, and how much was mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mended<'b> {
    /// The text: the body itself where nothing was wrong with it.
    pub text: Cow<'b, str>,
    /// Escaped NUL characters that were replaced by U+FFFD.
    pub nuls: usize,
    /// Halves of surrogate pairs that were replaced by U+FFFD.
    pub surrogates: usize,
    /// Numbers beyond the range of a double that became text.
    pub numbers: usize,
}

/// A body is nested too deeply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the JSON is nested deeper than {0} levels")]
pub struct TooDeep(pub usize);

impl From<TooDeep> for ApiError {
    fn from(refusal: TooDeep) -> Self {
        Self::malformed_body(&refusal.to_string())
    }
}

/// Mends what [`check`] refuses, for bodies of which one bad value must not sink the rest. A text that is no JSON stays
/// as it is, so that the parser says where it goes wrong.
///
/// # Errors
/// When the body is nested deeper than `max_nesting`, which cannot be mended.
pub fn mend(body: &str, max_nesting: usize) -> Result<Mended<'_>, TooDeep> {
    let mut flaws: Vec<(Flaw, Range<usize>)> = Vec::new();
    scan(body.as_bytes(), max_nesting, &mut |flaw, place| {
        flaws.push((flaw, place));
        Ok::<(), TooDeep>(())
    })?;
    let mut mended = Mended {
        text: Cow::Borrowed(body),
        nuls: 0,
        surrogates: 0,
        numbers: 0,
    };
    // A number may stand where no text may, so what is no JSON must not become some by being mended.
    if flaws.is_empty() || serde_json::from_str::<IgnoredAny>(body).is_err() {
        return Ok(mended);
    }
    let mut text = String::with_capacity(body.len() + 2 * flaws.len());
    let mut done = 0;
    for (flaw, place) in flaws {
        text.push_str(body.get(done..place.start).unwrap_or_default());
        done = place.end;
        match flaw {
            Flaw::Number => {
                mended.numbers += 1;
                text.extend(["\"", body.get(place).unwrap_or_default(), "\""]);
            }
            Flaw::Nul => {
                mended.nuls += 1;
                text.push_str(REPLACEMENT);
            }
            Flaw::HalfPair(_) => {
                mended.surrogates += 1;
                text.push_str(REPLACEMENT);
            }
        }
    }
    text.push_str(body.get(done..).unwrap_or_default());
    mended.text = Cow::Owned(text);
    Ok(mended)
}

/// What is wrong with a part of a body.
#[derive(Debug, Clone, Copy)]
enum Flaw {
    /// An escaped NUL.
    Nul,
    /// An escaped half of a surrogate pair.
    HalfPair(u32),
    /// A number beyond the range of a double.
    Number,
}

impl Flaw {
    fn refusal(self) -> ApiError {
        match self {
            Self::Nul => ApiError::malformed_body("the JSON holds a NUL character (\\u0000)"),
            Self::HalfPair(unit) => ApiError::malformed_body(&format!(
                "the JSON holds half a surrogate pair (\\u{unit:04x}), which is no character"
            )),
            Self::Number => ApiError::malformed_body(
                "the JSON holds a number beyond the range of a double (about 1.8e308)",
            ),
        }
    }
}

/// Walks over a body and calls `found` for each flaw with the bytes that it takes up.
fn scan<E: From<TooDeep>>(
    body: &[u8],
    max_nesting: usize,
    found: &mut impl FnMut(Flaw, Range<usize>) -> Result<(), E>,
) -> Result<(), E> {
    // The place of a part that reaches from the start of `rest` to the start of `after`.
    let place = |rest: &[u8], after: &[u8]| body.len() - rest.len()..body.len() - after.len();
    let mut depth = 0_usize;
    let mut rest = body;
    while let [byte, after @ ..] = rest {
        rest = match byte {
            b'"' => skip_string(after, &mut |flaw, rest, after| {
                found(flaw, place(rest, after))
            })?,
            b'-' | b'0'..=b'9' => {
                let (is_flawed, after) = skip_number(rest);
                if is_flawed {
                    found(Flaw::Number, place(rest, after))?;
                }
                after
            }
            b'{' | b'[' => {
                depth += 1;
                if depth > max_nesting {
                    return Err(TooDeep(max_nesting).into());
                }
                after
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                after
            }
            _ => after,
        };
    }
    Ok(())
}

/// What follows a string, given what follows its opening quote.
fn skip_string<'b, E>(
    mut rest: &'b [u8],
    found: &mut impl FnMut(Flaw, &[u8], &[u8]) -> Result<(), E>,
) -> Result<&'b [u8], E> {
    loop {
        let special = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'));
        let from_special = rest.split_at(special.unwrap_or(rest.len())).1;
        rest = match from_special {
            [b'"', after @ ..] => return Ok(after),
            [b'\\', b'u', after @ ..] => {
                let (flaw, after) = skip_code_unit(after);
                if let Some(flaw) = flaw {
                    found(flaw, from_special, after)?;
                }
                after
            }
            [b'\\', _, after @ ..] => after,
            _ => return Ok(&[]),
        };
    }
}

/// What is wrong with a character, and what follows its one or two escapes, given what follows `\u`.
fn skip_code_unit(rest: &[u8]) -> (Option<Flaw>, &[u8]) {
    match code_unit(rest) {
        Some((0, after)) => (Some(Flaw::Nul), after),
        Some((high @ 0xD800..=0xDBFF, after)) => {
            match after.strip_prefix(b"\\u").and_then(code_unit) {
                Some((0xDC00..=0xDFFF, after)) => (None, after),
                _ => (Some(Flaw::HalfPair(high)), after),
            }
        }
        Some((low @ 0xDC00..=0xDFFF, after)) => (Some(Flaw::HalfPair(low)), after),
        Some((_, after)) => (None, after),
        None => (None, rest),
    }
}

fn code_unit(rest: &[u8]) -> Option<(u32, &[u8])> {
    let (digits, after) = rest.split_first_chunk::<4>()?;
    let unit = digits.iter().try_fold(0, |unit, &digit| {
        Some(unit << 4 | char::from(digit).to_digit(16)?)
    });
    Some((unit?, after))
}

/// Whether a number is out of range, and what follows it.
fn skip_number(rest: &[u8]) -> (bool, &[u8]) {
    let mut has_exponent = false;
    let end = rest.iter().position(|byte| match byte {
        b'0'..=b'9' | b'.' | b'-' | b'+' => false,
        b'e' | b'E' => {
            has_exponent = true;
            false
        }
        _ => true,
    });
    let (number, after) = rest.split_at(end.unwrap_or(rest.len()));
    let is_flawed = (has_exponent || number.len() > SAFE_DIGITS) && is_out_of_range(number);
    (is_flawed, after)
}

/// Asks the parser itself, so that the two never disagree at the edge of the range.
fn is_out_of_range(number: &[u8]) -> bool {
    serde_json::from_slice::<Number>(number).is_err()
        && serde_json::from_slice::<IgnoredAny>(number).is_ok()
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

    #[track_caller]
    fn refused(body: &str, reason: &str) {
        let error = check(body.as_bytes(), 9).unwrap_err();
        let told = error.body()["error"].as_str().unwrap();
        assert!(
            error.status() == 400 && told.contains(reason),
            "{body}: {told}"
        );
    }

    #[test]
    fn half_a_surrogate_pair_is_found_wherever_text_stands() {
        for body in [
            r#""\ud800""#,
            r#""\udc00""#,
            r#""\uDBFF x""#,
            r#""\ud800\n""#,
            r#""\ud800\u0041""#,
            r#""\ud800\ud800\udc00""#,
            r#""\udc00\ud800""#,
            r#""\\\ud800""#,
            r#"{"\ud800":1}"#,
            r#"[{"a":["\udfff"]}]"#,
        ] {
            refused(body, "half a surrogate pair");
        }
        for body in [
            r#""\ud83d\ude00\uD83D\uDE00""#,
            r#""\\ud800""#,
            r#""\ud7ff\ue000""#,
        ] {
            assert!(check(body.as_bytes(), 1).is_ok(), "{body}");
        }
    }

    #[test]
    fn a_number_is_in_the_range_of_a_double() {
        let long = |digits: usize| "9".repeat(digits);
        for body in [
            "1e999",
            "-1E+400",
            "[0,1e309]",
            "{\"a\":{\"b\":1.8e308}}",
            "1e99999999999999999999",
            &long(310),
            &format!("{}.5", long(400)),
        ] {
            refused(body, "beyond the range of a double");
        }
        for body in [
            "1e308",
            "-1.7976931348623157e308",
            "1e-999",
            "0e999",
            "\"1e999\"",
            &long(308),
            &format!("0.{}", long(400)),
            &format!("{}e-300", long(400)),
        ] {
            assert!(check(body.as_bytes(), 1).is_ok(), "{body:.40}");
            assert!(serde_json::from_str::<Value>(body).is_ok(), "{body:.40}");
        }
    }

    #[test]
    fn what_is_refused_elsewhere_can_be_mended() {
        let body =
            r#"{"a\u0000":["\u0000x\ud800","\ud83d\ude00\udc00",1e999,-1E+400,2],"b":"1e999"}"#;
        let mended = mend(body, 9).unwrap();
        assert_eq!(
            mended.text,
            r#"{"a\ufffd":["\ufffdx\ufffd","\ud83d\ude00\ufffd","1e999","-1E+400",2],"b":"1e999"}"#
        );
        assert_eq!((mended.nuls, mended.surrogates, mended.numbers), (2, 2, 2));
        assert!(check(mended.text.as_bytes(), 9).is_ok());
    }

    #[test]
    fn what_needs_no_mending_is_not_copied_and_what_is_no_json_does_not_become_some() {
        for body in ["{\"a\":1e308}", "{1e999:1}", "\"\\u0000", "1e999 x"] {
            let mended = mend(body, 9).unwrap();
            assert!(
                matches!(mended.text, Cow::Borrowed(text) if text == body),
                "{body}"
            );
        }
        assert_eq!(mend("[[1]]", 1), Err(TooDeep(1)));
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

    /// Texts made of what is hard about strings and numbers, so that many of them are grammatical.
    fn texts() -> impl Strategy<Value = String> {
        let escape = "\\\\(u(d8|D9|db|dc|dF|00|4e|d83d\\\\ude)[0-9a-fA-F]{2}|[\"\\\\nu])";
        let pieces = proptest::collection::vec(prop_oneof![escape, "[a-z]{1,2}"], 0..4);
        let string = pieces.prop_map(|pieces| format!("\"{}\"", pieces.concat()));
        let number =
            "-?(0|[1-9][0-9]{0,25}|[1-9][0-9]{290,320})(\\.[0-9]{1,25})?([eE][+-]?[0-9]{1,4})?";
        let edge = "-?1\\.79769313486231[0-9]{1,6}[eE]\\+?30[78]";
        let value = prop_oneof![string.clone(), number, edge];
        let pair = (string, value).prop_map(|(name, value)| format!("{name}:{value}"));
        proptest::collection::vec(pair, 0..3).prop_map(|pairs| format!("[{{{}}}]", pairs.join(",")))
    }

    /// What strings and numbers are put together from, well or badly.
    const FRAGMENTS: &[&str] = &[
        "\\u", "\\", "\"", "d8", "dc", "00", "9", "1e", "E+", "-", ".", "[", "]", ",",
    ];

    fn check_readable(text: &str) -> Result<(), TestCaseError> {
        let grammatical = serde_json::from_str::<IgnoredAny>(text).is_ok();
        let tree = serde_json::from_str::<Value>(text);
        if check(text.as_bytes(), 100).is_ok() {
            prop_assert!(!grammatical || tree.is_ok(), "{text} cannot be read");
        } else if grammatical {
            let holds_nul = tree.is_ok() && text.contains("\\u0000");
            prop_assert!(holds_nul || tree.is_err(), "{text} is refused for nothing");
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn what_passes_and_is_grammatical_can_be_read(text in texts()) {
            check_readable(&text)?;
        }

        #[test]
        fn fragments_that_pass_and_are_grammatical_can_be_read(
            quote in prop::sample::select(vec!["", "\""]),
            fragments in proptest::collection::vec(prop::sample::select(FRAGMENTS), 0..10),
        ) {
            check_readable(&format!("{quote}{}{quote}", fragments.concat()))?;
        }

        #[test]
        fn what_is_grammatical_can_be_read_once_it_is_mended(text in texts()) {
            let mended = mend(&text, 100).unwrap();
            if serde_json::from_str::<IgnoredAny>(&text).is_ok() {
                let tree = serde_json::from_str::<Value>(&mended.text);
                prop_assert!(tree.is_ok(), "{} cannot be read", mended.text);
                prop_assert!(check(mended.text.as_bytes(), 100).is_ok());
            } else {
                prop_assert_eq!(&*mended.text, &*text);
            }
        }

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
