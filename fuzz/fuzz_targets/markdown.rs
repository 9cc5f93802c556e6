//! Rendering of Markdown: every input becomes HTML that is safe on a page.
#![no_main]

use libfuzzer_sys::fuzz_target;
use markdown::{MAX_REFERENCES, Reference, RenderSettings, ResolvedReferences, Target};

fuzz_target!(|text: &str| {
    let base_url = "https://gate.example";
    let references = markdown::references(text, base_url);
    assert!(references.len() <= MAX_REFERENCES);
    let settings = RenderSettings {
        base_url,
        id_prefix: "t-",
    };
    let target = |reference: &Reference| Target {
        href: "/to".to_owned(),
        title: format!("{reference:?}"),
    };
    let all: ResolvedReferences = references
        .iter()
        .map(|one| (one.clone(), target(one)))
        .collect();
    for resolved in [ResolvedReferences::new(), all] {
        let html = markdown::render(text, settings, &resolved).to_lowercase();
        assert!(!html.contains("<script") && !html.contains("<img") && !html.contains("<!--"));
        assert!(!html.contains("href=\"javascript:") && !html.contains('\0'));
    }
    let items = markdown::task_items(text);
    assert!(items.completed <= items.count);
    let mentions = markdown::mentions(text);
    assert!(mentions.iter().all(|name| !name.is_empty()));
});
