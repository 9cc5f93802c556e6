//! Links of the pages of a site.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::Result;

use super::super::tidy::files;

/// The text of a document for the site: links to files outside `docs` lead to the repository, and those to a README to the index of
/// its directory.
pub(super) fn for_site(text: &str, document: &Path, repository: &str) -> String {
    let depth = document.components().count();
    let outside = format!("]({}", "../".repeat(depth));
    let text = text.replace("/README.md", "/index.md");
    text.replace(&outside, &format!("]({repository}/"))
}

/// Links of a site without a target: the page, and what it links to.
///
/// # Errors
/// When a page cannot be read.
pub(super) fn broken(site: &Path) -> Result<Vec<String>> {
    let mut pages = HashMap::new();
    for path in files::below(site)? {
        if path
            .extension()
            .is_some_and(|extension| extension == "html")
        {
            let text = fs::read_to_string(&path)?;
            pages.insert(path, text);
        }
    }
    let mut broken = Vec::new();
    for (path, text) in &pages {
        let name = path.strip_prefix(site).unwrap_or(path);
        // Its links are relative to the page that was not found, or to that which shows the table of contents.
        if ["404.html", "toc.html"].contains(&name.to_string_lossy().as_ref()) {
            continue;
        }
        for target in ["href=\"", "src=\""]
            .iter()
            .flat_map(|name| values(text, name))
        {
            if !exists(target, path, &pages) {
                broken.push(format!("{}: nothing is at {target}", name.display()));
            }
        }
    }
    broken.sort();
    broken.dedup();
    Ok(broken)
}

/// The values of an attribute.
fn values<'t>(text: &'t str, attribute: &str) -> impl Iterator<Item = &'t str> {
    let starts = text.split(attribute).skip(1);
    starts.filter_map(|rest| rest.split('"').next())
}

/// True for links to other sites, and to parts of pages that exist.
fn exists(target: &str, page: &Path, pages: &HashMap<PathBuf, String>) -> bool {
    if target.contains("://") || target.starts_with("mailto:") {
        return true;
    }
    let (file, part) = target.split_once('#').unwrap_or((target, ""));
    let path = match file.split('?').next() {
        None | Some("") => page.to_owned(),
        Some(file) => normal(&page.with_file_name("").join(file)),
    };
    match pages.get(&path) {
        Some(text) => part.is_empty() || text.contains(&format!("id=\"{part}\"")),
        None => part.is_empty() && path.is_file(),
    }
}

/// The path without `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        if component == Component::ParentDir {
            normal.pop();
        } else {
            normal.push(component);
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_missing_pages_and_parts_are_broken() {
        let site = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = site.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(
            "index.html",
            "<h1 id=\"top\"><a href=\"sub/a.html#one\"><img src=\"x.png\"><a href=\"#top\">",
        );
        write(
            "sub/a.html",
            "<h1 id=\"one\"><a href=\"../index.html\"><a href=\"../index.html#two\"><a href=\"https://x.test/\"><a href=\"../b.html\">",
        );
        let found = broken(site.path()).unwrap();
        assert_eq!(
            found,
            [
                "index.html: nothing is at x.png",
                "sub/a.html: nothing is at ../b.html",
                "sub/a.html: nothing is at ../index.html#two",
            ]
        );
        write("x.png", "");
        assert_eq!(broken(site.path()).unwrap().len(), 2);
    }

    #[test]
    fn files_outside_the_documents_are_in_the_repository() {
        let text = "[a](../crates/a) [b](b.md) [c](../b.md)";
        let of = |document| for_site(text, Path::new(document), "https://x.test/source");
        assert_eq!(
            of("a.md"),
            "[a](https://x.test/source/crates/a) [b](b.md) [c](https://x.test/source/b.md)"
        );
        assert_eq!(of("adr/1.md"), text);
        let index = for_site(
            "[a](adr/README.md#b)[c](adr/README.md)",
            Path::new("a.md"),
            "",
        );
        assert_eq!(index, "[a](adr/index.md#b)[c](adr/index.md)");
    }
}
