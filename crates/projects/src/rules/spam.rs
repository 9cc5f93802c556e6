//! Spam checks before an issue or a snippet is published.

use api_conventions::access::{AccessLevel, Visibility};
use regex::{RegexSet, RegexSetBuilder};

use crate::model::{IssueContent, IssueContentEdit, Project, SpamReason, Submission};
use crate::rules::access::ProjectAccess;

/// Maximum number of patterns.
pub const MAX_PATTERNS: usize = 1000;
/// Maximum size of all compiled patterns, in bytes.
const COMPILED_BYTES: usize = 32 << 20;
/// Prefixes of links, in either case.
const SCHEMES: [&str; 2] = ["http://", "https://"];

/// True if text that a user publishes in a project is checked for spam.
/// Checks apply in public projects, to users without a role from Reporter up.
pub fn needs_spam_check(project: &Project, access: ProjectAccess) -> bool {
    project.visibility == Visibility::Public && !access.allows(AccessLevel::Reporter)
}

/// Content of an issue that becomes public through an edit by a checked user; `None` if there is none.
/// Checked users choose confidentiality only when they create an issue, so only the title and the description of a
/// later edit count.
pub fn published(before: Option<&IssueContent>, edit: &IssueContentEdit) -> Option<IssueContent> {
    let Some(before) = before else {
        let after = edit.clone().apply(IssueContent::default());
        return (!after.confidential).then_some(after);
    };
    let words = IssueContentEdit {
        title: edit.title.clone(),
        description: edit.description.clone(),
        ..IssueContentEdit::default()
    };
    let after = words.apply(before.clone());
    (!after.confidential && after != *before).then_some(after)
}

/// Spam rules of an operator.
#[derive(Debug, Clone, Default)]
pub struct SpamRules {
    patterns: RegexSet,
    max_links: Option<usize>,
}

/// Error in a list of patterns.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidPatterns(String);

impl SpamRules {
    /// Creates rules from patterns, one regular expression per line, and from the maximum number of links in a text.
    /// Patterns are case-insensitive. Empty lines and lines that begin with `#` are skipped.
    ///
    /// # Errors
    /// [`InvalidPatterns`] names the line that is not a regular expression, or says that there are more than
    /// [`MAX_PATTERNS`] or that they are too large.
    pub fn new(patterns: &str, max_links: Option<usize>) -> Result<Self, InvalidPatterns> {
        let mut wanted = Vec::new();
        for (number, line) in (1..).zip(patterns.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Err(error) = regex::Regex::new(line) {
                let text = format!("line {number} is not a valid regular expression: {error}");
                return Err(InvalidPatterns(text));
            }
            wanted.push(line);
        }
        if wanted.len() > MAX_PATTERNS {
            let text = format!("there are more than {MAX_PATTERNS} patterns");
            return Err(InvalidPatterns(text));
        }
        let patterns = RegexSetBuilder::new(wanted)
            .case_insensitive(true)
            .size_limit(COMPILED_BYTES)
            .build();
        let patterns = patterns.map_err(|error| InvalidPatterns(error.to_string()))?;
        Ok(Self {
            patterns,
            max_links,
        })
    }

    /// True if there are no rules.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty() && self.max_links.is_none()
    }

    /// Returns the reason why a submission looks like spam, if it does.
    pub fn check(&self, submission: &Submission) -> Option<SpamReason> {
        let texts = [&*submission.title, &*submission.description];
        if texts.iter().any(|text| self.patterns.is_match(text)) {
            return Some(SpamReason::Pattern);
        }
        let links: usize = texts.iter().map(|text| links(text)).sum();
        let is_too_many = self.max_links.is_some_and(|most| links > most);
        is_too_many.then_some(SpamReason::Links)
    }
}

/// Counts the links in a text, including duplicates.
fn links(text: &str) -> usize {
    let text = text.to_ascii_lowercase();
    SCHEMES
        .iter()
        .map(|scheme| text.matches(scheme).count())
        .sum()
}

#[cfg(test)]
mod tests {
    use api_conventions::ids::{ProjectId, UserId};

    use crate::model::SubmissionTarget;

    use super::*;

    fn judged(rules: &SpamRules, title: &str, description: &str) -> Option<SpamReason> {
        rules.check(&Submission {
            user_id: UserId::new(1),
            project_id: Some(ProjectId::new(1)),
            target: SubmissionTarget::Issue(None),
            title: title.to_owned(),
            description: description.to_owned(),
        })
    }

    #[test]
    fn patterns_match_in_either_case_in_the_title_and_the_description() {
        let rules = SpamRules::new("# Ads.\n\n  cheap\\s+pills \n^casino$\n", None).unwrap();
        for (title, description, wanted) in [
            ("Cheap  PILLS", "", true),
            ("a", "b\ncheap pills here", true),
            ("casino", "", true),
            ("my casino", "", false),
            ("cheappills", "# Ads.", false),
            ("", "", false),
        ] {
            let reason = judged(&rules, title, description);
            assert_eq!(reason.is_some(), wanted, "{title} {description}");
        }
    }

    #[test]
    fn links_are_counted_in_all_of_a_text() {
        let rules = SpamRules::new("", Some(2)).unwrap();
        let two = "see http://a.example and HTTPS://b.example";
        assert_eq!(judged(&rules, "a", two), None);
        assert_eq!(
            judged(&rules, "http://c.example", two),
            Some(SpamReason::Links)
        );
        let none = SpamRules::new("", Some(0)).unwrap();
        assert_eq!(judged(&none, "a", "no link: ftp://a.example"), None);
        assert!(judged(&none, "a", "https://a.example").is_some());
        assert!(SpamRules::default().is_empty() && !none.is_empty());
    }

    #[test]
    fn invalid_patterns_are_reported_with_their_line() {
        let bad = SpamRules::new("good\n# no\n(", None).unwrap_err();
        assert!(
            bad.to_string()
                .starts_with("line 3 is not a valid regular expression"),
            "{bad}"
        );
        let many = SpamRules::new(&"a\n".repeat(MAX_PATTERNS + 1), None).unwrap_err();
        assert_eq!(many.to_string(), "there are more than 1000 patterns");
        SpamRules::new(&"a\n".repeat(MAX_PATTERNS), None).unwrap();
        SpamRules::new("(a{1000}){1000}", None).unwrap_err();
    }

    #[test]
    fn only_newly_public_text_counts_as_published() {
        let content = |title: &str, confidential| IssueContent {
            title: title.to_owned(),
            confidential,
            ..IssueContent::default()
        };
        let edit = |title: Option<&str>, confidential| IssueContentEdit {
            title: title.map(str::to_owned),
            confidential,
            ..IssueContentEdit::default()
        };
        let (public, hidden) = (content("a", false), content("a", true));
        for (before, edit, wanted) in [
            (None, edit(Some("a"), None), Some("a")),
            (None, edit(Some("a"), Some(true)), None),
            (Some(&public), edit(Some("b"), None), Some("b")),
            (Some(&public), edit(Some("a"), None), None),
            (Some(&public), edit(None, Some(false)), None),
            (Some(&public), edit(Some("b"), Some(true)), Some("b")),
            (Some(&hidden), edit(Some("b"), None), None),
            (Some(&hidden), edit(Some("b"), Some(false)), None),
        ] {
            let published = published(before, &edit).map(|content| content.title);
            assert_eq!(published.as_deref(), wanted, "{before:?} {edit:?}");
        }
    }
}
