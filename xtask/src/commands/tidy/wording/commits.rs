//! Messages of commits.

use std::path::Path;
use std::process::Command;

/// First words of subjects.
const VERBS: [&str; 8] = [
    "Add", "Document", "Fix", "Merge", "Remove", "Rename", "Speed", "Test",
];
/// Most characters of a subject.
const MAX_SUBJECT: usize = 72;
/// The commits that are checked: the newest ones, merges left out.
const NEWEST: &str = "-20";
/// Marks the beginning of a message in git's output; it occurs in no message.
const MARK: char = '\u{1e}';

/// The faults of the newest commits. A copy of the sources without a readable history has none.
pub(super) fn check(root: &Path) -> Vec<String> {
    let mut command = Command::new("git");
    command.args(["log", "--no-merges", NEWEST]);
    command
        .arg(format!("--format={MARK}%h%n%B"))
        .current_dir(root);
    let Ok(output) = command.output() else {
        return Vec::new();
    };
    // Outside a clone git prints nothing here.
    let text = String::from_utf8_lossy(&output.stdout);
    let messages = text
        .split(MARK)
        .filter_map(|message| message.split_once('\n'));
    let faults = messages.flat_map(|(id, message)| {
        let found = faults(message).into_iter();
        found
            .map(move |fault| format!("commit {id}: {fault}"))
            .collect::<Vec<_>>()
    });
    faults.collect()
}

/// The faults of one message.
fn faults(message: &str) -> Vec<String> {
    let (subject, body) = message
        .trim_end()
        .split_once('\n')
        .unwrap_or((message.trim_end(), ""));
    let mut faults = Vec::new();
    let verb = subject.split(' ').next().unwrap_or_default();
    if !VERBS.contains(&verb) {
        faults.push(format!("`{verb}` is none of {}", VERBS.join(", ")));
    }
    let length = subject.chars().count();
    if length > MAX_SUBJECT {
        faults.push(format!(
            "a subject of {length} characters, more than {MAX_SUBJECT}"
        ));
    }
    if body.trim().is_empty() {
        faults.push(format!("no body that says why: {subject}"));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_a_short_subject_and_a_body_are_required() {
        assert_eq!(
            faults("Fix a race of two writers\n\nThe second one lost.\n"),
            [] as [&str; 0]
        );
        assert_eq!(faults("Fix a race\n").len(), 1);
        assert_eq!(faults("A race is mended\n\nIt was lost.\n").len(), 1);
        assert_eq!(
            faults(&format!("Add {}\n\nWhy.\n", "x".repeat(70))).len(),
            1
        );
    }
}
