//! Malicious texts.

use proptest::prelude::*;

use crate::support::{all_resolved, assert_safe, plain};

/// Length of a hostile text in bytes.
/// Anything quadratic in it takes so many minutes that the run of the tests ends the test.
const LENGTH: usize = 100_000;

/// Maximum length of the HTML per byte of text.
const MAX_GROWTH: usize = 10;

fn repeated(part: &str) -> String {
    part.repeat(LENGTH / part.len())
}

#[test]
fn hostile_texts_become_pages_by_their_length() {
    let half = |first: &str, second: &str| {
        let many = |part: &str| part.repeat(LENGTH / 2 / part.len());
        many(first) + &many(second)
    };
    let columns = "a|".repeat(LENGTH / 8);
    let lines = "-|".repeat(LENGTH / 8);
    let texts = [
        repeated("["),
        repeated("]"),
        repeated("[a]("),
        repeated("[a](<b"),
        repeated("![["),
        repeated("[^a]"),
        repeated("[a]:"),
        repeated("*a **a "),
        repeated("a**b"),
        repeated("~"),
        repeated("~a ~~b "),
        repeated("`a``"),
        repeated("<a "),
        repeated("<!--"),
        repeated("<?"),
        repeated("<![CDATA["),
        repeated("&"),
        repeated("&amp"),
        repeated("\u{a0}"),
        format!("[a](/{})", repeated("&")),
        format!("[a](/b \"{}\")", repeated("&")),
        format!("`{}`", repeated("&")),
        format!("```{}", repeated("&")),
        repeated("a@a."),
        repeated("www."),
        repeated("https://a_"),
        repeated("@a/#1"),
        repeated("~\""),
        repeated("%\"a"),
        repeated("a/b#"),
        repeated("\\"),
        repeated("> "),
        repeated("- "),
        repeated("1. "),
        repeated("\t- "),
        repeated("|a"),
        repeated("\u{202e}\u{2066}"),
        repeated("\0"),
        half("[^a]", "\n[^a]: b"),
        half("[a]", "\n[a]: b"),
        half("(", ")"),
        format!("{}\n{}", "> ".repeat(60), repeated("\n")),
        format!("{}x\n{}", "- ".repeat(60), repeated("\n")),
        format!("{columns}\n{lines}\n{}", "a\n".repeat(LENGTH / 8)),
    ];
    for text in texts {
        let html = all_resolved(&text);
        let start: String = text.chars().take(12).collect();
        println!("{start:?}: {} bytes become {}", text.len(), html.len());
        assert!(html.len() <= MAX_GROWTH * text.len(), "{start:?}");
    }
}

#[test]
fn known_attacks_do_nothing() {
    for text in [
        "<img src=x onerror=alert(1)>",
        "[a](javascript:alert(1))",
        "[a](java\nscript:alert(1))",
        "[a](&#106;avascript:alert(1))",
        "[a](\u{1}javascript:alert(1))",
        "<javascript:alert(1)>",
        "[a]: javascript:alert(1)\n\n[a]",
        "![a](javascript:alert(1))",
        "![a\"onerror=\"alert(1)](https://b.example)",
        "[a](https://b.example \"\\\" onclick=alert(1)\")",
        "```x\" onclick=\"alert(1)\na\n```",
        "~\"<script>\" %\"\\\"onclick=x\"",
        "<svg/onload=alert(1)>",
        "<style>*{}</style>",
        "`</code><script>`",
        "[^\"><script>]\n\n[^\"><script>]: a",
        "|<script>|\n|-|\n|</table>|",
    ] {
        assert_safe(&plain(text));
        assert_safe(&all_resolved(text));
    }
}

/// Texts composed of fragments that mean something in Markdown.
fn texts() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        "[a-z \\n]{0,4}",
        "[\\PC\\n\\t\u{0}\u{202e}]{0,3}",
        prop::sample::select(vec![
            "**",
            "*",
            "_",
            "~~",
            "~",
            "`",
            "```\n",
            "\n\n",
            "\n",
            "    ",
            "> ",
            "- ",
            "1. ",
            "- [ ] ",
            "- [x] ",
            "# ",
            "---\n",
            "[",
            "](",
            ")",
            "![",
            "[^a]",
            "\n[^a]: ",
            "\n[a]: ",
            "<",
            ">",
            "</",
            "<script>",
            "<!--",
            "-->",
            "&lt;",
            "&#0;",
            "\"",
            "'",
            "javascript:",
            "data:",
            "https://a.example/",
            "www.a.example",
            "mailto:",
            "a@b.example",
            "onclick=",
            "|",
            "|-|\n",
            "@ann",
            "#12",
            "a/b#1",
            "~bug",
            "~\"two words\"",
            "%v1",
            "^alert#1",
            "\\",
            "\u{0}",
            "\u{202e}",
            "\u{2066}",
            "https://gate.example/a/b/-/issues/1",
            "<a href=\"javascript:x\">",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn any_text_is_safe(text in texts()) {
        assert_safe(&plain(&text));
        assert_safe(&all_resolved(&text));
        markdown::mentions(&text);
        markdown::task_items(&text);
    }

    #[test]
    fn any_characters_are_safe(text in "(?s).{0,200}") {
        assert_safe(&all_resolved(&text));
    }

    #[test]
    fn code_is_rendered_verbatim_and_contains_no_mentions(inside in "[a-z@#~%^/\" .0-9]{1,40}") {
        let html = all_resolved(&format!("~~~\n@ann {inside}\n~~~\n"));
        prop_assert_eq!(html, format!("<pre><code>@ann {}\n</code></pre>\n", inside));
        let marked = format!("`@ann {inside}.`");
        prop_assert_eq!(all_resolved(&marked), plain(&marked));
        prop_assert!(markdown::mentions(&marked).is_empty());
    }
}
