//! Base64 (RFC 4648, section 4), which recordings have answers in.

/// The bytes of a text; `None` when it is no Base64. Line breaks are passed over, and padding may be missing.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let mut collected = 0_u32;
    let mut bits = 0_u32;
    let mut is_over = false;
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        if byte == b'=' {
            is_over = true;
            continue;
        }
        if is_over {
            return None;
        }
        collected = (collected << 6 | u32::from(digit(byte)?)) & 0xFFFF;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.extend((collected >> bits).to_be_bytes().last());
        }
    }
    // Six bits that are left over are a digit too many.
    (bits < 6).then_some(bytes)
}

/// The six bits of a digit, in the usual alphabet or in that of URLs.
fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors of RFC 4648, section 10.
    #[test]
    fn the_vectors_of_the_standard_are_decoded() {
        for (text, expected) in [
            ("", ""),
            ("Zg==", "f"),
            ("Zm8=", "fo"),
            ("Zm9v", "foo"),
            ("Zm9vYg==", "foob"),
            ("Zm9v\r\nYmE=", "fooba"),
            ("Zm9vYmFy", "foobar"),
            ("Zg", "f"),
        ] {
            assert_eq!(decode(text).as_deref(), Some(expected.as_bytes()), "{text}");
        }
        assert_eq!(decode("/+8="), Some(vec![0xFF, 0xEF]));
        for wrong in ["Z", "Zm9vY", "Zg==Zg", "Z!==", "é"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }
}
