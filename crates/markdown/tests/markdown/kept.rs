//! Markdown syntax, and the parts of it that the output keeps.

use markdown::{MAX_CHARACTERS, TaskItems, task_items};

use crate::support::plain;

fn check(text: &str, html: &str) {
    assert_eq!(plain(text), html, "{text:?}");
}

#[test]
fn the_usual_marks_work() {
    check(
        "**a** *b* ~~c~~ `d`",
        "<p><strong>a</strong> <em>b</em> <del>c</del> <code>d</code></p>\n",
    );
    check("# Title", "<h1>Title</h1>\n");
    check(
        "> a\n\n---",
        "<blockquote>\n<p>a</p>\n</blockquote>\n<hr>\n",
    );
    check("3. c", "<ol start=\"3\">\n<li>c</li>\n</ol>\n");
    check(
        "```rust x\nlet a;\n```",
        "<pre><code class=\"language-rust\">let a;\n</code></pre>\n",
    );
    check("```a\"b\nx\n```", "<pre><code>x\n</code></pre>\n");
}

#[test]
fn tables_keep_their_alignment() {
    let html = plain("|a|b|\n|-|-:|\n|1|2|");
    assert!(html.contains("<th align=\"right\">b</th>"), "{html}");
    assert!(html.contains("<td>1</td>"), "{html}");
}

#[test]
fn links_send_no_referrer_and_unsafe_schemes_are_removed() {
    let rel = "rel=\"nofollow noopener noreferrer\"";
    check(
        "https://a.example",
        &format!("<p><a href=\"https://a.example\" {rel}>https://a.example</a></p>\n"),
    );
    check(
        "[a](/b \"c\")",
        &format!("<p><a href=\"/b\" title=\"c\" {rel}>a</a></p>\n"),
    );
    check(
        "[a](mailto:a@b.example)",
        &format!("<p><a href=\"mailto:a@b.example\" {rel}>a</a></p>\n"),
    );
    for address in [
        "javascript:x",
        "JaVaScRiPt:x",
        "data:text/html,x",
        "vbscript:x",
        "file:///x",
        "other.html",
        "x:y",
    ] {
        let html = plain(&format!("[a]({address})"));
        assert!(
            !html.contains("href=\"j") && !html.contains("href=\"x"),
            "{html}"
        );
        assert!(html.contains(">a</a>") && !html.contains(address), "{html}");
    }
}

#[test]
fn pictures_are_links() {
    let rel = "rel=\"nofollow noopener noreferrer\"";
    check(
        "![a](https://b.example/c.png)",
        &format!("<p><a href=\"https://b.example/c.png\" {rel}>a</a></p>\n"),
    );
    check(
        "[![a](https://b.example/c.png)](https://d.example)",
        &format!("<p><a href=\"https://d.example\" {rel}>a</a></p>\n"),
    );
    check(
        "![](https://b.example/c.png)",
        &format!("<p><a href=\"https://b.example/c.png\" {rel}>https://b.example/c.png</a></p>\n"),
    );
}

#[test]
fn html_is_shown_and_not_obeyed() {
    check(
        "<script>alert(1)</script>",
        "&lt;script&gt;alert(1)&lt;/script&gt;\n",
    );
    check(
        "a <b onclick=\"x\">c</b>",
        "<p>a &lt;b onclick=\"x\"&gt;c&lt;/b&gt;</p>\n",
    );
}

#[test]
fn footnotes_link_to_anchors_within_their_own_text() {
    let html = plain("a[^x]\n\n[^x]: b");
    assert!(
        html.contains("href=\"#t-fn-x\"") && html.contains("id=\"t-fn-x\""),
        "{html}"
    );
    assert!(
        html.contains("href=\"#t-fnref-x\"") && html.contains("id=\"t-fnref-x\""),
        "{html}"
    );
}

#[test]
fn items_that_can_be_ticked_off_are_counted() {
    let text = "- [x] one\n- [ ] two\n  1. [X] three\n- four\n\n`- [ ] code`\n\n    - [ ] code";
    assert_eq!(
        task_items(text),
        TaskItems {
            count: 3,
            completed: 2
        }
    );
    assert_eq!(task_items(""), TaskItems::default());
    let html = plain("- [x] one");
    let input = "<input aria-label=\"one\" type=\"checkbox\" class=\"task-list-item-checkbox\" checked=\"\" disabled=\"\">";
    assert!(html.contains(input), "{html}");
}

/// A screen reader announces nothing for a checkbox without a name.
#[test]
fn each_checkbox_is_named_by_the_text_of_its_item() {
    let long = "x".repeat(200);
    let text = format!(
        "- [ ] **buy** `milk` & \"eggs\"\n  - [x] inner\n- [ ]\n- [x] <b>x</b>\n- [ ] {long}\n- [ ] first\n  second\n\n`<input `[^1]\n\n[^1]: - [ ] note"
    );
    let html = plain(&text);
    let name = |rest: &str| {
        let rest = rest.strip_prefix("aria-label=\"").unwrap_or("nothing\"");
        let name = rest.split('"').next().unwrap();
        name.replace("&lt;", "<").replace("&gt;", ">")
    };
    let names: Vec<String> = html.split("<input ").skip(1).map(name).collect();
    let cut = "x".repeat(100);
    let expected = [
        "buy milk &amp; &quot;eggs&quot;",
        "inner",
        "Task",
        "<b>x</b>",
        &cut,
        "first",
        "note",
    ];
    assert_eq!(names, expected, "{html}");
}

/// Characters that set a direction would make a text, and the text next to it, read differently from how it is written.
#[test]
fn no_character_sets_the_direction_of_a_text() {
    for sets in "\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}".chars() {
        let html = plain(&format!("a{sets}b `c{sets}d`"));
        assert!(!html.contains(sets), "{html}");
        assert!(
            html.contains("a\u{fffd}b <code>c\u{fffd}d</code>"),
            "{html}"
        );
    }
    // Letters of right-to-left scripts bring their own direction.
    assert!(plain("متجر \u{200f}").contains("متجر \u{200f}"));
}

#[test]
fn overlong_texts_are_rendered_as_plain_source() {
    let text = format!("**a** <b>{}", "c".repeat(MAX_CHARACTERS));
    let html = plain(&text);
    assert!(
        html.starts_with("<pre>**a** &lt;b&gt;ccc"),
        "{}",
        &html[..40]
    );
}
