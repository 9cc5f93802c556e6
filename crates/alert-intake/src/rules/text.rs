//! Truncation of long texts. They are never refused, because an alert with too much text is still an alert.

/// Longest title, in characters.
pub const MAX_TITLE: usize = 200;
/// Longest description, in characters.
pub const MAX_DESCRIPTION: usize = 1000;
/// Longest service name, in characters.
pub const MAX_SERVICE: usize = 100;
/// Longest name of a monitoring tool, in characters.
pub const MAX_MONITORING_TOOL: usize = 100;
/// Longest name of an environment, in characters.
pub const MAX_ENVIRONMENT: usize = 255;
/// Longest total of all hosts, in characters.
pub const MAX_HOSTS: usize = 255;

/// Truncates `text` to `max` characters; a truncated text ends in `...`, which counts.
pub fn cut(text: &str, max: usize) -> String {
    // A text of at most `max` bytes has at most `max` characters; most texts take this path.
    if text.len() <= max || text.chars().count() <= max {
        return text.to_owned();
    }
    let mut kept: String = text.chars().take(max.saturating_sub(3)).collect();
    kept.push_str("...");
    kept
}

/// Keeps hosts until their total reaches [`MAX_HOSTS`]: truncates the one that crosses it and drops later ones.
pub fn cut_hosts<'h>(hosts: impl IntoIterator<Item = &'h str>) -> Vec<String> {
    let mut room = MAX_HOSTS;
    let mut kept = Vec::new();
    for host in hosts {
        // Empty hosts add no characters, so their number is bounded too.
        if room == 0 || kept.len() >= MAX_HOSTS {
            break;
        }
        let host: String = host.chars().take(room).collect();
        room -= host.chars().count();
        kept.push(host);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn truncated_texts_end_in_dots() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdefg", 6), "abc...");
        assert_eq!(cut("ääääääää", 6), "äää...");
    }

    #[test]
    fn empty_hosts_are_bounded_by_their_number() {
        assert_eq!(cut_hosts(std::iter::repeat_n("", 1000)).len(), MAX_HOSTS);
    }

    #[test]
    fn hosts_share_their_room() {
        let long = "h".repeat(250);
        assert_eq!(
            cut_hosts([long.as_str(), "abcdefgh", "x"]),
            [long.as_str(), "abcde"]
        );
        assert!(cut_hosts([]).is_empty());
    }

    proptest! {
        #[test]
        fn no_text_is_longer_than_its_bound(text in "\\PC{0,50}", max in 3_usize..40) {
            let kept = cut(&text, max);
            prop_assert!(kept.chars().count() <= max);
            prop_assert!(kept == text || kept.ends_with("..."));
        }

        #[test]
        fn hosts_never_exceed_their_room(hosts in proptest::collection::vec("\\PC{0,100}", 0..8)) {
            let kept = cut_hosts(hosts.iter().map(String::as_str));
            let total: usize = kept.iter().map(|host| host.chars().count()).sum();
            prop_assert!(total <= MAX_HOSTS);
        }
    }
}
