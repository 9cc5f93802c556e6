//! Relative links of Markdown files must have existing targets.

use std::path::Path;

/// Relative links of a text without a target file, each with its line number.
pub(crate) fn broken_links(text: &str, directory: &Path) -> Vec<(usize, String)> {
    let mut broken = Vec::new();
    let mut is_code = false;
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        if is_code {
            continue;
        }
        let targets = links(line).filter(|target| is_broken(target, directory));
        broken.extend(targets.map(|target| (number, target.to_owned())));
    }
    broken
}

/// Targets of the links `[text](target)` outside code spans.
fn links(line: &str) -> impl Iterator<Item = &str> {
    // Every second part of the line, split at backticks, is a code span.
    let prose = line.split('`').step_by(2);
    prose.flat_map(|part| {
        part.split("](").skip(1).filter_map(|rest| {
            let target = rest.split(')').next()?;
            // A title may follow the target.
            target.split_whitespace().next()
        })
    })
}

fn is_broken(target: &str, directory: &Path) -> bool {
    let is_external = target.contains("://") || target.starts_with("mailto:");
    let path = target.split('#').next().unwrap_or(target);
    !is_external && !path.is_empty() && !directory.join(path).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(usize, &str)]) {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("there.md"), "").unwrap();
        let found = broken_links(text, directory.path());
        let found: Vec<_> = found
            .iter()
            .map(|(line, target)| (*line, target.as_str()))
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn a_link_to_no_file_is_broken() {
        check(
            "\nsee [a](there.md) and [b](gone.md#part)\n",
            &[(2, "gone.md#part")],
        );
        check("[a](sub/gone.md \"title\")", &[(1, "sub/gone.md")]);
        check("[`code`](gone.md)", &[(1, "gone.md")]);
    }

    #[test]
    fn external_links_anchors_and_code_are_ignored() {
        check("[a](https://x.test/y), [b](#part), [c](there.md#part)", &[]);
        check("[m](mailto:a@x.test)\n```\n[a](gone.md)\n```\n", &[]);
        check("written `[text](gone.md)` in Markdown", &[]);
    }
}
