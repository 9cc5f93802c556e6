//! Detection of references in text that is neither code nor a link.

use std::ops::Range;

use crate::reference::Reference;

/// Longest name or title, in bytes of the text.
const MAX_NAME: usize = 1024;

/// A reference, and its position in the text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ReferenceMatch {
    pub(crate) range: Range<usize>,
    pub(crate) reference: Reference,
}

/// Finds all references in a text, in order.
pub(crate) fn scan(text: &str) -> Vec<ReferenceMatch> {
    let mut all = Vec::new();
    let mut rest = text;
    let mut may_begin = true;
    while let Some(letter) = rest.chars().next() {
        let at = text.len() - rest.len();
        let found = may_begin.then(|| begin(letter, rest)).flatten();
        let length = match found {
            Some((length, reference)) => {
                let range = at..at + length;
                all.push(ReferenceMatch { range, reference });
                length
            }
            // If no reference begins at the first letter of a run of path characters, none begins later in the run.
            None if is_of_path(letter) => path_length(rest),
            None => letter.len_utf8(),
        };
        let (passed, following) = rest.split_at(length);
        may_begin = passed.chars().next_back().is_none_or(separates);
        rest = following;
    }
    all
}

/// Reference at the beginning of a text, with its length.
fn begin(letter: char, text: &str) -> Option<(usize, Reference)> {
    let after = text.strip_prefix(letter)?;
    match letter {
        '@' => {
            let length = path_length(after.split('/').next()?);
            let name = after.get(..length)?.trim_end_matches('.');
            let is_name = !name.is_empty() && !name.starts_with(['-', '.']);
            let user = || Reference::User(name.to_lowercase());
            is_name.then(|| (1 + name.len(), user()))
        }
        '#' => {
            let (length, iid) = number(after)?;
            Some((1 + length, Reference::Issue { project: None, iid }))
        }
        '^' => {
            let (length, iid) = number(after.strip_prefix("alert#")?)?;
            Some((7 + length, Reference::Alert { iid }))
        }
        '~' => title(after).map(|(length, title)| (1 + length, Reference::Label(title))),
        '%' => title(after).map(|(length, title)| (1 + length, Reference::Milestone(title))),
        _ if is_of_path(letter) => {
            let length = path_length(text);
            let (path, after) = text.split_at_checked(length)?;
            let (digits, iid) = number(after.strip_prefix('#')?)?;
            let project = is_full_path(path).then(|| path.to_lowercase());
            project.map(|path| (length + 1 + digits, issue_of(path, iid)))
        }
        _ => None,
    }
}

/// Issue that a URL names, if it is an issue of the server at `base_url`.
pub(crate) fn own_issue(url: &str, base_url: &str) -> Option<Reference> {
    let path = url.strip_prefix(base_url)?.strip_prefix('/')?;
    let (project, after) = path.split_once("/-/issues/")?;
    let (length, iid) = number(after)?;
    let is_whole = length == after.len() && is_full_path(project);
    is_whole.then(|| issue_of(project.to_lowercase(), iid))
}

fn issue_of(project: String, iid: i64) -> Reference {
    let project = Some(project);
    Reference::Issue { project, iid }
}

/// Number at the beginning of a text, after a sign such as `#`, with its length.
fn number(text: &str) -> Option<(usize, i64)> {
    let length = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (digits, after) = text.split_at_checked(length)?;
    let is_ended = !after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let iid = digits.parse().ok().filter(|iid| *iid > 0 && is_ended)?;
    Some((length, iid))
}

/// Title at the beginning of a text, after a sign: one word, or several in quotation marks.
fn title(text: &str) -> Option<(usize, String)> {
    if let Some(quoted) = text.strip_prefix('"') {
        let quoted = quoted.get(..quoted.floor_char_boundary(MAX_NAME))?;
        let title = quoted.get(..quoted.find('"')?)?;
        let is_title = !title.trim().is_empty();
        return is_title.then(|| (title.len() + 2, title.to_owned()));
    }
    let is_of_word = |c: char| c.is_alphanumeric() || "_-.:?&/+".contains(c);
    let end = text.find(|c: char| !is_of_word(c)).unwrap_or(text.len());
    let word = text.get(..end)?.trim_end_matches(['.', ':', '?', '&', '/']);
    let is_title = word.starts_with(char::is_alphanumeric) && word.len() <= MAX_NAME;
    is_title.then(|| (word.len(), word.to_owned()))
}

