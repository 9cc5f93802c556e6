//! Texts in Markdown, as pages show them: rendered outside transactions, with links to what the reader may know of.

use std::collections::HashSet;
use std::sync::Arc;

use actix_web::web::block;
use gatehouse_core::flows::references::{Place, resolve};
use markdown::{MAX_REFERENCES, Reference, Resolved, Settings};

use super::failure::PageFailure;
use super::project::{Need, ProjectPage};

/// The most of a text that a page shows, in characters. The API gives all of it.
const SHOWN: usize = 20_000;

/// A text that stands on a page.
#[derive(Debug, Clone)]
pub struct Text {
    /// What its ids begin with. No two texts of a page have the same, such as `note-12-`.
    pub id_prefix: String,
    /// The Markdown.
    pub text: String,
}

/// A text as it is shown.
#[derive(Debug, Clone, Default)]
pub struct Prose {
    /// HTML that is safe on a page.
    pub html: String,
    /// Whether it is the beginning of a longer text.
    pub is_cut: bool,
}

/// Renders the texts of a page, in their order. Of all that they refer to, the first 100 things are looked up; what comes
/// later stays text.
///
/// # Errors
/// As [`ProjectPage::read`].
pub async fn render<N: Need>(
    page: &ProjectPage<N>,
    texts: Vec<Text>,
) -> Result<Vec<Prose>, PageFailure> {
    let texts: Arc<[(Text, bool)]> = texts.into_iter().map(cut).collect();
    let base_url: Arc<str> = Arc::from(&*page.state().base_url);
    let (asked, base) = (Arc::clone(&texts), Arc::clone(&base_url));
    let references = aside(move || references(&asked, &base)).await?;
    let resolved = look_up(page, references, Arc::clone(&base_url)).await?;
    aside(move || {
        let prose = |(text, is_cut): &(Text, bool)| {
            let settings = Settings {
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

/// Renders a text that stands in no project: what it refers to stays text.
///
/// # Errors
/// A fault of ours.
pub async fn render_alone(base_url: &str, text: Text) -> Result<Prose, PageFailure> {
    let ((text, is_cut), base_url) = (cut(text), base_url.to_owned());
    aside(move || {
        let settings = Settings {
            base_url: &base_url,
            id_prefix: &text.id_prefix,
        };
        Prose {
            html: markdown::render(&text.text, settings, &Resolved::new()),
            is_cut,
        }
    })
    .await
}

/// The beginning of a text, and whether there is more of it.
fn cut(mut text: Text) -> (Text, bool) {
    let end = text.text.char_indices().nth(SHOWN).map(|(at, _)| at);
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
) -> Result<Resolved, PageFailure> {
    if references.is_empty() {
        return Ok(Resolved::new());
    }
    let (viewer, now) = (page.viewer(), page.now());
    let read = page.read(move |tx, found| {
        let place = Place {
            project: &found.project,
            viewer,
            access: found.access,
            now,
            base_url: &base_url,
        };
        Ok(resolve(tx, &references, place)?)
    });
    let (resolved, _) = read.await?;
    Ok(resolved)
}

/// Works on a thread of its own: a long text takes a while, and no other answer is to wait for it.
async fn aside<T: Send + 'static>(
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
        let (whole, is_cut) = cut(text(SHOWN));
        assert_eq!((whole.text.chars().count(), is_cut), (SHOWN, false));
        let (begun, is_cut) = cut(text(SHOWN + 1));
        assert_eq!((begun.text.chars().count(), is_cut), (SHOWN, true));
    }

    #[test]
    fn what_many_texts_refer_to_is_looked_up_once_and_bounded() {
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
