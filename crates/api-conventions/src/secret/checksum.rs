//! Checksums at the end of secrets, by which a scanner tells a secret from a text that only looks like one.
//!
//! The form is that of GitHub's tokens: a CRC-32 in six base62 digits. It covers the prefix as well, so that a scanner
//! need not know where the prefix ends. Anyone can compute a checksum: it protects nothing.

/// Length of a checksum in digits: 62 to the power of 6 is more than 2 to the power of 32.
pub(super) const DIGITS: usize = 6;

/// Number of base62 digits: `0` to `9`, `A` to `Z`, `a` to `z`.
const BASE: u32 = 62;

/// Returns the checksum of `text`, the most significant digit first.
pub(super) fn of(text: &str) -> [char; DIGITS] {
    let mut rest = crc32fast::hash(text.as_bytes());
    let mut digits = ['0'; DIGITS];
    for digit in digits.iter_mut().rev() {
        let [value, ..] = (rest % BASE).to_le_bytes();
        *digit = char::from(match value {
            0..=9 => b'0' + value,
            10..=35 => b'A' + (value - 10),
            _ => b'a' + (value - 36),
        });
        rest /= BASE;
    }
    digits
}

/// True if `text` ends with the checksum of everything before it.
pub(super) fn is_at_end_of(text: &str) -> bool {
    text.len()
        .checked_sub(DIGITS)
        .and_then(|start| text.split_at_checked(start))
        .is_some_and(|(head, tail)| tail.chars().eq(of(head)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "ghat_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH09HWlQ";

    /// The first text is the one for which the checksum CRC-32 is defined to be CBF43926.
    #[test]
    fn known_checksums_are_computed() {
        for (text, checksum) in [
            ("123456789", "3jZRME"),
            ("ghat_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH", "09HWlQ"),
            ("", "000000"),
        ] {
            assert_eq!(String::from_iter(of(text)), checksum, "{text}");
        }
    }

    #[test]
    fn a_changed_character_is_noticed() {
        assert!(is_at_end_of(SECRET));
        for at in 0..SECRET.len() {
            let mut changed = SECRET.to_owned();
            changed.replace_range(at..=at, "x");
            assert!(!is_at_end_of(&changed), "{changed}");
        }
    }

    #[test]
    fn other_texts_have_no_checksum() {
        let old_form = "ghat_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH";
        for text in ["", "09HWlQ", old_form, "ééé1"] {
            assert!(!is_at_end_of(text), "{text}");
        }
    }
}
