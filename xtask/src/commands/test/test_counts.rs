//! Numbers of passed, failed and skipped tests, and their times, from the report of the runner.
//!
//! A test that lacks a part prints a line that begins with `skipped: ` and returns, so the runner counts it as passed.
//! Here it is counted as skipped.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// The beginning of the line that a test prints when it lacks a part. The reason follows.
const SKIPPED_PREFIX: &str = "skipped: ";

/// Number of slowest tests to list.
const MAX_SLOWEST: usize = 10;

/// The outcomes of all tests so far.
#[derive(Debug, Default)]
pub(crate) struct TestCounts {
    passed: usize,
    failed: usize,
    /// Number of skipped tests for each reason.
    skipped: BTreeMap<String, usize>,
    /// The seconds that each test took, with its program and its name.
    times: Vec<(f64, String, String)>,
}

/// A report in the format of `JUnit`.
#[derive(Debug, Deserialize)]
struct JunitReport {
    #[serde(rename = "testsuite", default)]
    programs: Vec<JunitSuite>,
}

#[derive(Debug, Deserialize)]
struct JunitSuite {
    #[serde(rename = "@name")]
    name: String,
    #[serde(rename = "testcase", default)]
    tests: Vec<JunitTest>,
}

#[derive(Debug, Deserialize)]
struct JunitTest {
    #[serde(rename = "@name")]
    name: String,
    #[serde(rename = "@time")]
    seconds: f64,
    failure: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
    #[serde(rename = "system-out", default)]
    output: String,
}

impl TestCounts {
    /// The outcomes in a report of the runner.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn of_report(text: &str) -> Result<Self> {
        let report: JunitReport = quick_xml::de::from_str(text)
            .context("the report of the test runner is not readable")?;
        let mut counts = Self::default();
        for program in report.programs {
            for test in program.tests {
                counts.add_test(&test);
                counts
                    .times
                    .push((test.seconds, program.name.clone(), test.name));
            }
        }
        Ok(counts)
    }

    fn add_test(&mut self, test: &JunitTest) {
        let reason = test
            .output
            .lines()
            .find_map(|line| line.strip_prefix(SKIPPED_PREFIX));
        if test.failure.is_some() || test.error.is_some() {
            self.failed += 1;
        } else if let Some(reason) = reason {
            *self.skipped.entry(reason.to_owned()).or_default() += 1;
        } else {
            self.passed += 1;
        }
    }

    /// Adds the counts that cargo prints at the end of a program, `test result: ok. 2 passed; 1 failed; …`.
    pub(crate) fn add_result(&mut self, line: &str) {
        if let Some(counts) = line.strip_prefix("test result: ") {
            self.passed += count(counts, "passed");
            self.failed += count(counts, "failed");
        }
    }

    /// Adds the outcomes of another run.
    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        for (reason, count) in other.skipped {
            *self.skipped.entry(reason).or_default() += count;
        }
        self.times.extend(other.times);
    }

    /// The time of each program, as the sum over its tests, and the slowest tests.
    pub(crate) fn slowest(&self) -> String {
        let mut programs = BTreeMap::<&str, (f64, usize)>::new();
        for (seconds, program, _) in &self.times {
            let (total, count) = programs.entry(program).or_default();
            *total += seconds;
            *count += 1;
        }
        let mut programs: Vec<_> = programs.into_iter().collect();
        programs.sort_by(|one, other| other.1.0.total_cmp(&one.1.0));
        let mut tests: Vec<_> = self.times.iter().collect();
        tests.sort_by(|one, other| other.0.total_cmp(&one.0));
        let mut lines = vec!["test seconds by program:".to_owned()];
        let row = |(name, (seconds, count)): &(&str, (f64, usize))| {
            format!("{seconds:9.1}  {name} ({count})")
        };
        lines.extend(programs.iter().map(row));
        lines.push("the slowest tests:".to_owned());
        let row = |(seconds, program, name): &&(f64, String, String)| {
            format!("{seconds:9.1}  {program} {name}")
        };
        lines.extend(tests.iter().take(MAX_SLOWEST).map(row));
        lines.join("\n")
    }

    /// Reasons for skipped tests, and in the last line the numbers of passed, failed and skipped tests.
    pub(crate) fn summary(&self) -> String {
        let each = |(reason, count): (&String, &usize)| format!("skipped {count}: {reason}\n");
        let reasons: String = self.skipped.iter().map(each).collect();
        let skipped: usize = self.skipped.values().sum();
        format!(
            "{reasons}{} passed, {} failed, {skipped} skipped",
            self.passed, self.failed
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

    const REPORT: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="nextest-run" tests="5" failures="1" errors="1" uuid="1" timestamp="2026-01-01T00:00:00Z" time="4.5">
    <testsuite name="gatehouse::api" tests="3" disabled="0" errors="1" failures="1">
        <testcase name="a::one" classname="gatehouse::api" timestamp="2026-01-01T00:00:00Z" time="0.25">
            <system-out>running 1 test
skipped: &lt;X&gt; names no program
skipped: Y names no program
</system-out>
        </testcase>
        <testcase name="a::two" classname="gatehouse::api" timestamp="2026-01-01T00:00:00Z" time="2.5">
            <failure type="test failure" message="m">text</failure>
            <system-out>skipped: nothing, it failed</system-out>
        </testcase>
        <testcase name="a::three" classname="gatehouse::api" timestamp="2026-01-01T00:00:00Z" time="0.5">
            <error type="no start">text</error>
        </testcase>
    </testsuite>
    <testsuite name="events" tests="2" disabled="0" errors="0" failures="0">
        <testcase name="four" classname="events" timestamp="2026-01-01T00:00:00Z" time="0.125"></testcase>
        <testcase name="five" classname="events" timestamp="2026-01-01T00:00:00Z" time="4.25"/>
    </testsuite>
</testsuites>"#;

    #[test]
    fn skipped_tests_with_a_reason_are_counted_once_and_not_as_passed() {
        let mut counts = TestCounts::of_report(REPORT).unwrap();
        assert_eq!(
            counts.summary(),
            "skipped 1: <X> names no program\n2 passed, 2 failed, 1 skipped"
        );
        counts.add_result("test result: ok. 3 passed; 1 failed; 0 ignored; finished in 1s");
        counts.add(TestCounts::of_report(REPORT).unwrap());
        assert_eq!(
            counts.summary(),
            "skipped 2: <X> names no program\n7 passed, 5 failed, 2 skipped"
        );
        assert_eq!(
            TestCounts::default().summary(),
            "0 passed, 0 failed, 0 skipped"
        );
        assert!(TestCounts::of_report("<testsuites").is_err());
    }

    #[test]
    fn the_slowest_come_first() {
        let text = TestCounts::of_report(REPORT).unwrap().slowest();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!(
            lines,
            [
                "test seconds by program:",
                "4.4  events (2)",
                "3.2  gatehouse::api (3)",
                "the slowest tests:",
                "4.2  events five",
                "2.5  gatehouse::api a::two",
                "0.5  gatehouse::api a::three",
                "0.2  gatehouse::api a::one",
                "0.1  events four",
            ]
        );
    }
}
