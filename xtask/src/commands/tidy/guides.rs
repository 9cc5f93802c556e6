//! Guides for developers: each type, method and macro that they name exists in the sources.

use std::collections::HashSet;

use super::rust::LineFault;

/// Checked guides. The others name things of other programs, settings, or an invented entity.
pub(crate) const GUIDES: [&str; 7] = [
    "docs/adding-a-record.md",
    "docs/api-design.md",
    "docs/architecture.md",
    "docs/authorization.md",
    "docs/logging.md",
    "docs/storage-contract.md",
    "docs/writing-an-adapter.md",
];

/// The identifiers of a source, including those in its comments.
pub(crate) fn identifiers(source: &str) -> impl Iterator<Item = &str> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let words = source.split(move |letter| !is_part(letter));
    words.filter(|word| !word.is_empty())
}

/// Names in code spans of a guide that no source has. Code blocks are not checked, because they are compiled.
pub(crate) fn faults(guide: &str, known: &HashSet<String>) -> Vec<LineFault> {
    let mut faults = Vec::new();
    let mut is_block = false;
    for (number, line) in (1..).zip(guide.lines()) {
        if line.starts_with("```") {
            is_block = !is_block;
        } else if !is_block {
            // Every second part of a line, split at backticks, is a code span.
            let spans = line.split('`').skip(1).step_by(2);
            let unknown = spans.filter(|span| !is_known(span, known));
            let fault = |span| (number, format!("`{span}` is not in any source"));
            faults.extend(unknown.map(fault));
        }
    }
    faults
}

/// False for the path of a type, a method or a macro of which a part is unknown. Other spans say nothing about the
/// sources.
fn is_known(span: &str, known: &HashSet<String>) -> bool {
    let path = span.split('(').next().unwrap_or(span);
    let path = path.strip_suffix('!').unwrap_or(path);
    let parts: Vec<&str> = path.split("::").collect();
    let is_name = |part: &str| identifiers(part).eq([part]);
    let is_path = parts.len() > 1;
    let looks_like_code = |part: &str| {
        let mut letters = part.chars();
        let is_type = letters.next().is_some_and(char::is_uppercase)
            && letters.next().is_some_and(char::is_lowercase);
        is_type || part.contains('_')
    };
    if !parts.iter().all(|part| is_name(part))
        || !(is_path || parts.iter().any(|part| looks_like_code(part)))
    {
        return true;
    }
    parts.iter().all(|part| known.contains(*part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_no_source_are_found_and_other_spans_are_not() {
        let source =
            "mod lamp { struct Lamp; impl Lamp { fn light_up(&self) {} } macro_rules! dim_all {} }";
        let known: HashSet<String> = identifiers(source).map(str::to_owned).collect();
        let guide = "`Lamp::light_up(…)`, `dim_all!`, `lamp::Lamp`, `cargo xtask`, `id`, `x/y_z.rs`, `a::b c`\n\
                     `Lantern`, `Lamp::put_out` and `light_down()`\n```rust\n`Torch`\n```\n`Flash`\n";
        let found = faults(guide, &known);
        let found: Vec<_> = found
            .iter()
            .map(|(line, text)| (*line, text.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                (2, "`Lantern` is not in any source"),
                (2, "`Lamp::put_out` is not in any source"),
                (2, "`light_down()` is not in any source"),
                (6, "`Flash` is not in any source"),
            ]
        );
    }
}
