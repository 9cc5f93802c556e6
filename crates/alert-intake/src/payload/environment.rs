//! Field names that hold the environment of an alert.

/// Suffix of such a name, after the service word.
const SUFFIX: &str = "_environment_name";

/// Accepted service words, in order of precedence: the configured one, the neutral one of the specification, and the
/// one that existing senders use.
fn words(configured: &str) -> [&str; 3] {
    [configured, "service", "gitlab"]
}

/// Name that many senders use, after all others.
const PLAIN: &str = "environment";

/// True if a field of this name holds the environment.
pub(super) fn names_environment(name: &str, configured: &str) -> bool {
    let word = name.strip_suffix(SUFFIX);
    name == PLAIN || word.is_some_and(|word| words(configured).contains(&word))
}

/// Returns the environment: the first text that is not blank, in order of precedence. The order of the fields in the
/// payload does not matter.
pub(super) fn find<'t>(
    configured: &str,
    named: impl Fn(&str) -> Option<&'t str>,
) -> Option<&'t str> {
    words(configured)
        .into_iter()
        .find_map(|word| named(&format!("{word}{SUFFIX}")))
        .or_else(|| named(PLAIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_words_and_the_plain_name_are_an_environment_and_no_other() {
        for name in [
            "service_environment_name",
            "gitlab_environment_name",
            "acme_environment_name",
            "environment",
        ] {
            assert!(names_environment(name, "acme"), "{name}");
        }
        for name in [
            "other_environment_name",
            "_environment_name",
            "service_environment",
        ] {
            assert!(!names_environment(name, "acme"), "{name}");
        }
    }

    #[test]
    fn the_configured_word_counts_before_the_neutral_and_the_neutral_before_the_customary() {
        let all = ["acme", "service", "gitlab"];
        for first in 0..all.len() {
            let named = |name: &str| {
                all[first..]
                    .iter()
                    .copied()
                    .find(|word| name.starts_with(word))
            };
            assert_eq!(find("acme", named), Some(all[first]));
        }
        let plain = |name: &str| (name == "environment").then_some("plain");
        assert_eq!(find("acme", plain), Some("plain"));
        assert_eq!(find("acme", |_| None), None);
    }
}
