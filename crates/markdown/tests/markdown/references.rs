//! References and mentions.

use markdown::{
    MAX_REFERENCES, Reference, ResolvedReferences, Target, mentions, references, render,
};

use crate::support::{BASE_URL, SETTINGS, all_resolved, plain};

const REL: &str = "rel=\"nofollow noopener noreferrer\"";

fn to(href: &str, title: &str) -> Target {
    Target {
        href: href.to_owned(),
        title: title.to_owned(),
    }
}

fn label(title: &str) -> Reference {
    Reference::Label(title.to_owned())
}

#[test]
fn resolved_references_become_links_and_others_stay_text() {
    let resolved = ResolvedReferences::from([
        (Reference::User("ann".to_owned()), to("/ann", "Ann \"A\"")),
        (label("two words"), to("/l?a=1&b=2", "")),
    ]);
    let html = render("Hi @Ann and @ben, ~\"two words\" #1", SETTINGS, &resolved);
    let ann = format!(
        "<a class=\"reference reference-user\" href=\"/ann\" title=\"Ann &quot;A&quot;\" {REL}>@Ann</a>"
    );
    let two = format!(
        "<a class=\"reference reference-label\" href=\"/l?a=1&amp;b=2\" {REL}>~\"two words\"</a>"
    );
    assert_eq!(html, format!("<p>Hi {ann} and @ben, {two} #1</p>\n"));
}

#[test]
fn code_and_links_hold_no_references() {
    for text in [
        "`@ann`",
        "    @ann ~bug",
        "```\n@ann #1\n```",
        "[@ann](https://a.example)",
        "![@ann](https://a.example)",
        "https://a.example/@ann",
        "\\@ann",
        "ann@example.com",
        "<b>@ann</b",
    ] {
        let found = references(text, BASE_URL);
        let is_html = text.starts_with('<');
        assert_eq!(found.len(), usize::from(is_html), "{text:?}");
        if !is_html {
            assert_eq!(all_resolved(text), plain(text), "{text:?}");
            assert_eq!(mentions(text), <[String; 0]>::default(), "{text:?}");
        }
    }
}

#[test]
fn names_with_the_signs_of_markdown_are_whole() {
    assert_eq!(
        mentions("@ann_b_c and *@ben*, __@cora__"),
        ["ann_b_c", "ben", "cora"]
    );
    assert_eq!(references("~a_b_c", BASE_URL), [label("a_b_c")]);
}

#[test]
fn references_are_deduplicated_ignoring_case() {
    let text = "@Ann @ann Acme/Shop#1 acme/shop#1 #1";
    assert_eq!(references(text, BASE_URL).len(), 3);
    assert_eq!(mentions("@Ann @ANN"), ["ann"]);
}

#[test]
fn the_address_of_an_own_issue_is_short_when_it_is_resolved() {
    let text = format!("see {BASE_URL}/Acme/shop/-/issues/12 now");
    let found = references(&text, BASE_URL);
    let issue = Reference::Issue {
        project: Some("acme/shop".to_owned()),
        iid: 12,
    };
    assert_eq!(found, std::slice::from_ref(&issue));
    assert!(plain(&text).contains(">https://gate.example/Acme/shop/-/issues/12</a>"));
    let html = render(
        &text,
        SETTINGS,
        &ResolvedReferences::from([(issue, to("/i", "Title"))]),
    );
    assert!(html.contains("title=\"Title\""), "{html}");
    assert!(html.contains(">acme/shop#12</a> now"), "{html}");
    let named = format!("[my words]({BASE_URL}/acme/shop/-/issues/12)");
    assert_eq!(references(&named, BASE_URL), []);
}

#[test]
fn a_text_has_so_many_references_at_most() {
    let numbers: Vec<String> = (1..=MAX_REFERENCES + 20).map(|n| format!("#{n}")).collect();
    let text = numbers.join(" ");
    assert_eq!(references(&text, BASE_URL).len(), MAX_REFERENCES);
    let last = format!(" #{}</p>", MAX_REFERENCES + 20);
    assert!(all_resolved(&text).contains(&last));
}
