//! Slugs of environments: names for hosts and files, derived from the environment's name.

use sha2::{Digest as _, Sha256};

/// Longest slug.
const MAX_LENGTH: usize = 24;
/// Number of characters kept of a name before the hash suffix.
const PREFIX_LENGTH: usize = 17;
/// Length of the hash suffix.
const HASH_LENGTH: usize = 6;
const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// Returns the slug of a name: at most 24 lower-case letters, digits and dashes, which begin with a letter. A name that
/// is not already a valid slug gets a hash suffix, because other names may be converted to the same slug. `attempt` is
/// 0, and higher if the slug is still taken.
pub fn slug_of(name: &str, attempt: u32) -> String {
    let mut slug = String::new();
    let lower = name.to_ascii_lowercase();
    if !lower.starts_with(|first: char| first.is_ascii_lowercase()) {
        slug.push_str("env-");
    }
    for character in lower.chars() {
        match character {
            'a'..='z' | '0'..='9' => slug.push(character),
            _ if slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    if attempt == 0 && slug == name && slug.len() <= MAX_LENGTH && !slug.ends_with('-') {
        return slug;
    }
    slug.truncate(PREFIX_LENGTH);
    if !slug.ends_with('-') {
        slug.push('-');
    }
    slug + &hash_suffix(name, attempt)
}

/// Returns letters and digits that depend on the whole name.
fn hash_suffix(name: &str, attempt: u32) -> String {
    let mut digest = Sha256::new().chain_update(name);
    if attempt > 0 {
        digest.update(attempt.to_be_bytes());
    }
    let base = DIGITS.len() as u64;
    let all = (0..HASH_LENGTH).fold(1, |all, _| all * base);
    let bytes = digest.finalize();
    let mut rest = bytes
        .iter()
        .fold(0, |rest, byte| (rest * 256 + u64::from(*byte)) % all);
    let mut hash_suffix = Vec::with_capacity(HASH_LENGTH);
    for _ in 0..HASH_LENGTH {
        let digit = usize::try_from(rest % base).ok();
        let digit = digit.and_then(|digit| DIGITS.get(digit));
        hash_suffix.extend(digit.copied().map(char::from));
        rest /= base;
    }
    hash_suffix.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_name_that_is_a_slug_is_its_own() {
        for name in ["production", "staging-2", "a"] {
            assert_eq!(slug_of(name, 0), name);
        }
    }

    #[test]
    fn other_names_get_a_mark() {
        for (name, start) in [
            ("review/feature-1", "review-feature-1-"),
            ("Production", "production-"),
            ("1a", "env-1a-"),
            ("staging-", "staging-"),
            ("a--b", "a-b-"),
            ("a-name-that-is-far-too-long", "a-name-that-is-fa-"),
        ] {
            let slug = slug_of(name, 0);
            assert!(slug.starts_with(start), "{slug}");
            assert_eq!(slug.len(), start.len() + HASH_LENGTH, "{slug}");
        }
        assert_ne!(slug_of("production", 1), slug_of("production", 2));
    }

    proptest! {
        #[test]
        fn every_slug_fits_a_host_name(name in "\\PC{1,60}", attempt in 0_u32..3) {
            let slug = slug_of(&name, attempt);
            prop_assert!(slug.len() <= MAX_LENGTH && slug.starts_with(|first: char| first.is_ascii_lowercase()));
            prop_assert!(!slug.ends_with('-') && !slug.contains("--"), "{}", slug);
            prop_assert!(slug.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'));
        }
    }
}
