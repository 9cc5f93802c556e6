//! State that the title of an alert is marked with.

use super::state::{
    CONDITIONS, DOUBTS, NEGATIONS, ReportedState, SUBJECTS, is_state_word, parse, words,
};

/// Longest text before a colon that can be a state, in bytes.
const MAX_MARK: usize = 40;

/// Parses the state that a title or message is marked with: `[RESOLVED] Disk full`, `Recovered: Disk full`, `Disk full
/// (resolved)`, or a sentence such as `db1 is back to normal`. Returns `None` for any other text.
pub fn of_title(title: &str) -> Option<ReportedState> {
    let is_mark = |c: char| c.is_alphanumeric() || matches!(c, '[' | '(');
    let text = title.trim_start_matches(|c| !is_mark(c));
    let (begin, end) = (bracketed(text), bracketed_end(text));
    let before = text.split_once(": ").filter(|(mark, rest)| {
        let value = words(rest).next().unwrap_or_default();
        mark.len() <= MAX_MARK && !["0", "false", "no"].contains(&value.as_str())
    });
    let marks = [begin, before.map(|(mark, _)| mark), end];
    let marked = marks.into_iter().flatten().find_map(of_mark);
    let marked = marked.or_else(|| of_mark(capitals(text)?));
    let marked = marked.or_else(|| is_recovery(text).then_some(ReportedState::Over));
    marked.or_else(|| of_symbol(title))
}

/// Symbols with which senders mark that something is over, and that it fires.
const SYMBOLS: [(ReportedState, &str); 2] = [
    (ReportedState::Over, "✅✔☑🟢💚🆗"),
    (ReportedState::Firing, "🔴🚨❌🔥🛑⛔❗"),
];

/// Returns the state of a title that begins or ends with a symbol, if its words say the same: `db1 is up 🟢`.
fn of_symbol(title: &str) -> Option<ReportedState> {
    // A variation selector asks for a colored symbol.
    let is_space = |c: char| c.is_whitespace() || c == '\u{fe0f}';
    let text = title.trim_matches(is_space);
    let ends = [text.chars().next(), text.chars().next_back()];
    let is_marked = |symbols: &str| ends.into_iter().flatten().any(|c| symbols.contains(c));
    let (state, _) = SYMBOLS
        .into_iter()
        .find(|(_, symbols)| is_marked(symbols))?;
    parse(title).filter(|said| *said == state)
}

/// Returns the first word of a text that has more words, if it is in capital letters: `RECOVERY Service Alert`. A condition such as
/// `OK` may be a part of a sentence.
fn capitals(text: &str) -> Option<&str> {
    let (word, _) = text.split_once(' ')?;
    let is_capital = word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase());
    let is_condition = CONDITIONS.contains(&word.to_ascii_lowercase().as_str());
    (is_capital && !is_condition).then_some(word)
}

/// Parses a mark, which has no other words than states and numbers.
fn of_mark(mark: &str) -> Option<ReportedState> {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = words(mark).all(|word| is_state_word(&word) || is_number(&word));
    let is_subject = words(mark).all(|word| SUBJECTS.contains(&word.as_str()));
    parse(mark).filter(|_| is_plain && !is_subject)
}

/// Returns the text in brackets with which a text begins.
fn bracketed(text: &str) -> Option<&str> {
    let inner = text.strip_prefix(['[', '('])?;
    inner.split_once([']', ')']).map(|(inner, _)| inner)
}

/// Returns the text in brackets with which a text ends.
fn bracketed_end(text: &str) -> Option<&str> {
    let inner = text.trim_end().strip_suffix([']', ')'])?;
    inner.rsplit_once(['[', '(']).map(|(_, inner)| inner)
}

/// True for a sentence that something recovered.
fn is_recovery(text: &str) -> bool {
    let words: Vec<String> = words(text).take(MAX_WORDS).collect();
    let says = |phrase: &[&str]| {
        let at = words
            .windows(phrase.len())
            .position(|window| window == phrase);
        at.is_some_and(|at| {
            let mut before = words.iter().take(at).map(String::as_str);
            !before.any(|word| NEGATIONS.contains(&word) || DOUBTS.contains(&word))
        })
    };
    RECOVERIES.iter().any(|phrase| says(phrase))
}

/// Most words of a sentence that are read.
const MAX_WORDS: usize = 100;

/// Phrases of sentences that something recovered.
const RECOVERIES: [&[&str]; 9] = [
    &["back", "to", "normal"],
    &["has", "been", "cleared"],
    &["has", "been", "resolved"],
    &["has", "recovered"],
    &["is", "back", "online"],
    &["is", "back", "up"],
    &["is", "up", "again"],
    &["recovered", "from"],
    &["returned", "to", "normal"],
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn titles_are_marked_with_a_state() {
        let table = [
            (
                Some(ReportedState::Over),
                "db1 is up 🟢|✅\u{fe0f} db1 is online|[RESOLVED] Disk|*[RESOLVED:2]* Disk|✅ Recovered: Disk|OK: Disk|Disk full (resolved)|Disk [OK]|\
                 db1 is back to normal|** RECOVERY Service Alert: db1/Disk is OK **|[Shop] shop is back up|Device db1 recovered from Device down|The check has recovered",
            ),
            (
                Some(ReportedState::Firing),
                "db1 is down 🔴|[FIRING:1] Disk|🔴 Down: Shop|PROBLEM - CRITICAL: Disk|DOWN shop.example.com|[Triggered] Disk",
            ),
            (Some(ReportedState::Noted), "[ACKNOWLEDGED] Disk"),
            (
                None,
                "🔥 Disk is full|CPU usage is up|✅ Checkout is down|Disk is full|Alert: disk|The name could not be resolved|Backup failed|[db1] Disk|Up and running out of disk|\
                 db1 has never recovered from it|The pool failed to get back to normal|Wait until it is back up|Failed to back up db1|Feedback: ok|ok: false|UP to 95 % used|OK button is broken|Restored backup is corrupt|Open the manual|Note (see the manual)|[",
            ),
        ];
        for (expected, titles) in table {
            for title in titles.split('|') {
                assert_eq!(of_title(title), expected, "{title}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_title_has_a_state_or_not(title in "\\PC{0,60}") {
            let _ = of_title(&title);
        }
    }
}
