//! Base64 (RFC 4648, section 4), in which recordings may contain responses.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Base64 engine that accepts missing padding.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Decodes a text; `None` if it is not Base64. Line breaks are skipped.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let plain = text.bytes().filter(|byte| !byte.is_ascii_whitespace());
    LENIENT.decode(plain.collect::<Vec<u8>>()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test vectors of RFC 4648, section 10.
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
