//! Rules for Rust sources.

use std::path::Path;

/// Lines from which a file is worth a second look, and from which it must be split.
const WARN_LINES: usize = 400;
const MAX_LINES: usize = 600;
const MAX_TEST_LINES: usize = 900;
/// Lines of a route handler, its signature included.
const MAX_HANDLER_LINES: usize = 25;
/// File names that do not describe their contents.
const VAGUE_NAMES: [&str; 5] = ["utils", "helpers", "common", "manager", "data"];
/// Marks of unfinished work. Split here, because this file is checked, too.
const UNFINISHED_MARKS: [&str; 4] = [
    concat!("to", "do!("),
    concat!("unimple", "mented!("),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
];
/// Paths that the compiler embeds in a program. They are wrong after the checkout is moved, because cargo does not
/// rebuild then. Cargo also sets both variables for the programs that it runs.
const EMBEDDED_PATHS: [&str; 2] = [
    concat!("env!(\"CARGO_", "MANIFEST_DIR"),
    concat!("env!(\"CARGO_", "BIN_EXE"),
];
/// Path to the handlers of operations.
const HANDLERS: &str = "apps/gatehouse/src/areas/";

/// A finding in a source: the line, and the problem.
pub(crate) type LineFault = (usize, String);

/// The faults of a source. `path` is relative to the root.
pub(crate) fn faults(path: &Path, source: &str) -> Vec<LineFault> {
    let mut faults = Vec::new();
    if !source.starts_with("//!") {
        faults.push((1, "does not begin with a `//!` comment".to_owned()));
    }
    let lines = source.lines().count();
    let bound = if is_test_path(path) {
        MAX_TEST_LINES
    } else {
        MAX_LINES
    };
    if lines > bound {
        faults.push((lines, format!("has {lines} lines, more than {bound}")));
    }
    if let Some(name) = vague_name(path) {
        faults.push((1, format!("`{name}` does not describe the content")));
    }
    for (number, line) in (1..).zip(source.lines()) {
        for mark in UNFINISHED_MARKS.iter().filter(|mark| line.contains(*mark)) {
            faults.push((number, format!("`{mark}` marks unfinished work")));
        }
        for path_macro in EMBEDDED_PATHS
            .iter()
            .filter(|path_macro| line.contains(*path_macro))
        {
            let fault =
                format!("`{path_macro}` breaks if the checkout is moved; read it at run time");
            faults.push((number, fault));
        }
        if is_commented_out(line) {
            faults.push((number, "commented-out code".to_owned()));
        }
    }
    if path.starts_with(HANDLERS) {
        faults.extend(long_handlers(source));
    }
    faults
}

/// Problems that deserve a look.
pub(crate) fn warnings(path: &Path, source: &str) -> Vec<LineFault> {
    let lines = source.lines().count();
    let is_long = lines > WARN_LINES && lines <= MAX_LINES && !is_test_path(path);
    let warning = || (lines, format!("has {lines} lines, more than {WARN_LINES}"));
    is_long.then(warning).into_iter().collect()
}

/// True if the whole file is test code.
pub(crate) fn is_test_path(path: &Path) -> bool {
    let in_tests = path.components().any(|part| part.as_os_str() == "tests");
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    in_tests || stem.is_some_and(|stem| stem == "tests" || stem.ends_with("_tests"))
}

/// The numbered lines of a source without its test modules.
pub(crate) fn product_lines(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut until: Option<String> = None;
    (1..).zip(source.lines()).filter(move |(_, line)| {
        if let Some(end) = &until {
            // The item ends with a brace at its own indentation, or on one line.
            let is_end = line.trim_end() == end || (line.ends_with(';') && is_at(line, end));
            if is_end {
                until = None;
            }
            return false;
        }
        if line.trim() == "#[cfg(test)]" {
            until = Some(format!("{}}}", indentation(line)));
            return false;
        }
        true
    })
}

/// True if the line has the same indentation as the closing brace.
fn is_at(line: &str, end: &str) -> bool {
    indentation(line).len() + 1 == end.len()
}

fn indentation(line: &str) -> &str {
    let text = line.trim_start();
    line.get(..line.len() - text.len()).unwrap_or_default()
}

fn vague_name(path: &Path) -> Option<&'static str> {
    // The names of the file and of the module directories; `tests/data` holds bodies and no module.
    let names = path.components().map(|part| Path::new(part.as_os_str()));
    let stems: Vec<_> = names.filter_map(Path::file_stem).collect();
    VAGUE_NAMES
        .into_iter()
        .find(|empty| stems.iter().any(|stem| stem == empty))
}

/// A comment that reads like a statement rather than a sentence.
fn is_commented_out(line: &str) -> bool {
    let Some(comment) = line.trim_start().strip_prefix("//") else {
        return false;
    };
    if comment.starts_with(['/', '!']) {
        return false;
    }
    let text = comment.trim();
    let is_code_like = text.contains(['(', '=', '{', '}']) || text.contains("::");
    let is_declaration = ["let ", "use ", "mod ", "pub "]
        .iter()
        .any(|word| text.starts_with(word));
    match text.chars().last() {
        Some(';') => is_code_like || is_declaration,
        Some('{') => true,
        _ => text == "}" || text == "};" || text.starts_with("#["),
    }
}

/// Handlers that are too long, among those that a source both declares as operations and contains.
fn long_handlers(source: &str) -> Vec<LineFault> {
    let lines: Vec<_> = (1..).zip(source.lines()).collect();
    let declared = source.split_once("fn operations()").map(|(_, rest)| rest);
    let declared = declared.and_then(|rest| rest.split("\n}\n").next());
    let words: Vec<&str> = declared
        .unwrap_or_default()
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .collect();
    let starts = product_lines(source).filter(|(_, line)| {
        let name = line.trim_start().split("async fn ").nth(1);
        let name = name.and_then(|rest| rest.split(['(', '<']).next());
        name.is_some_and(|name| words.contains(&name))
    });
    let mut found = Vec::new();
    for (start, line) in starts {
        let end = format!("{}}}", indentation(line));
        let is_end = |(_, line): &&(usize, &str)| *line == end;
        let body = lines.get(start..).unwrap_or_default();
        let Some((last, _)) = body.iter().find(is_end) else {
            continue;
        };
        let length = last - start + 1;
        if length > MAX_HANDLER_LINES {
            found.push((
                start,
                format!("a handler of {length} lines, more than {MAX_HANDLER_LINES}"),
            ));
        }
    }
    found
}

#[cfg(test)]
#[path = "rust_tests.rs"]
mod tests;
