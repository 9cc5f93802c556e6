//! How many tests passed, failed and were skipped, read from what the test programs print.
//!
//! A test that lacks a part prints a line that begins with `skipped: ` and returns, so the test harness counts it as
//! passed. The programs are run with `--show-output`, which tells what each test that passed has printed; that part is
//! counted here and not shown.

use std::collections::BTreeMap;

/// What a test prints when it passes over what it cannot do, with the reason behind it.
const MARK: &str = "skipped: ";

/// The outcomes of all tests so far.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    passed: usize,
    failed: usize,
    ignored: usize,
    /// How many tests were skipped for each reason.
    skipped: BTreeMap<String, usize>,
    part: Part,
}

/// The part of a test program's output in which a line is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// What people want to read.
    #[default]
    Shown,
    /// What tests that passed have printed.
    OfPassed {
        /// Whether the test that printed the line is counted as skipped already.
        is_skipped: bool,
    },
}

impl Tally {
    /// Takes in a line, and tells whether it is to be shown.
    pub(crate) fn takes(&mut self, line: &str) -> bool {
        if let Some(counts) = line.strip_prefix("test result: ") {
            self.part = Part::Shown;
            self.passed += count(counts, "passed");
            self.failed += count(counts, "failed");
            self.ignored += count(counts, "ignored");
            return true;
        }
        match line {
            "successes:" => self.part = Part::OfPassed { is_skipped: false },
            "failures:" => self.part = Part::Shown,
            _ => {}
        }
        let Part::OfPassed { is_skipped } = &mut self.part else {
            return true;
        };
        if line.starts_with("---- ") {
            *is_skipped = false;
        } else if let Some(reason) = line.strip_prefix(MARK)
            && !*is_skipped
        {
            *is_skipped = true;
            *self.skipped.entry(reason.to_owned()).or_default() += 1;
        }
        false
    }

    /// Why tests were skipped, and in the last line how many passed, failed and were skipped.
    pub(crate) fn response(&self) -> String {
        let each = |(reason, count): (&String, &usize)| format!("skipped {count}: {reason}\n");
        let reasons: String = self.skipped.iter().map(each).collect();
        let skipped: usize = self.skipped.values().sum();
        format!(
            "{reasons}{} passed, {} failed, {} skipped",
            self.passed.saturating_sub(skipped),
            self.failed,
            skipped + self.ignored
        )
    }
}

/// The number before a word, in `ok. 2 passed; 1 failed; 0 ignored`.
fn count(counts: &str, word: &str) -> usize {
    let before = counts.split(word).next().unwrap_or_default();
    let number = before.split_whitespace().next_back();
    number.and_then(|text| text.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives the lines to a tally, and what of them is shown.
    fn shown<'l>(tally: &mut Tally, output: &'l str) -> Vec<&'l str> {
        output.lines().filter(|line| tally.takes(line)).collect()
    }

    const OUTPUT: &str = "running 5 tests
test one ... ok
test two ... ok

successes:

---- one stdout ----
skipped: X names no program
skipped: Y names no program

---- two stdout ----
a server came up
skipped: X names no program


successes:
    one
    two

failures:

---- three stdout ----
skipped: nothing, it failed

failures:
    three

test result: FAILED. 3 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.14s";

    #[test]
    fn a_test_that_says_why_it_is_skipped_is_counted_once_and_not_as_passed() {
        let mut tally = Tally::default();
        shown(&mut tally, OUTPUT);
        assert_eq!(
            tally.response(),
            "skipped 2: X names no program\n1 passed, 1 failed, 3 skipped"
        );
    }

    #[test]
    fn programs_are_added_up() {
        let mut tally = Tally::default();
        shown(&mut tally, OUTPUT);
        shown(&mut tally, OUTPUT);
        let response = tally.response();
        assert_eq!(
            response.lines().last(),
            Some("2 passed, 2 failed, 6 skipped")
        );
        assert_eq!(Tally::default().response(), "0 passed, 0 failed, 0 skipped");
    }

    #[test]
    fn what_tests_that_passed_have_printed_is_not_shown() {
        let mut tally = Tally::default();
        let lines = shown(&mut tally, OUTPUT);
        assert!(
            !lines.iter().any(|line| line.contains("came up")),
            "{lines:?}"
        );
        assert!(lines.contains(&"skipped: nothing, it failed"), "{lines:?}");
        assert!(lines.contains(&"test one ... ok"), "{lines:?}");
        assert!(lines.last().unwrap().starts_with("test result: FAILED"));
    }
}
