//! Decoding of path segments: once only, and independent of how they are escaped (`API-03`).

use api_conventions::ids::ProjectId;
use api_conventions::reference::{FullPath, ProjectRef, decode_segment, is_slug};
use proptest::prelude::*;

use crate::tree::escape;

/// Escapes every byte, even those that do not need it, with digits of either case.
fn escape_all(text: &str, upper: bool) -> String {
    let escape = |byte: u8| {
        if upper {
            format!("%{byte:02X}")
        } else {
            format!("%{byte:02x}")
        }
    };
    text.bytes().map(escape).collect()
}

proptest! {
    #[test]
    fn every_way_to_escape_a_text_decodes_to_it(text in "[^\\x00]{0,30}") {
        for raw in [escape(&text), escape_all(&text, true), escape_all(&text, false)] {
            prop_assert_eq!(decode_segment(&raw), Some(text.clone()), "{}", raw);
        }
    }

    #[test]
    fn segments_are_decoded_only_once(text in "[^\\x00]{0,20}") {
        let twice = escape(&escape(&text));
        prop_assert_eq!(decode_segment(&twice), Some(escape(&text)));
    }

    #[test]
    fn a_plus_stays_a_plus(text in "[a-z+]{0,12}") {
        prop_assert_eq!(decode_segment(&text), Some(text));
    }

    #[test]
    fn any_text_is_decoded_or_not_and_never_holds_a_nul(raw in "(%[0-9a-fA-F]{0,2}|[a-z/\\x00é])*") {
        if let Some(text) = decode_segment(&raw) {
            prop_assert!(!text.contains('\0') && text.len() <= raw.len());
        }
    }

    /// API-03.
    #[test]
    fn an_encoded_full_path_names_its_project(parts in proptest::collection::vec("[a-z_][a-z0-9_.-]{0,8}", 2..5)) {
        let path = parts.join("/");
        let expected = FullPath::parse(&path).map(ProjectRef::Path);
        for raw in [path.replace('/', "%2F"), path.replace('/', "%2f"), escape_all(&path, true)] {
            prop_assert_eq!(ProjectRef::parse(&raw), expected.clone(), "{}", raw);
        }
        prop_assert_eq!(ProjectRef::parse(&path.replace('/', "%252F")), None, "decoded once only");
    }

    /// API-03.
    #[test]
    fn digits_alone_are_an_id(number in 0_i64..=i64::MAX) {
        let expected = Some(ProjectRef::Id(ProjectId::new(number)));
        for raw in [number.to_string(), escape_all(&number.to_string(), true), format!("00{number}")] {
            prop_assert_eq!(ProjectRef::parse(&raw), expected.clone(), "{}", raw);
        }
    }

    #[test]
    fn a_slug_needs_no_escape_and_stays_one_segment(text in "[a-zA-Z0-9._/% é-]{0,12}") {
        if is_slug(&text) {
            prop_assert_eq!(decode_segment(&text), Some(text.clone()));
            prop_assert!(FullPath::parse(&text).is_some() && !text.contains('/'));
        }
    }
}

#[test]
fn escapes_that_are_none_stay_as_they_are_and_wrong_bytes_name_nothing() {
    let cases = [
        ("%", Some("%")),
        ("%2", Some("%2")),
        ("%zz", Some("%zz")),
        ("100%", Some("100%")),
        ("%00", None),
        ("a%00b", None),
        ("%ff", None),
        ("%c3", None),
        ("%ed%a0%80", None),
        ("%c3%a9", Some("é")),
    ];
    for (raw, expected) in cases {
        assert_eq!(decode_segment(raw).as_deref(), expected, "{raw}");
    }
}

#[test]
fn invalid_project_references_are_rejected_before_lookup() {
    for raw in [
        "",
        "-1",
        "+1",
        "1.0",
        "0x1",
        "9223372036854775808",
        "name",
        "%2Fa",
        "a%2F",
        "a%2F%2Fb",
        "%00",
    ] {
        assert_eq!(ProjectRef::parse(raw), None, "{raw}");
    }
}