/// True if a path can be that of a project: at least two segments.
fn is_full_path(path: &str) -> bool {
    let is_name = |name: &str| !name.is_empty() && !name.starts_with(['-', '.']);
    path.len() <= MAX_NAME
        && path.contains('/')
        && path.split('/').all(is_name)
        && path.chars().all(is_of_path)
}

/// Length of the part at the beginning of a text that could be a path.
fn path_length(text: &str) -> usize {
    text.find(|c| !is_of_path(c)).unwrap_or(text.len())
}

fn is_of_path(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "_-./".contains(letter)
}

/// True if a reference may begin after this letter.
fn separates(letter: char) -> bool {
    !letter.is_alphanumeric() && !"_-./@#~%^&\\".contains(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(name: &str) -> Reference {
        Reference::User(name.to_owned())
    }

    fn issue(project: Option<&str>, iid: i64) -> Reference {
        let project = project.map(str::to_owned);
        Reference::Issue { project, iid }
    }

    fn check(text: &str, expected: &[(&str, Reference)]) {
        let found = scan(text).into_iter();
        let found: Vec<_> = found
            .map(|found| (&text[found.range], found.reference))
            .collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(at, what)| (*at, what.clone()))
            .collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn people_are_found_by_their_names() {
        check("@ann", &[("@ann", user("ann"))]);
        check("Hi @Ann.B-c_9.", &[("@Ann.B-c_9", user("ann.b-c_9"))]);
        check(
            "(@ann, @ben)",
            &[("@ann", user("ann")), ("@ben", user("ben"))],
        );
        check("@ann/@ben", &[("@ann", user("ann"))]);
        for text in [
            "ann@example.com",
            "@",
            "@-ann",
            "@.ann",
            "@@ann",
            "ä@ann",
            "x/@ann",
            "@ä",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn issues_and_alerts_are_found_by_their_numbers() {
        check(
            "#12, (#3)",
            &[("#12", issue(None, 12)), ("#3", issue(None, 3))],
        );
        let elsewhere = issue(Some("acme/web-shop"), 12);
        check("see Acme/web-shop#12.", &[("Acme/web-shop#12", elsewhere)]);
        check("^alert#7", &[("^alert#7", Reference::Alert { iid: 7 })]);
        for text in [
            "#",
            "#0",
            "#12a",
            "#-1",
            "shop#12",
            "/a/b#12",
            "a//b#12",
            "../b#12",
            "a/b##1",
            "&#12",
            "^alert#",
            "^alert#x",
            "#99999999999999999999",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn labels_and_milestones_are_found_by_their_titles() {
        let label = |title: &str| Reference::Label(title.to_owned());
        let milestone = |title: &str| Reference::Milestone(title.to_owned());
        check(
            "~bug ~type::ops.",
            &[("~bug", label("bug")), ("~type::ops", label("type::ops"))],
        );
        check("~\"two words\"!", &[("~\"two words\"", label("two words"))]);
        check(
            "%v1.2, %\"next year\"",
            &[
                ("%v1.2", milestone("v1.2")),
                ("%\"next year\"", milestone("next year")),
            ],
        );
        for text in [
            "~", "~ bug", "~\"\"", "~\"  \"", "~\"open", "a~bug", "50%off", "~~bug",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn addresses_of_own_issues_are_known() {
        let base = "https://gate.example/below";
        let own = |url: &str| own_issue(url, base);
        let expected = issue(Some("acme/shop"), 12);
        assert_eq!(
            own("https://gate.example/below/Acme/shop/-/issues/12"),
            Some(expected)
        );
        for url in [
            "https://gate.example/acme/shop/-/issues/12",
            "https://gate.example/below/acme/shop/-/issues/12/edit",
            "https://gate.example/below/shop/-/issues/12",
            "https://gate.example/below/acme/shop/-/issues/new",
            "https://gate.example/belowacme/shop/-/issues/1",
            "https://other.example/acme/shop/-/issues/12",
        ] {
            assert_eq!(own(url), None, "{url}");
        }
    }
}
