//! Checks of JSON bodies before parsing: nesting depth, and values that are valid in the grammar but cannot be used.

use std::borrow::Cow;
use std::ops::Range;

use serde::de::IgnoredAny;
use serde_json::Number;

use crate::error::ApiError;

/// Length up to which a number without an exponent is always in the range of a double.
const SAFE_DIGITS: usize = 300;

/// Escape of U+FFFD, which replaces invalid characters.
const REPLACEMENT: &str = "\\ufffd";

/// Checks a body in one pass, without building a tree.
///
/// An array or object is one level; the root is level 1. An escaped NUL is refused because not every database can store
/// text with a NUL; an unescaped one is not valid JSON anyway. A lone surrogate is refused because it is not text, and
/// a number beyond the range of a double because there is no value for it: the grammar allows both, but a stored body
/// with them cannot be read back. The scan does not check the grammar itself: a body that passes may still be
/// malformed, but a well-formed one that is nested at most 127 levels deep can be parsed into a [`serde_json::Value`].
///
/// # Errors
/// 400 whose message says which of these it is.
pub fn check(body: &[u8], max_nesting: usize) -> Result<(), ApiError> {
    scan(body, max_nesting, &mut |flaw, _| Err(flaw.refusal()))
}

/// A repaired body without anything that [`check`] refuses, and the number of repairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairedBody<'b> {
    /// Text of the body; borrowed if nothing was repaired.
    pub text: Cow<'b, str>,
    /// Number of escaped NUL characters replaced by U+FFFD.
    pub nuls: usize,
    /// Number of lone surrogates replaced by U+FFFD.
    pub surrogates: usize,
    /// Number of values beyond the range of a double that were turned into strings.
    pub numbers: usize,
}

/// The body is nested too deeply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the JSON is nested deeper than {0} levels")]
pub struct TooDeep(pub usize);

impl From<TooDeep> for ApiError {
    fn from(refusal: TooDeep) -> Self {
        Self::malformed_body(&refusal.to_string())
    }
}

/// Repairs what [`check`] refuses, for bodies in which one bad value must not invalidate the rest. Text that is not
/// JSON stays unchanged, so that the parser reports the position of the error.
///
/// # Errors
/// Fails if the body is nested deeper than `max_nesting`, which cannot be repaired.
pub fn repair(body: &str, max_nesting: usize) -> Result<RepairedBody<'_>, TooDeep> {
    let mut flaws: Vec<(Flaw, Range<usize>)> = Vec::new();
    scan(body.as_bytes(), max_nesting, &mut |flaw, place| {
        flaws.push((flaw, place));
        Ok::<(), TooDeep>(())
    })?;
    let mut repaired = RepairedBody {
        text: Cow::Borrowed(body),
        nuls: 0,
        surrogates: 0,
        numbers: 0,
    };
    // A number may appear where a string may not, so a repair must not turn invalid JSON into valid JSON.
    if flaws.is_empty() || serde_json::from_str::<IgnoredAny>(body).is_err() {
        return Ok(repaired);
    }
    let mut text = String::with_capacity(body.len() + 2 * flaws.len());
    let mut done = 0;
    for (flaw, place) in flaws {
        text.push_str(part(body, done..place.start));
        done = place.end;
        match flaw {
            Flaw::Number => {
                repaired.numbers += 1;
                text.extend(["\"", part(body, place), "\""]);
            }
            Flaw::Nul => {
                repaired.nuls += 1;
                text.push_str(REPLACEMENT);
            }
            Flaw::HalfPair(_) => {
                repaired.surrogates += 1;
                text.push_str(REPLACEMENT);
            }
        }
    }
    text.push_str(part(body, done..body.len()));
    repaired.text = Cow::Owned(text);
    Ok(repaired)
}

#[expect(
    clippy::expect_used,
    reason = "a fault begins and ends at an ASCII character that the scan has just read"
)]
fn part(body: &str, place: Range<usize>) -> &str {
    body.get(place)
        .expect("a fault lies on character boundaries of the body")
}

/// Flaw in a part of a body.
#[derive(Debug, Clone, Copy)]
enum Flaw {
    /// An escaped NUL.
    Nul,
    /// An escaped lone surrogate.
    HalfPair(u32),
    /// A number beyond the range of a double.
    Number,
}

impl Flaw {
    fn refusal(self) -> ApiError {
        match self {
            Self::Nul => ApiError::malformed_body("the JSON contains a NUL character (\\u0000)"),
            Self::HalfPair(unit) => ApiError::malformed_body(&format!(
                "the JSON contains an unpaired surrogate (\\u{unit:04x})"
            )),
            Self::Number => ApiError::malformed_body(
                "the JSON contains a number outside the range of a double (about 1.8e308)",
            ),
        }
    }
}

/// Scans a body and calls `found` for each flaw with its byte range.
fn scan<E: From<TooDeep>>(
    body: &[u8],
    max_nesting: usize,
    found: &mut impl FnMut(Flaw, Range<usize>) -> Result<(), E>,
) -> Result<(), E> {
    // Byte range from the start of `rest` to the start of `after`.
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

/// Returns the text after a string, given the text after its opening quote.
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

/// Returns the flaw of an escaped character and the text after its one or two escapes, given the text after `\u`.
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

/// Returns true if a number is out of range, and the text after it.
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

/// Uses the parser itself, so that both always agree at the edge of the range.
fn is_out_of_range(number: &[u8]) -> bool {
    serde_json::from_slice::<Number>(number).is_err()
        && serde_json::from_slice::<IgnoredAny>(number).is_ok()
}

/// Returns the error response for a body that is not JSON: the position of the error, and the expected format.
pub fn refusal(error: &serde_json::Error) -> ApiError {
    let place = format!("line {}, column {}", error.line(), error.column());
    ApiError::malformed_body(&format!(
        "the body is not valid JSON ({place}); send application/json in UTF-8"
    ))
}

#[cfg(test)]
mod tests;
