//! Markdown texts for pages: rendered outside transactions, with links to resources that the reader may see.

use std::collections::HashSet;
use std::sync::Arc;

use actix_web::web::block;
use gatehouse_core::flows::references::{ReferenceContext, resolve};
use markdown::{MAX_REFERENCES, Reference, RenderSettings, ResolvedReferences};

use super::failure::PageFailure;
use super::project::{Need, ProjectPage};

/// Longest part of a text that a page shows, in characters.
/// The API returns the whole text.
const MAX_CHARS: usize = 20_000;

/// Text of a page.
#[derive(Debug, Clone)]
pub struct Text {
    /// Prefix of its ids, such as `note-12-`.
    /// It is unique on the page.
    pub id_prefix: String,
    /// The Markdown.
    pub text: String,
}

/// Rendered text.
#[derive(Debug, Clone, Default)]
pub struct Prose {
    /// HTML that is safe on a page.
    pub html: String,
    /// True if the text was truncated.
    pub is_cut: bool,
}

/// Renders the texts of a page in order.
/// The first 100 references are resolved; later ones stay plain text.
///
/// # Errors
/// Same as [`ProjectPage::read`].
pub async fn render<N: Need>(
    page: &ProjectPage<N>,
    texts: Vec<Text>,
) -> Result<Vec<Prose>, PageFailure> {
    let texts: Arc<[(Text, bool)]> = texts.into_iter().map(cut).collect();
    let base_url: Arc<str> = Arc::from(&*page.state().base_url);
    let (shared, base) = (Arc::clone(&texts), Arc::clone(&base_url));
    let references = run_blocking(move || references(&shared, &base)).await?;
    let resolved = look_up(page, references, Arc::clone(&base_url)).await?;
    run_blocking(move || {
        let prose = |(text, is_cut): &(Text, bool)| {
            let settings = RenderSettings {
                base_url: &base_url,
                id_prefix: &text.id_prefix,
            };
            Prose {
                html: markdown::render(&text.text, settings, &resolved),
                is_cut: *is_cut,
            }
        };
        texts.iter().map(prose).collect()
    })
    .await
}

/// Renders a text that belongs to no project: its references stay plain text.
///
/// # Errors
/// Internal server error.
pub async fn render_alone(base_url: &str, text: Text) -> Result<Prose, PageFailure> {
    let ((text, is_cut), base_url) = (cut(text), base_url.to_owned());
    run_blocking(move || {
        let settings = RenderSettings {
            base_url: &base_url,
            id_prefix: &text.id_prefix,
        };
        Prose {
            html: markdown::render(&text.text, settings, &ResolvedReferences::new()),
            is_cut,
        }
    })
    .await
}

/// Truncates a text; the flag is true if some of it was cut.
fn cut(mut text: Text) -> (Text, bool) {
    let end = text.text.char_indices().nth(MAX_CHARS).map(|(at, _)| at);
    if let Some(end) = end {
        text.text.truncate(end);
    }
    (text, end.is_some())
}

fn references(texts: &[(Text, bool)], base_url: &str) -> Vec<Reference> {
    let mut seen = HashSet::new();
    let all = texts.iter();
    let all = all.flat_map(|(text, _)| markdown::references(&text.text, base_url));
    all.filter(|reference| seen.insert(reference.clone()))
        .take(MAX_REFERENCES)
        .collect()
}

async fn look_up<N: Need>(
    page: &ProjectPage<N>,
    references: Vec<Reference>,
    base_url: Arc<str>,
) -> Result<ResolvedReferences, PageFailure> {
    if references.is_empty() {
        return Ok(ResolvedReferences::new());
    }
    let (viewer, now) = (page.viewer(), page.now());
    let read = page.read(move |tx, found| {
        let context = ReferenceContext {
            project: &found.project,
            viewer,
            access: found.access,
            now,
            base_url: &base_url,
        };
        Ok(resolve(tx, &references, context)?)
    });
    let (resolved, _) = read.await?;
    Ok(resolved)
}

/// Runs work on a blocking thread, because a long text takes time and must not delay other requests.
async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, PageFailure> {
    block(work).await.map_err(PageFailure::from_fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let text = |length| Text {
            id_prefix: String::new(),
            text: "é".repeat(length),
        };
        let (whole, is_cut) = cut(text(MAX_CHARS));
        assert_eq!((whole.text.chars().count(), is_cut), (MAX_CHARS, false));
        let (begun, is_cut) = cut(text(MAX_CHARS + 1));
        assert_eq!((begun.text.chars().count(), is_cut), (MAX_CHARS, true));
    }

    #[test]
    fn references_are_deduplicated_and_limited_across_texts() {
        let text = |from: i32| {
            let words = (from..from + 60).map(|number| format!("#{number}"));
            let text = Text {
                id_prefix: String::new(),
                text: words.collect::<Vec<_>>().join(" "),
            };
            (text, false)
        };
        let found = references(&[text(1), text(31), text(91)], "https://host");
        assert_eq!(found.len(), MAX_REFERENCES);
    }
}
